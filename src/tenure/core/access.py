"""Who may do what, where. Pure decisions; every refusal is a Forbidden.

A role says which actions a principal may take at all, its scope on which tenants, kinds, queues and up to which
priority (`core.principal`). The check of a call comes before any lookup, so that a refusal tells nothing of what is
stored.
"""

from typing import Final

from tenure.core import defaults, fields
from tenure.core.errors import Forbidden, InvalidInput
from tenure.core.flow.place import Place
from tenure.core.job import Job, WhenFull
from tenure.core.job_filter import JobFilter
from tenure.core.principal import ACTIONS, DIMENSIONS, Action, Dimension, Principal, Role, Scope

_EDGE: Final[dict[Dimension, str]] = {"queues": "queue", "kinds": "type", "tenants": "tenant"}
"""What a face calls one of them."""

_WIDER_CODES: Final = {
    "role": "role_forbidden",
    "tenants": "tenant_forbidden",
    "kinds": "kind_forbidden",
    "queues": "queue_forbidden",
    "max_priority": "priority_forbidden",
}


def check_action(principal: Principal, action: Action) -> None:
    """Raises Forbidden (`role_forbidden`)."""
    if not principal.may(action):
        words = action.value.replace("_", " ")
        hint = f"{words.capitalize()} needs {_listed([role.value for role in Role if action in ACTIONS[role]])}."
        raise Forbidden(None, f"the role {principal.role.value} may not {words}", code="role_forbidden", hint=hint)


def check_tenant(principal: Principal, tenant: str) -> None:
    """Raises Forbidden (`tenant_forbidden`)."""
    _check("tenant", tenant, principal.scope.tenants)


def check_kind(principal: Principal, kind: str) -> None:
    """Raises Forbidden (`kind_forbidden`)."""
    _check("type", kind, principal.scope.kinds)


def check_queue(principal: Principal, queue: str) -> None:
    """Raises Forbidden (`queue_forbidden`)."""
    _check("queue", queue, principal.scope.queues)


def check_priority(principal: Principal, priority: int) -> None:
    """Raises Forbidden (`priority_forbidden`)."""
    most = principal.scope.max_priority
    if priority > most:
        raise Forbidden(
            "priority",
            f"{fields.priority_label(priority)} is above {fields.priority_label(most)}, the highest of this credential",
            code="priority_forbidden",
        )


def check_when_full(principal: Principal, said: WhenFull | None, of_kind: WhenFull) -> None:
    """A capacity would bound nobody if each could say that his work must be done: the kind says so, or an admin.

    said: of one job; None: as its kind says. Raises Forbidden (`when_full_forbidden`).
    """
    if said == "accept" != of_kind and principal.role is not Role.ADMIN:
        hint = "Declare the kind with it (`tenure kinds set --when-full accept`), or say refuse or delay."
        raise Forbidden("when_full", "accept is not what the kind says", code="when_full_forbidden", hint=hint)


def check_reach(principal: Principal, field: str | None, *dimensions: Dimension) -> None:
    """For a change that acts on every tenant or queue, whichever it names: a credential of some of them may not make
    it.

    Raises Forbidden (`tenant_forbidden`, `queue_forbidden`).
    """
    for dimension in dimensions:
        if principal.scope.names(dimension) is not None:
            words = f"acts on all {dimension}, and this credential has not all of them"
            hint = f"Ask with a key made with `--{dimension} '*'`."
            raise Forbidden(field, words, code=_WIDER_CODES[dimension], hint=hint)


def check_whole(principal: Principal, place: Place) -> None:
    """For a change that acts on all jobs of a queue, kind or tenant, or of the whole store: the credential has it, and
    all of it. Raises Forbidden.
    """
    for dimension, name in _said_at(place):
        if name:
            _check(_EDGE[dimension], name, principal.scope.names(dimension))
    others = [dimension for dimension, name in _said_at(place) if not name]
    check_reach(principal, "name", *others)


