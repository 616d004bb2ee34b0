"""What a worker says of its attempts: that they live, and how they ended."""

import asyncio
from collections.abc import Sequence
from typing import Any

from msgspec import UNSET

from tenure.core import access, fields
from tenure.core import reports as core
from tenure.core.errors import InvalidInput
from tenure.core.lease import Beat, BeatAnswer
from tenure.core.principal import Principal
from tenure.core.reports import Report, Standing
from tenure.core.secrecy.secret_fields import NONE, Hiding
from tenure.edge import claims, tokens, words
from tenure.edge import reports as edge
from tenure.edge.jobs import ReportedBody
from tenure.http.call import Call, Reply
from tenure.http.handlers.claims import answered, wanted_of
from tenure.http.handlers.finding import no_such_job, refuse_token, visible_ones
from tenure.http.handlers.report_bodies import note_of, report_of
from tenure.http.hiding import hiding_by_id, secret_fields
from tenure.http.service import Service
from tenure.http.work.claiming import Caller, Taken
from tenure.operations.heartbeat import heartbeat as beat_of


async def heartbeat(service: Service, call: Call) -> Reply:
    access.check_worker_name(call.principal, call.body.worker_id)
    [answer] = await _beaten(service, call.principal, {call.path["id"]: call.body})
    if not answer.held:
        await refuse_token(service, call.principal, answer.job_id)
    return Reply(body=_beat(answer))


async def heartbeats(service: Service, call: Call) -> Reply:
    """An answer for each, in order; a lease that is not held is lost for good."""
    said: Sequence[edge.HeartbeatOf] = call.body.beats
    _check_worker_names(call.principal, "beats", said)
    ids = [fields.job_id(f"beats[{place}].id", one.id) for place, one in enumerate(said)]
    if len(set(ids)) < len(ids):
        raise InvalidInput("beats", "names a job twice")
    found = await _beaten(service, call.principal, dict(zip(ids, said, strict=True)))
    return Reply(body=edge.Beats(beats=[_beat(answer) for answer in found]))


async def end(service: Service, call: Call) -> Reply:
    """Complete, fail, release or snooze, by the shape of the body: the job after it, 409 for a token that does not
    stand, 200 again for a repeat."""
    job_id, principal = call.path["id"], call.principal
    access.check_worker_name(principal, call.body.worker_id)
    [token] = await _opened(service, principal, [(job_id, call.body.lease_token)])
    if token is None:
        await refuse_token(service, principal, job_id)
    hides = await _hiding(service, [(job_id, call.body)])
    taken = await service.reporting.take(report_of(job_id, token, call.body, hides.get(job_id)))
    answer = taken.answer
    if taken.job is None:
        raise no_such_job()
    if answer.standing is Standing.STALE or answer.outcome is None:
        await refuse_token(service, principal, job_id)
    repeated = answer.standing is Standing.REPEATED
    secret = (await secret_fields(service, [taken.job.kind])).get(taken.job.kind, NONE)
    body = ReportedBody.of(taken.job, principal, taken.last, secret=secret, repeated=repeated, outcome=answer.outcome)
    return Reply(body=body)


async def reports(service: Service, call: Call) -> Reply:
    """Ends of several attempts, an answer for each in order; then the next claim, which does not wait."""
    said: Sequence[edge.AnyReport] = call.body.reports
    _check_worker_names(call.principal, "reports", said)
    ids = [fields.job_id(f"reports[{place}].id", one.id) for place, one in enumerate(said)]
    opened = await _opened(
        service, call.principal, [(job_id, one.lease_token) for job_id, one in zip(ids, said, strict=True)]
    )
    hides = await _hiding(service, list(zip(ids, said, strict=True)))
    named = enumerate(zip(ids, opened, said, strict=True))
    made = [_made(place, job_id, token, one, hides.get(job_id)) for place, (job_id, token, one) in named]
    standing = [one for one in made if not isinstance(one, str)]
    taken, claimed = await _taken(service, call, standing)
    return Reply(body=edge.ReportsTaken(reports=await _told(service, call.principal, made, taken), claimed=claimed))


