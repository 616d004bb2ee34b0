"""Claims: what a caller may take, and the leases as it gets to see them."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import msgspec

from tenure.core import access, defaults
from tenure.core.attempt import Holder
from tenure.core.claim import Ability
from tenure.core.errors import Forbidden, InvalidInput, UnknownKind
from tenure.core.job import Job
from tenure.core.kind import Kind
from tenure.core.payloads import paths
from tenure.core.principal import Principal
from tenure.edge import claims, tokens, words
from tenure.edge.jobs import ClaimedBody
from tenure.engine.claiming.claim_secrets import fresh_claim_id
from tenure.http.call import Call, Reply
from tenure.http.service import Service
from tenure.http.work.claiming import Caller, Haul
from tenure.http.work.taking import Wanted


async def claim(service: Service, call: Call) -> Reply:
    """Without `limit` one job, or 204; with it a list."""
    said: claims.Claim = call.body
    wanted = await wanted_of(service, call.principal, said)

    async def renewed() -> Wanted:
        return msgspec.structs.replace(await wanted_of(service, call.principal, said), claim_id=wanted.claim_id)

    left = asyncio.ensure_future(call.left())
    try:
        haul = await service.claiming.claim(wanted, said.wait, Caller(left, call.delivery), renewed)
    finally:
        left.cancel()
    if said.limit is not None:
        return Reply(body=answered(service, call.principal, wanted, haul))
    found = bodies(service, call.principal, wanted, haul.jobs)
    return Reply(body=found[0]) if found else Reply(status=204, is_held_back=haul.standing.is_held_back)


def answered(service: Service, principal: Principal, wanted: Wanted, haul: Haul) -> claims.ClaimedJobs:
    found, standing = bodies(service, principal, wanted, haul.jobs), haul.standing
    return claims.ClaimedJobs(
        claim_id=wanted.claim_id, jobs=found, held_back=standing.is_held_back, waits_for=standing.waits_for
    )


async def wanted_of(service: Service, principal: Principal, said: claims.Claim) -> Wanted:
    """The claim, if `principal` may make it: what is said is judged before anything is looked up.

    Raises Forbidden, InvalidInput, StoreError.
    """
    access.check_worker_name(principal, said.worker_id)
    _check_scope(principal, said)
    kinds = await _kinds(service, principal, said.types)
    return Wanted(
        claim_id=said.claim_id or fresh_claim_id(),
        repeats=said.claim_id is not None,
        worker=principal.name,
        holder=_holder(said.holder),
        abilities=_abilities(kinds.values(), said.versions or {}),
        queues=_queues(principal, said.queues, kinds.values()),
        tenants=None if principal.scope.tenants is None else tuple(sorted(principal.scope.tenants)),
        limit=1 if said.limit is None else said.limit,
        counts_jobs=said.limit is None,
        slots=said.slots or 0,
        heavy={name: kind.slots for name, kind in kinds.items() if kind.slots > 1},
        lease_seconds=said.lease_seconds,
        renews=said.queues is None,
    )


def bodies(service: Service, principal: Principal, wanted: Wanted, jobs: Sequence[Job]) -> list[ClaimedBody]:
    """A repeated claim may hold jobs of a wider scope that its worker once had: it does not see them any more."""
    return [
        ClaimedBody.of(
            job,
            principal,
            secret=None,
            lease_token=tokens.sealed(job.lease_token or "", principal, service.digest_key),
            fencing_token=job.fencing_token,
            lease_seconds=job.lease_seconds,
            must_end_at=job.must_end_at,
            tries_left=job.tries_left,
            slots=wanted.heavy.get(job.kind, 1),
        )
        for job in jobs
        if access.sees(principal, job)
    ]


def _check_scope(principal: Principal, said: claims.Claim) -> None:
    """Raises Forbidden, and InvalidInput for versions of what is not asked for."""
    kinds = [*_listed("types", said.types), *((paths.member("versions", name), name) for name in said.versions or ())]
    _check_each(kinds, lambda name: access.check_kind(principal, name))
    _check_each(_listed("queues", said.queues), lambda name: access.check_queue(principal, name))
    for name in said.versions or ():
        if said.types is not None and name not in said.types:
            raise InvalidInput(paths.member("versions", name), "is not among the types", code="unknown_member")


async def _kinds(service: Service, principal: Principal, types: Collection[str] | None) -> dict[str, Kind]:
    """The rows of the kinds that are asked for, in one order. Raises InvalidInput for one that is not known."""
    wanted = principal.scope.kinds if types is None else frozenset(types)
    known = await service.app.database.akinds(wanted)
    for place, name in enumerate(types or ()):
        if name not in known:
            raise words.renamed(UnknownKind(name), f"types[{place}]")
    return dict(sorted(known.items()))


def _abilities(kinds: Collection[Kind], versions: Mapping[str, Sequence[int]]) -> tuple[Ability, ...]:
    """Every version that is listed, or declared, by the highest of them."""
    able = []
    for kind in kinds:
        run = sorted(set(versions.get(kind.name, kind.versions)))
        able += [Ability(kind.name, version, run[-1]) for version in run]
    return tuple(able)


def _queues(principal: Principal, said: Sequence[str] | None, kinds: Collection[Kind]) -> tuple[str, ...]:
    """Those that are said, once each; else those of the kinds and the default one, as far as the scope goes, and the
    scope's own where none of them lies in it."""
    if said is not None:
        return tuple(dict.fromkeys(said))
    scope = principal.scope.queues
    usual = {defaults.QUEUE, *(kind.queue for kind in kinds)}
    return tuple(sorted(usual if scope is None else usual & scope or scope))


def _holder(said: claims.Holder | None) -> str | None:
    if said is None:
        return None
    return msgspec.json.encode(Holder(said.host, said.process, said.code_version)).decode()


def _check_each(places: Iterable[tuple[str, str]], check: Callable[[str], None]) -> None:
    """places: the field and the name that stands there. Raises Forbidden naming the field."""
    for where, name in places:
        try:
            check(name)
        except Forbidden as refusal:
            said = f"{name!r} is outside the scope of this credential"
            raise Forbidden(where, said, code=refusal.code) from None


def _listed(field: str, names: Sequence[str] | None) -> list[tuple[str, str]]:
    return [(f"{field}[{place}]", name) for place, name in enumerate(names or ())]
