"""API keys: made, listed, shown, revoked."""

import secrets

from tenure.core import access, fields
from tenure.core.errors import NotFound
from tenure.core.principal import Principal, scope_of
from tenure.core.secrecy import credentials
from tenure.core.secrecy.credentials import Key
from tenure.edge.keys import CreatedKey, CreateKey, KeyBody, Keys
from tenure.http.call import Call, Reply
from tenure.http.paging import page
from tenure.http.service import Service
from tenure.operations import create_key as creating
from tenure.operations import revoke_key as revoking


async def list_keys(service: Service, call: Call) -> Reply:
    """Those that this credential could have made."""
    keys, following = await page(
        lambda before, most: service.run(service.verbs.key_page(before, most)),
        lambda key: KeyBody.of(key) if _is_manageable(call.principal, key) else None,
        lambda key: key.id,
        None if call.query.cursor is None else fields.job_id("cursor", call.query.cursor),
        call.query.limit,
    )
    return Reply(body=Keys(keys=keys, next=following))


async def show_key(service: Service, call: Call) -> Reply:
    return Reply(body=KeyBody.of(await _manageable(service, call.principal, call.path["id"])))


async def create_key(service: Service, call: Call) -> Reply:
    """The key is shown this once; only its hash is stored."""
    said: CreateKey = call.body
    scope = scope_of(
        said.role, tenants=said.tenants, kinds=said.kinds, queues=said.queues, max_priority=said.max_priority
    )
    access.check_no_wider(call.principal, said.role, scope)
    secret = secrets.token_bytes(credentials.SECRET_BYTES)
    until = fields.instant("expires_at", said.expires_at)
    made = await service.run(
        creating.create_key(
            service.verbs, said.name, said.role, scope, until, secret, who=call.principal.name, why=said.why
        )
    )
    return Reply(status=201, body=CreatedKey.of(made, key=credentials.text_of(secret)))


async def revoke_key(service: Service, call: Call) -> Reply:
    """In this process it lets nobody in from now on; others believe what they have seen of it for a little longer."""
    key_id = (await _manageable(service, call.principal, call.path["id"])).id
    script = revoking.revoke_key(service.verbs, key_id, who=call.principal.name, why=call.query.why)
    key: Key | None = await service.run(script)
    if key is None:
        raise _no_such_key()
    service.seen_keys.forget(key.hash)
    return Reply(body=KeyBody.of(key))


def _is_manageable(principal: Principal, key: Key) -> bool:
    """Whether this credential could have made the key."""
    return access.wider(principal, key.role, key.scope) is None


async def _manageable(service: Service, principal: Principal, key_id: str) -> Key:
    """Raises NotFound, also for a key that is none of the caller's business."""
    key = await service.run(service.verbs.key(key_id))
    if key is None or not _is_manageable(principal, key):
        raise _no_such_key()
    return key


def _no_such_key() -> NotFound:
    return NotFound("there is no key with this id")
