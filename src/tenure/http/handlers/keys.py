"""API keys: made, listed, revoked."""

import secrets

from tenure.core import access, credentials, fields
from tenure.core.credentials import Key
from tenure.core.errors import NotFound
from tenure.edge import requests
from tenure.edge.answers import CreatedKey, KeyBody, Keys
from tenure.http.call import Call, Reply
from tenure.http.service import Service
from tenure.operations import create_key as creating
from tenure.operations import revoke_key as revoking


async def list_keys(service: Service, call: Call) -> Reply:
    return Reply(body=Keys(keys=[KeyBody.of(key) for key in await service.run(service.verbs.keys())]))


async def create_key(service: Service, call: Call) -> Reply:
    """The key is shown this once; only its hash is stored."""
    said: requests.CreateKey = call.body
    scope = access.scope_of(
        said.role, tenants=said.tenants, kinds=said.kinds, queues=said.queues, max_priority=said.max_priority
    )
    secret = secrets.token_bytes(credentials.SECRET_BYTES)
    until = fields.instant("expires_at", said.expires_at)
    made = await service.run(
        creating.create_key(service.verbs, said.name, said.role, scope, until, secret, who=call.principal.name)
    )
    return Reply(status=201, body=CreatedKey.of(made, key=credentials.text_of(secret)))


async def revoke_key(service: Service, call: Call) -> Reply:
    key: Key | None = await service.run(revoking.revoke_key(service.verbs, call.path["id"], who=call.principal.name))
    if key is None:
        raise NotFound("there is no key with this id")
    return Reply(body=KeyBody.of(key))
