"""The ledger of outside effects: each is on record before its call, so that a crash leaves «unknown», never a second.

pending    committed before the call
confirmed  it happened; the result is kept
uncertain  it may have happened
absent     it is known not to have happened

How the next call of one effect is decided (`begin`), first match wins:

1. the job does not run under this token, or the lease has ended     LOST
2. this very call is on record, and only that answer was lost         CALL
3. no row, or absent                                                  CALL
4. the row was made with other arguments                              CONFLICT
5. confirmed                                                          STORED: nothing is called
6. the outside honours the key (idempotent)                           CALL, under the same key
7. the last call may still be on its way                              WAIT
8. the outside was asked, or can be                                   as it answered, or ASK
9. otherwise                                                          UNCERTAIN: for an operator

A CALL needs more of the lease than the call may take; with less of it the answer is NEEDS_LEASE. And it takes of the
job's tries: there are no more calls of one effect since the last redrive than the job has tries, not counting the
attempts that cost none. What is more is answered SPENT, or UNCERTAIN where a call may have happened.

A call that is repeated while nobody knows what became of the one before can tell that it happened, and never that it
did not: then the effect stays uncertain.
"""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

import msgspec

from tenure.core import defaults
from tenure.core.job import Job
from tenure.core.lease import hash_token
from tenure.core.ledger.effect import EARLIER_UNCLEAR, Effect, EffectState, Said, margin, over_at
from tenure.core.ledger.reconciling import Absent, Happened, Reconciled, Unknown
from tenure.core.ledger.settling import BY_RECONCILE, settled
from tenure.core.states import State


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt wants one effect. args: plain JSON. key: a business key; without it the job's own.

    answered: what the outside said of the call `asked_of`, a request id.
    """

    job_id: str
    token: str
    name: str
    request_id: str
    args: Any = None
    key: str | None = None
    timeout: float = defaults.EFFECT_TIMEOUT
    idempotent: bool = False
    can_ask: bool = False
    asked_of: str | None = None
    answered: Reconciled | None = None

    @property
    def can_settle(self) -> bool:
        """Whether a later attempt can find out by itself what became of the call."""
        return self.idempotent or self.can_ask


class What(StrEnum):
    """What an attempt has to do about an effect that it wants."""

    CALL = "call"
    STORED = "stored"
    WAIT = "wait"
    ASK = "ask"
    UNCERTAIN = "uncertain"
    CONFLICT = "conflict"
    LOST = "lost"
    NEEDS_LEASE = "needs_lease"
    SPENT = "spent"


class Begin(msgspec.Struct, frozen=True):
    """`effect` is the row as it must stand then, None where there is none. wait: seconds (WAIT)."""

    what: What
    effect: Effect | None = None
    wait: float = 0.0


def key_of(job_id: str, name: str, key: str | None) -> str:
    """The effect's key: the business key, or `<job id>:<name>`."""
    return f"{job_id}:{name}" if key is None else key


def holds(job: Job | None, token: str, now: datetime) -> bool:
    """Whether `token` owns the job under a lease that has not ended: more is asked than for a report."""
    if job is None or job.state is not State.RUNNING or job.lease_token != token:
        return False
    return job.lease_expires_at is not None and job.lease_expires_at > now


def begin(row: Effect | None, job: Job | None, wish: Wish, args_digest: str, now: datetime) -> Begin:
    """As the head of this module says."""
    if job is None or not holds(job, wish.token, now):
        return Begin(What.LOST, row)
    if row is not None and row.state is EffectState.PENDING and _is_repeat(row, wish):
        return Begin(What.CALL, row)
    if row is None or row.state is EffectState.ABSENT:
        return _call(row, job, wish, args_digest, now)
    if row.args_digest != args_digest:
        return Begin(What.CONFLICT, row)
    if row.state is EffectState.CONFIRMED:
        return Begin(What.STORED, row)
    if wish.idempotent:
        return _call(row, job, wish, args_digest, now, code=EARLIER_UNCLEAR)
    if now < over_at(row):
        return Begin(What.WAIT, row, (over_at(row) - now).total_seconds())
    return _settled_by_asking(row, job, wish, args_digest, now)


def _is_repeat(row: Effect, wish: Wish) -> bool:
    """Whether this very wish was written, and only its answer was lost."""
    return row.request_id == wish.request_id and row.token_hash == hash_token(wish.token)


def _call(row: Effect | None, job: Job, wish: Wish, args_digest: str, now: datetime, code: str | None = None) -> Begin:
    needs = timedelta(seconds=wish.timeout + margin(wish.timeout))
    if job.lease_expires_at is None or job.lease_expires_at - now <= needs:
        return Begin(What.NEEDS_LEASE, row)
    tries = _calls_so_far(row, job) + 1
    if tries > job.max_attempts + job.free_ends:
        return Begin(What.SPENT, row) if row is None or code is None else _given_up(row, job, wish, now)
    fresh = Effect(
        tenant=job.tenant,
        name=wish.name,
        key=key_of(job.id, wish.name, wish.key),
        job_id=job.id,
        kind=job.kind,
        attempt=job.attempt,
        fencing_token=job.fencing_token or 0,
        token_hash=hash_token(wish.token),
        args_digest=args_digest,
        state=EffectState.PENDING,
        request_id=wish.request_id,
        tries=tries,
        can_settle=wish.can_settle,
        started_at=now,
        call_ends_by=now + timedelta(seconds=wish.timeout),
        error_code=code,
        updated_at=now,
        revision=0 if row is None else row.revision + 1,
    )
    return Begin(What.CALL, fresh)


def _calls_so_far(row: Effect | None, job: Job) -> int:
    """Those that this job has made since its last redrive."""
    if row is None or row.job_id != job.id or row.attempt <= job.attempts_before_redrive:
        return 0
    return row.tries


def _settled_by_asking(row: Effect, job: Job, wish: Wish, args_digest: str, now: datetime) -> Begin:
    """What the outside answers counts for the call that it was asked about, and for no later one."""
    answer = wish.answered if wish.asked_of == row.request_id else None
    match answer:
        case Happened(result):
            said = Said(EffectState.CONFIRMED, result)
            return Begin(What.STORED, _taken(settled(row, said, BY_RECONCILE, now), job, wish))
        case Absent():
            return _call(row, job, wish, args_digest, now)
        case None if wish.can_ask:
            return Begin(What.ASK, row)
        case None | Unknown():
            return _given_up(row, job, wish, now)


def _given_up(row: Effect, job: Job, wish: Wish, now: datetime) -> Begin:
    said = Said(EffectState.UNCERTAIN, error_code=row.error_code, error=row.error)
    unknown = msgspec.structs.replace(settled(row, said, None, now), can_settle=wish.can_settle)
    return Begin(What.UNCERTAIN, _taken(unknown, job, wish))


def _taken(effect: Effect, job: Job, wish: Wish) -> Effect:
    """The row, now this attempt's: no earlier one writes to it any more."""
    return msgspec.structs.replace(
        effect,
        job_id=job.id,
        kind=job.kind,
        attempt=job.attempt,
        fencing_token=job.fencing_token or 0,
        token_hash=hash_token(wish.token),
    )


def shared(row: Effect, job: Job, wish: Wish, now: datetime) -> Effect | None:
    """What stands in a job's own list for the row of a business key that another job confirmed; None: it is its own."""
    if row.job_id == job.id:
        return None
    own = msgspec.structs.replace(row, key=key_of(job.id, wish.name, None), result=None, shared_key=row.key)
    return _taken(msgspec.structs.replace(own, updated_at=now, revision=0), job, wish)
