"""Advance a redrive by one step, in one transaction: freeze a page, or settle, judge, send. The steps are those of
`core.redriving.redrives`."""

from datetime import datetime
from typing import Final

import msgspec

from tenure.core.redriving import redrives
from tenure.core.redriving.redrive import Frozen, Lane, Left, Redrive, RedriveState, left
from tenure.core.switch import REDRIVES
from tenure.core.transitions import Transition
from tenure.operations.audit import of_job, of_redrive
from tenure.operations.freeze_redrive import freeze_redrive
from tenure.operations.order import tails, written
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script

SETTLE: Final = 500
"""Outcomes that one step takes."""

REDRIVER: Final = "redriver"
"""Who stops and finishes redrives, in the audit."""


class Advanced(msgspec.Struct, frozen=True):
    """redrive: as it stands now, None where there is none. more: whether another step has something to do at once.

    has_ended: whether this step stopped or finished it. queues: whose workers have something to do.
    """

    redrive: Redrive | None
    more: bool = False
    has_ended: bool = False
    queues: frozenset[str] = frozenset()


def advance_redrive(verbs: Verbs, redrive_id: str) -> Script[Advanced]:
    """Safe from any number of redrivers: whoever comes second finds the row as the first has left it."""
    held = yield from verbs.hold_redrive(redrive_id)
    before, now = held.redrive, held.now
    if before is None:
        return Advanced(None)
    if before.state is RedriveState.FREEZING:
        return Advanced((yield from freeze_redrive(verbs, before, now)), more=True)
    redrive, settled = yield from _settle(verbs, before, now)
    redrive = yield from _judge(verbs, redrive, now)
    sent: tuple[Transition, ...] = ()
    if settled < SETTLE:
        redrive, sent = yield from _send(verbs, redrive, now)
    redrive = redrives.finished(redrive, now)
    if redrive == before:
        return Advanced(before)
    after = redrives.written(before, redrive, now)
    yield from verbs.write_redrive(before, after)
    has_ended = after.state is not before.state
    if has_ended:
        yield from verbs.audit(of_redrive(after, REDRIVER, _ENDED[after.state], detail=after.stop_reason or ""))
    queues = frozenset(move.after.queue for move in sent)
    return Advanced(after, settled == SETTLE or len(sent) == redrives.BATCH, has_ended, queues)


_ENDED: Final = {RedriveState.STOPPED: "stop_redrive", RedriveState.FINISHED: "finish_redrive"}


def _settle(verbs: Verbs, redrive: Redrive, now: datetime) -> Script[tuple[Redrive, int]]:
    """Takes the outcomes of jobs that have ended; how many it took."""
    if not redrive.redriven:
        return redrive, 0
    ends = yield from verbs.ended_in_redrive(redrive.id, SETTLE)
    before = [end.row for end in ends]
    after = [redrives.settled(end.row, end.state, end.code, end.ended_at, now) for end in ends]
    if after:
        yield from verbs.write_frozen(after)
    return redrives.counted(redrive, before, after), len(ends)


def _judge(verbs: Verbs, redrive: Redrive, now: datetime) -> Script[Redrive]:
    if redrive.state is not RedriveState.RUNNING or not redrive.failed_again:
        return redrive
    last = yield from verbs.outcomes_of_redrive(redrive.id, redrive.counts_from, redrive.stop_window)
    return redrives.judged(redrive, last, now)


def _send(verbs: Verbs, redrive: Redrive, now: datetime) -> Script[tuple[Redrive, tuple[Transition, ...]]]:
    """Sends the next ones, each under its lock and only if it is as it was frozen; else it is left."""
    if not redrives.room(redrive) or (yield from verbs.read_switch(REDRIVES)) is not None:
        return redrive, ()
    rows = yield from _next(verbs, redrive, now)
    if not rows:
        return redrive, ()
    locked = yield from verbs.lock([row.job_id for row in rows])
    places = yield from tails(verbs, list(locked.jobs.values()))
    verdicts = [redrives.decided(row, locked.jobs.get(row.job_id), redrive, locked.now, places) for row in rows]
    moves = tuple(verdict for verdict in verdicts if isinstance(verdict, Transition))
    applied = (yield from written(verbs, moves)).applied
    after = [_after(row, verdict, applied, locked.now) for row, verdict in zip(rows, verdicts, strict=True)]
    yield from verbs.write_frozen(after)
    sent = tuple(move for move in moves if move.after.id in applied)
    for move in sent:
        job = move.before
        detail = f"after {job.end_code}, attempt {job.attempt}, by redrive {redrive.id}"
        yield from verbs.audit(of_job(job, redrive.who, "redrive", redrive.why, detail))
    return redrives.counted(redrive, rows, after), sent


def _next(verbs: Verbs, redrive: Redrive, now: datetime) -> Script[list[Frozen]]:
    """Whose turn it is: the lanes that may take no more are left out, until the rest fills the step or is through."""
    room = redrives.room(redrive)
    counts = dict((yield from verbs.sent_in_redrive(redrive.id, now - redrives.paced_over(redrive.pace))))
    closed = yield from _closed(verbs)
    rows: list[Frozen] = []
    while len(rows) < room:
        closed |= redrives.over_pace(counts, redrive.pace)
        seen = {row.place for row in rows}
        waiting = yield from verbs.waiting_in_redrive(
            redrive.id, canary_only=redrive.canary_open > 0, closed=closed, limit=room + len(rows)
        )
        fresh = [row for row in waiting if row.place not in seen]
        taken = redrives.by_pace(fresh, counts, redrive.pace, room - len(rows))
        if not taken:
            break
        rows += taken
        counts = redrives.with_sent(counts, taken)
    return rows


def _closed(verbs: Verbs) -> Script[set[Lane]]:
    """Tenants and kinds whose jobs are held back now: nothing is sent to where it would only wait."""
    return {(slowdown.tenant, slowdown.kind) for slowdown in (yield from verbs.slowdowns())}


def _after(row: Frozen, verdict: Transition | Left, applied: set[str], now: datetime) -> Frozen:
    if isinstance(verdict, Left):
        return left(row, verdict, now)
    return redrives.sent(row, now) if row.job_id in applied else left(row, Left.NOT_FAILED, now)