def _check_worker_names(principal: Principal, field: str, said: Sequence[Any]) -> None:
    for place, one in enumerate(said):
        with words.inside(f"{field}[{place}]"):
            access.check_worker_name(principal, one.worker_id)


async def _hiding(service: Service, said: Sequence[tuple[str, edge.Heartbeat | edge.AnyReport]]) -> dict[str, Hiding]:
    """What is hidden of the jobs of which something is told in words, by id."""
    return await hiding_by_id(service, (job_id for job_id, one in said if _has_words(one)))


def _has_words(said: Any) -> bool:
    return said.progress is not UNSET or isinstance(said, (edge.Fail, edge.Release))


def _made(place: int, job_id: str, token: str | None, said: edge.AnyReport, hides: Hiding | None) -> Report | str:
    """The report, or the job's id where the token does not open."""
    if token is None:
        return job_id
    with words.inside(f"reports[{place}]"):
        return report_of(job_id, token, said, hides)


async def _taken(service: Service, call: Call, said: Sequence[Report]) -> tuple[list[Taken], claims.ClaimedJobs | None]:
    claim: claims.Claim | None = call.body.claim
    if claim is None:
        return await service.reporting.take_many(said), None
    with words.inside("claim"):
        wanted = await wanted_of(service, call.principal, claim)
    left = asyncio.ensure_future(call.left())
    try:
        haul = await service.claiming.claim_after(said, wanted, Caller(left, call.delivery))
    finally:
        left.cancel()
    return haul.taken, answered(service, call.principal, wanted, haul)


async def _told(
    service: Service, principal: Principal, made: Sequence[Report | str], taken: Sequence[Taken]
) -> list[edge.Reported]:
    seen = await visible_ones(service, principal, {one for one in made if isinstance(one, str)})
    standing = iter(taken)
    told = []
    for one in made:
        if isinstance(one, str):
            state = seen[one].state if one in seen else None
            told.append(_reported(core.Answer(one, Standing.STALE if one in seen else Standing.UNKNOWN, state)))
            continue
        found = next(standing)
        is_seen = found.job is not None and access.sees(principal, found.job)
        told.append(_reported(found.answer if is_seen else core.Answer(one.job_id, Standing.UNKNOWN)))
    return told


def _reported(answer: core.Answer) -> edge.Reported:
    return edge.Reported(
        id=answer.job_id,
        standing=answer.standing,
        state=answer.state,
        status=None if answer.state is None else words.status_of(answer.state),
        outcome=answer.outcome,
        end_code=answer.end_code,
    )


async def _beaten(service: Service, principal: Principal, said: dict[str, edge.Heartbeat]) -> list[BeatAnswer]:
    """By job id, in order. Those whose token does not open are not asked for."""
    opened = await _opened(service, principal, [(job_id, one.lease_token) for job_id, one in said.items()])
    hides = await _hiding(service, list(said.items()))
    beats = [
        Beat(job_id, token, note_of(one.progress, hides.get(job_id)))
        for (job_id, one), token in zip(said.items(), opened, strict=True)
        if token is not None
    ]
    found = await service.run(beat_of(service.verbs, beats), "heartbeat") if beats else []
    by_id = {answer.job_id: answer for answer in found}
    return [by_id.get(job_id, BeatAnswer(job_id, held=False)) for job_id in said]


def _beat(answer: BeatAnswer) -> edge.Beat:
    return edge.Beat(
        id=answer.job_id,
        held=answer.held,
        lease_expires_at=answer.expires_at,
        cancel_requested=answer.cancel_requested,
    )


async def _opened(service: Service, principal: Principal, said: Sequence[tuple[str, str]]) -> list[str | None]:
    """The stored tokens in order; None where one is not the caller's, or its job does not lie in the scope any more.

    said: of each the job's id and the token.
    """
    opened = [tokens.opened(token, principal, service.digest_key) for _, token in said]
    pairs = [(job_id, one) for (job_id, _), one in zip(said, opened, strict=True)]
    seen = await visible_ones(service, principal, {job_id for job_id, one in pairs if one and not one.is_of_scope})
    return [one.stored if one and (one.is_of_scope or job_id in seen) else None for job_id, one in pairs]
