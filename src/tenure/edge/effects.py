"""Effects and checkpoints in JSON: what is asked of them, and what is answered, by the role of who asks."""

from typing import Annotated, Any, Final, Literal, Self

from msgspec import UNSET, Meta, Raw, UnsetType

from tenure.core import defaults
from tenure.core.ledger import checkpoint
from tenure.core.ledger.effect import Effect
from tenure.core.principal import Detail, Principal
from tenure.core.secrecy.secret_fields import Hiding
from tenure.edge.body import Answer
from tenure.edge.jobs import raw, sealed_with
from tenure.edge.reports import Told
from tenure.edge.requests import Body, Why
from tenure.edge.scalars import CodeReported, Instant, Key, Name, Token, WordsReported

FINISHED_OTHERWISE: Final = "effect_already_finished"
"""The code where a call of the same attempt is known to have ended otherwise than it says now."""


class BeginEffect(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A worker wants to make a call outside.

    request_id: made for each call; the same one again is answered alike. args: any JSON; the same in every attempt.
    effect_key: a business key, for one effect over all jobs of the tenant. timeout: seconds that the call may take.
    idempotent: the outside honours the key. can_ask: the worker can ask the outside; after `ask` it begins again with
    `asked_of`, the request id that it was told, `answered`, and the `result` of what happened.
    """

    lease_token: Token
    worker_id: Name | None = None
    request_id: Key
    args: Any = None
    effect_key: Key | None = None
    timeout: Annotated[float, Meta(gt=0, le=86_400)] = defaults.EFFECT_TIMEOUT
    idempotent: bool = False
    can_ask: bool = False
    asked_of: Key | None = None
    answered: Literal["happened", "absent", "unknown"] | None = None
    result: Any = None


class FinishEffect(Told, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The call has come back, or not. The lease may have ended meanwhile. result: any JSON up to 64 KiB; of what is
    confirmed the code `effect_result_refused` says that there is one that cannot be kept.
    """

    lease_token: Token
    worker_id: Name | None = None
    request_id: Key
    state: Literal["confirmed", "uncertain", "absent"]
    result: Any = None
    code: CodeReported | None = None
    error: WordsReported = ""


class SettleEffect(Why, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """state: what an operator found out. effect_key: where the job has several effects of this name. result: what the
    call would have returned."""

    state: Literal["confirmed", "absent"]
    effect_key: Key | None = None
    result: Any = None


class SaveCheckpoint(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """value: any JSON up to 64 KiB, in the place of an earlier one."""

    lease_token: Token
    worker_id: Name | None = None
    value: Any


class EffectBody(Answer, frozen=True, kw_only=True):
    """One effect of a job. state: pending, confirmed, uncertain or absent.

    calls: how many were made under its key. settled_by: the call, reconcile, or an operator. What the caller's role may
    not see is left out; so are result and error of what another job did under a business key, where the caller may not
    see that job.
    """

    name: str
    state: str
    attempt: int
    fencing_token: int
    request_id: str
    calls: int
    started_at: Instant
    call_ends_by: Instant
    updated_at: Instant
    settled_at: Instant | None
    settled_by: str | None
    error_code: str | None
    key: str | UnsetType = UNSET
    shared_key: str | UnsetType | None = UNSET
    result: Raw | UnsetType | None = UNSET
    sealed_with: str | UnsetType = UNSET
    error: str | UnsetType | None = UNSET

    @classmethod
    def of(
        cls, effect: Effect, principal: Principal, *, of_visible_job: bool = True, hides: Hiding | None = None
    ) -> Self:
        """The effect as `principal` may see it. of_visible_job: whether the job that it is of lies in the scope. hides:
        what is hidden of its job."""
        if hides is not None:
            effect = hides.effect(effect)
        details: dict[str, Any] = {}
        if principal.sees(Detail.PAYLOAD):
            details.update(key=effect.key, shared_key=effect.shared_key)
        if principal.sees(Detail.PAYLOAD) and of_visible_job:
            details.update(result=raw(effect.result), sealed_with=sealed_with(effect.result))
        if principal.sees(Detail.ERROR) and of_visible_job:
            details["error"] = effect.error
        return cls(
            name=effect.name,
            state=effect.state.value,
            attempt=effect.attempt,
            fencing_token=effect.fencing_token,
            request_id=effect.request_id,
            calls=effect.tries,
            started_at=effect.started_at,
            call_ends_by=effect.call_ends_by,
            updated_at=effect.updated_at,
            settled_at=effect.settled_at,
            settled_by=effect.settled_by,
            error_code=effect.error_code,
            **details,
        )


class Effects(Answer, frozen=True, kw_only=True):
    """In the order of name and key. next: the cursor of the following page, null at the end; an effect that begins
    meanwhile can make one come twice, and none is left out."""

    effects: list[EffectBody]
    next: int | None = None


class EffectBegun(Answer, frozen=True, kw_only=True):
    """what: `call` it under the effect's key; `stored`, its result stands; `wait` so many seconds and snooze; `ask` the
    outside; `uncertain`, fail so; `needs_lease`, send a heartbeat and begin again; `spent`, as often as the job may try
    it was called already: fail for good. effect: null where there is none.
    """

    what: Literal["call", "stored", "wait", "ask", "uncertain", "needs_lease", "spent"]
    effect: EffectBody | None
    wait: float


class CheckpointBody(Answer, frozen=True, kw_only=True):
    """attempt: the number of the one that saved it. value: left out for a role that may not see it, and where it is
    encrypted and does not open here: then `sealed_with` is the id of its key."""

    name: str
    attempt: int
    fencing_token: int
    saved_at: Instant
    value: Annotated[Raw, Meta(extra_json_schema={})] | UnsetType = UNSET
    sealed_with: str | UnsetType = UNSET

    @classmethod
    def of(cls, saved: checkpoint.Checkpoint, principal: Principal, hides: Hiding | None = None) -> Self:
        """The checkpoint as `principal` may see it. hides: what is hidden of its job."""
        if hides is not None:
            saved = hides.checkpoint(saved)
        return cls(
            name=saved.name,
            attempt=saved.attempt,
            fencing_token=saved.fencing_token,
            saved_at=saved.saved_at,
            value=raw(saved.value) or UNSET if principal.sees(Detail.PAYLOAD) else UNSET,
            sealed_with=sealed_with(saved.value) if principal.sees(Detail.PAYLOAD) else UNSET,
        )


class Checkpoints(Answer, frozen=True, kw_only=True):
    """By name. next: the cursor of the following page, null at the end."""

    checkpoints: list[CheckpointBody]
    next: str | None = None
