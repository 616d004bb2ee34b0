"""The ledger of effects and the checkpoints, for workers in any language; settling, for operators."""

from typing import Any, Final

from tenure.core import access
from tenure.core.errors import Conflict, InvalidInput, LeaseLost, NotFound
from tenure.core.job import Job
from tenure.core.lease import hash_token
from tenure.core.ledger.effect import RESULT_REFUSED, Effect, EffectState, Said, of_unstorable_result
from tenure.core.ledger.effects import Begin, What, Wish
from tenure.core.ledger.reconciling import Happened, Reconciled, absent, unknown
from tenure.core.ledger.settling import BY_CALL, Settling
from tenure.core.payloads import documents
from tenure.core.principal import Detail
from tenure.core.secrecy.secret_fields import Hiding
from tenure.edge import tokens, words
from tenure.edge.effects import (
    FINISHED_OTHERWISE,
    BeginEffect,
    CheckpointBody,
    Checkpoints,
    EffectBegun,
    EffectBody,
    Effects,
    FinishEffect,
    SettleEffect,
)
from tenure.http.call import Call, Reply
from tenure.http.handlers.finding import refuse_token, visible, visible_ones
from tenure.http.hiding import hiding_from, hiding_of
from tenure.http.paging import page
from tenure.http.service import Service
from tenure.operations.begin_effect import begin_effect
from tenure.operations.finish_effect import finish_effect
from tenure.operations.save_checkpoint import save_checkpoint
from tenure.operations.settle_effect import settle_effect

_OTHER_ARGUMENTS: Final = (
    "The job is still yours: fail it with class terminal, or begin with the arguments of the first call."
)
_FINISHED: Final = "What the ledger holds stands; `GET /jobs/{id}/effects` tells it."


class EffectKnown(Conflict):
    """The ledger says otherwise already."""


async def list_effects(service: Service, call: Call) -> Reply:
    job = await visible(service, call.principal, call.path["id"])
    job_id, hides = job.id, await hiding_from(service, job, call.principal)

    async def placed(skip: int | None, most: int) -> list[tuple[int, Effect]]:
        """Each with the number of those up to it."""
        script = service.verbs.effect_page(job_id, skip or 0, most, results=call.principal.sees(Detail.PAYLOAD))
        found = await service.run(script)
        return list(enumerate(found, start=(skip or 0) + 1))

    effects, following = await page(
        placed,
        lambda row: EffectBody.of(row[1], call.principal, hides=hides),
        lambda row: row[0],
        call.query.cursor,
        call.query.limit,
    )
    return Reply(body=Effects(effects=effects, next=following))


async def begin(service: Service, call: Call) -> Reply:
    """What the worker has to do. 409 for a token that does not stand, and for other arguments under the key."""
    job, token = await _owned(service, call)
    job_id = job.id
    begun = await service.run(begin_effect(service.verbs, _wish(job_id, token, call)))
    match begun.what:
        case What.LOST:
            await refuse_token(service, call.principal, job_id)
        case What.CONFLICT:
            why = "the effect's key is on record with other arguments"
            raise _known(job_id, "effect_conflict", why, hint=_OTHER_ARGUMENTS)
    return Reply(body=await _begun(service, begun, call))


async def finish(service: Service, call: Call) -> Reply:
    """The effect after its call; 409 where another attempt has taken it over, or it is known to have ended
    otherwise."""
    job, token = await _owned(service, call)
    job_id, said = job.id, _said(call.body, await hiding_of(service, job))
    begun = await _on_record(service, job_id, call)
    ended = None if begun is None else await service.run(finish_effect(service.verbs, begun, token, said))
    if ended is None:
        await _refuse_finished(service, job_id, token, call)
        await refuse_token(service, call.principal, job_id)
    return Reply(body=EffectBody.of(ended, call.principal))


async def settle(service: Service, call: Call) -> Reply:
    """Raises Conflict for a call that may still be on its way, and for what is known already."""
    job_id = (await visible(service, call.principal, call.path["id"])).id
    body: SettleEffect = call.body
    script = settle_effect(
        service.verbs,
        job_id,
        call.path["name"],
        _found_out(body),
        who=call.principal.name,
        why=body.why,
        key=body.effect_key,
    )
    try:
        answer = await service.run(script)
    except InvalidInput as error:
        if error.field != "key":
            raise
        raise words.renamed(error, "effect_key") from error
    if answer.effect is None:
        raise NotFound("the job has no such effect")
    if answer.happened is not Settling.SETTLED:
        in_flight = answer.happened is Settling.IN_FLIGHT
        why = "its call may still be on its way" if in_flight else f"it is {answer.effect.state} already"
        raise _known(job_id, answer.happened.value, f"the effect cannot be settled: {why}")
    return Reply(body=EffectBody.of(answer.effect, call.principal))


