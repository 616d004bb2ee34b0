"""Kinds: listed, declared as data, let go after a slowdown."""

from collections.abc import Collection
from typing import NamedTuple

from tenure.core import access, fields
from tenure.core.errors import Forbidden, InvalidInput, NotFound
from tenure.core.flow.pause import Pause
from tenure.core.job import Policy
from tenure.core.kind import Kind
from tenure.core.payloads import documents
from tenure.core.payloads.schema import SCHEMA_BYTES
from tenure.core.principal import Principal, Role
from tenure.edge import words
from tenure.edge.kinds import Cleared, KindBody, Kinds, SetKind
from tenure.edge.pauses import PauseBody, by_name
from tenure.http.call import Call, Reply
from tenure.http.paging import page
from tenure.http.service import Service
from tenure.operations.clear_slowdown import clear_slowdown as clearing
from tenure.operations.set_kind import set_kind as setting
from tenure.stores.protocol import Verbs
from tenure.stores.reading import Slowdown
from tenure.stores.script import Script


async def list_kinds(service: Service, call: Call) -> Reply:
    scope = call.principal.scope.kinds

    async def looked(after: str | None, most: int) -> list[_Looked]:
        return await service.run(_looked(service.verbs, scope, after, most))

    kinds, following = await page(
        looked,
        lambda row: _body(row, call.principal),
        lambda row: row.kind.name,
        call.query.cursor,
        call.query.limit,
    )
    return Reply(body=Kinds(kinds=kinds, next=following))


async def show_kind(service: Service, call: Call) -> Reply:
    name, scope = call.path["name"], call.principal.scope.kinds
    if scope is not None and name not in scope:
        raise _no_such_kind()
    found = await service.run(_looked(service.verbs, (name,), None, 1))
    if not found:
        raise _no_such_kind()
    return Reply(body=_body(found[0], call.principal))


async def set_kind(service: Service, call: Call) -> Reply:
    """The versions join those that were declared before, the rest is replaced."""
    name, said, principal = call.path["name"], call.body, call.principal
    _check_declaring(principal, name)
    access.check_queue(principal, said.queue)
    priority = fields.priority("priority", said.priority)
    access.check_priority(principal, priority)
    try:
        wanted = _row(name, said, priority)
        script = setting(
            service.verbs,
            wanted,
            who=principal.name,
            why=said.why,
            check_change=lambda: _check_changing(principal),
            keeps_limit=principal.role is Role.WORKER,
        )
        row = await service.run(script)
    except InvalidInput as error:
        raise words.spoken(error) from error
    service.app.database.known.note([row])
    found = await service.run(_looked(service.verbs, (name,), None, 1))
    return Reply(body=_body(found[0]._replace(kind=row), principal))


async def clear_slowdown(service: Service, call: Call) -> Reply:
    name, tenant = call.path["name"], call.query.tenant
    access.check_tenant(call.principal, tenant)
    access.check_kind(call.principal, name)
    access.check_reach(call.principal, "name", "queues")
    script = clearing(service.verbs, tenant, name, who=call.principal.name, why=call.query.why)
    cleared = await service.run(script)
    return Reply(body=Cleared(cleared=cleared))


def _check_declaring(principal: Principal, name: str) -> None:
    """A kind stands for every tenant and queue. A worker declares only kinds that its credential names, and those also
    where it works for some tenants alone, as long as nobody has declared them yet. Raises Forbidden."""
    access.check_kind(principal, name)
    if principal.role is not Role.WORKER:
        _check_changing(principal)
    elif principal.scope.kinds is None:
        raise Forbidden("name", "a worker declares only kinds that its credential names", code="kind_forbidden")


def _check_changing(principal: Principal) -> None:
    """Raises Forbidden."""
    access.check_reach(principal, "name", "tenants", "queues")


class _Looked(NamedTuple):
    """A kind, and what keeps its jobs from starting."""

    kind: Kind
    slowdowns: list[Slowdown]
    pause: Pause | None


def _looked(verbs: Verbs, names: Collection[str] | None, after: str | None, most: int) -> Script[list[_Looked]]:
    """Kinds of these names past one of them."""
    kinds = yield from verbs.kind_page(names, after, most)
    found = [kind.name for kind in kinds]
    slowdowns = yield from verbs.slowdowns(found)
    pauses = by_name((yield from verbs.pauses("kind", found)))
    return [_Looked(kind, [one for one in slowdowns if one.kind == kind.name], pauses.get(kind.name)) for kind in kinds]


def _no_such_kind() -> NotFound:
    return NotFound("there is no kind with this name")


def _row(name: str, said: SetKind, priority: int) -> Kind:
    """Raises InvalidInput."""
    base, cap = said.backoff
    return Kind(
        name=name,
        versions=said.versions,
        schema=None if said.schema is None else documents.dump("schema", said.schema, SCHEMA_BYTES),
        queue=said.queue,
        max_attempts=words.max_attempts(said.max_retries),
        run_time_limit=said.timeout,
        policy=Policy(
            base,
            cap,
            said.progress_timeout,
            said.effects,
            said.payload_retention,
            supersede_by=said.supersede_by,
            debounce=said.debounce,
            max_wait=said.max_wait,
            when_full=said.when_full,
            on_failure=said.on_failure,
        ),
        concurrency=said.concurrency,
        priority=priority,
        remedies=dict(said.remedies),
        secret=said.secret,
        secret_result=said.secret_result,
        slots=said.slots,
        uses=said.uses,
    )


def _body(looked: _Looked, principal: Principal) -> KindBody:
    tenants = principal.scope.tenants
    seen = [one for one in looked.slowdowns if tenants is None or one.tenant in tenants]
    return KindBody.of(looked.kind, seen, PauseBody.of(looked.pause, principal))