def has_whole(scope: Scope, place: Place) -> bool:
    """Whether all jobs of the place lie in the scope."""
    return all(
        names is None or (name != "" and name in names)
        for names, name in ((scope.names(dimension), name) for dimension, name in _said_at(place))
    )


def _said_at(place: Place) -> tuple[tuple[Dimension, str], ...]:
    return ("queues", place.queue), ("kinds", place.kind), ("tenants", place.tenant)


def check_worker_name(principal: Principal, said: str | None) -> None:
    """A worker's name comes from its credential; what a body says is taken only when it is the same.

    Raises Forbidden (`worker_id_forbidden`).
    """
    if said is not None and said != principal.name:
        raise Forbidden("worker_id", "is not the name of this credential", code="worker_id_forbidden")


def tenant_for(principal: Principal, said: str | None) -> str:
    """The tenant of a new job: what is said, the default one, or the only one of the scope.

    Raises Forbidden; InvalidInput where the scope holds several and none is said.
    """
    tenants = principal.scope.tenants
    if said is None and tenants is not None and defaults.TENANT not in tenants:
        if len(tenants) > 1:
            raise InvalidInput("tenant", "is missing, and this credential has several", code="missing_member")
        said = next(iter(tenants))
    tenant = defaults.TENANT if said is None else said
    check_tenant(principal, tenant)
    return tenant


def sees(principal: Principal, job: Job) -> bool:
    """Whether the job lies in the scope. One that does not is answered as if it were not there."""
    scope = principal.scope
    return (
        (scope.tenants is None or job.tenant in scope.tenants)
        and (scope.kinds is None or job.kind in scope.kinds)
        and (scope.queues is None or job.queue in scope.queues)
    )


def covers(principal: Principal, which: JobFilter) -> bool:
    """Whether everything that is meant lies in the scope, whatever is stored."""
    for dimension in DIMENSIONS:
        own, meant = principal.scope.names(dimension), getattr(which, dimension)
        if own is not None and (meant is None or not own.issuperset(meant)):
            return False
    return True


def within(scope: Scope, *, tenant: str | None = None, kind: str | None = None, queue: str | None = None) -> JobFilter:
    """The jobs of the scope, or those of what is said of it. Raises Forbidden for what lies outside."""
    return JobFilter(
        tenants=_in_order(narrowed("tenant", scope.tenants, tenant)),
        kinds=_in_order(narrowed("type", scope.kinds, kind)),
        queues=_in_order(narrowed("queue", scope.queues, queue)),
    )


def narrowed(field: str, scope: frozenset[str] | None, said: str | None) -> frozenset[str] | None:
    """The values of one dimension that a list may show: the scope, or the one that is said if it lies inside.

    Raises Forbidden.
    """
    if said is None:
        return scope
    _check(field, said, scope)
    return frozenset({said})


def wider(maker: Principal, role: Role, scope: Scope) -> str | None:
    """In what a credential of this role and scope would open more than its maker may; None where it opens no more.

    Else an admin of one tenant would make itself an admin of all.
    """
    if not ACTIONS[role] <= ACTIONS[maker.role]:
        return "role"
    for field in DIMENSIONS:
        own, wanted = maker.scope.names(field), scope.names(field)
        if own is not None and (wanted is None or not wanted <= own):
            return field
    return "max_priority" if scope.max_priority > maker.scope.max_priority else None


def check_no_wider(maker: Principal, role: Role, scope: Scope) -> None:
    """Raises Forbidden naming in what the credential would open more than its maker may."""
    field = wider(maker, role, scope)
    if field is not None:
        raise Forbidden(field, "is more than this credential itself has", code=_WIDER_CODES[field])


def _check(field: str, said: str, allowed: frozenset[str] | None) -> None:
    if allowed is not None and said not in allowed:
        word = "kind" if field == "type" else field
        raise Forbidden(field, f"{said!r} is outside the scope of this credential", code=f"{word}_forbidden")


def _in_order(names: frozenset[str] | None) -> tuple[str, ...] | None:
    return None if names is None else tuple(sorted(names))


def _listed(names: list[str]) -> str:
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))