async def list_checkpoints(service: Service, call: Call) -> Reply:
    job = await visible(service, call.principal, call.path["id"])
    hides = await hiding_from(service, job, call.principal)
    checkpoints, following = await page(
        lambda after, most: service.run(service.verbs.checkpoint_page(job.id, after, most)),
        lambda saved: CheckpointBody.of(saved, call.principal, hides),
        lambda saved: saved.name,
        call.query.cursor,
        call.query.limit,
    )
    return Reply(body=Checkpoints(checkpoints=checkpoints, next=following))


async def save(service: Service, call: Call) -> Reply:
    job, token = await _owned(service, call)
    job_id = job.id
    text = documents.dump("value", call.body.value)
    try:
        saved = await service.run(save_checkpoint(service.verbs, job_id, token, call.path["name"], text))
    except LeaseLost:
        await refuse_token(service, call.principal, job_id)
    return Reply(body=CheckpointBody.of(saved, call.principal))


async def _owned(service: Service, call: Call) -> tuple[Job, str]:
    """The job and the stored token, where the caller may see the job and the token was made for it."""
    access.check_worker_name(call.principal, call.body.worker_id)
    job = await visible(service, call.principal, call.path["id"])
    token = tokens.opened(call.body.lease_token, call.principal, service.digest_key)
    if token is None:
        await refuse_token(service, call.principal, job.id)
    return job, token.stored


async def _on_record(service: Service, job_id: str, call: Call) -> Effect | None:
    """The effect of the call that the request speaks of, while no later one has taken its place."""
    return await service.run(service.verbs.effect_of_call(job_id, call.path["name"], call.body.request_id))


async def _refuse_finished(service: Service, job_id: str, token: str, call: Call) -> None:
    """For a call that is this attempt's own, and of which something else is known. Raises EffectKnown."""
    row = await _on_record(service, job_id, call)
    if row is None or row.token_hash != hash_token(token) or row.state is EffectState.PENDING:
        return
    is_own_word = row.settled_by in (None, BY_CALL)
    why = f"reported {row.state.value}" if is_own_word else f"settled as {row.state.value} by {row.settled_by}"
    raise _known(job_id, FINISHED_OTHERWISE, f"this call was already {why}", hint=_FINISHED)


def _wish(job_id: str, token: str, call: Call) -> Wish:
    body: BeginEffect = call.body
    documents.dump("args", body.args)
    return Wish(
        job_id=job_id,
        token=token,
        name=call.path["name"],
        request_id=body.request_id,
        args=body.args,
        key=body.effect_key,
        timeout=body.timeout,
        idempotent=body.idempotent,
        can_ask=body.can_ask,
        asked_of=body.asked_of,
        answered=_answered(body),
    )


def _answered(body: BeginEffect) -> Reconciled | None:
    if body.answered is None:
        return None
    if body.asked_of is None:
        raise InvalidInput("asked_of", "is missing: which call was asked about", code="missing_member")
    if body.answered == "happened":
        return Happened(_text(body.result))
    return absent if body.answered == "absent" else unknown


def _text(result: Any) -> str | None:
    return None if result is None else documents.dump("result", result)


def _said(body: FinishEffect, hides: Hiding | None) -> Said:
    """A result that cannot be stored does not undo the effect; the worker may know so before us."""
    state = EffectState(body.state)
    if state is EffectState.CONFIRMED and body.code != RESULT_REFUSED:
        return _confirmed(body.result)
    if hides is None:
        return Said(state, None, body.code, body.error)
    return Said(state, None, None if body.code is None else hides.code(body.code), hides.said(body.error))


def _confirmed(result: Any) -> Said:
    try:
        return Said(EffectState.CONFIRMED, _text(result))
    except InvalidInput as error:
        return of_unstorable_result(error)


def _found_out(body: SettleEffect) -> Said:
    state = EffectState(body.state)
    if state is EffectState.ABSENT and body.result is not None:
        raise InvalidInput("result", "is said of an effect that is absent")
    return Said(state, _text(body.result))


async def _begun(service: Service, begun: Begin, call: Call) -> EffectBegun:
    row, body = begun.effect, None
    if row is not None:
        others = set() if row.job_id == call.path["id"] else {row.job_id}
        seen = await visible_ones(service, call.principal, others)
        body = EffectBody.of(row, call.principal, of_visible_job=others <= seen.keys())
    return EffectBegun(what=begun.what.value, effect=body, wait=begun.wait)  # type: ignore[arg-type]


def _known(job_id: str, code: str, why: str, hint: str = "") -> EffectKnown:
    error = EffectKnown(why, job_id)
    error.code, error.hint = code, hint  # type: ignore[misc]
    return error
