"""What comes next in a redrive: who is sent, what an outcome counts, when it stops. Pure decisions.

The order in which a step is decided:

1. settle what has ended since the last step
2. the stop rule: of the last outcomes too many are failures with one code
3. nothing waits and nothing is out: finished
4. send: the canary first, and the rest when every job of the canary has an outcome; never more without an outcome
   than the rule could judge, and of each kind and tenant no more than its pace
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from msgspec.structs import replace

from tenure.core import transitions
from tenure.core.job import Job
from tenure.core.redriving.redrivable import refusal
from tenure.core.redriving.redrive import (
    OVER,
    Frozen,
    FrozenState,
    Lane,
    Left,
    Redrive,
    RedriveEvent,
    RedriveState,
    left,
)
from tenure.core.states import TERMINAL, State
from tenure.core.transitions import Transition

BATCH: Final = 100
"""Jobs that one step sends, in one transaction."""

OUT_FOR_EACH_JUDGED: Final = 4
"""Jobs may be out without an outcome, so many times the outcomes that the stop rule looks at."""

_S, _E = RedriveState, RedriveEvent

TABLE: Final[dict[tuple[RedriveState, RedriveEvent], RedriveState]] = {
    (_S.FREEZING, _E.CANCEL): _S.CANCELLED,
    (_S.RUNNING, _E.PAUSE): _S.PAUSED,
    (_S.PAUSED, _E.RESUME): _S.RUNNING,
    (_S.STOPPED, _E.RESUME): _S.RUNNING,
    (_S.RUNNING, _E.CANCEL): _S.CANCELLED,
    (_S.PAUSED, _E.CANCEL): _S.CANCELLED,
    (_S.STOPPED, _E.CANCEL): _S.CANCELLED,
    (_S.RUNNING, _E.STOP): _S.STOPPED,
    (_S.RUNNING, _E.FINISH): _S.FINISHED,
    (_S.PAUSED, _E.FINISH): _S.FINISHED,
}
"""What may follow what, once it is frozen or before. Any other event changes nothing."""


# Moves of the redrive itself


def moved(redrive: Redrive, event: RedriveEvent, now: datetime) -> Redrive | None:
    """None: the table has no such move."""
    after = TABLE.get((redrive.state, event))
    if after is None:
        return None
    changed = replace(redrive, state=after, ended_at=now if after in OVER else None)
    if event is RedriveEvent.RESUME:
        return replace(changed, counts_from=now, stop_code=None, stop_reason=None)
    if event is RedriveEvent.CANCEL:
        return replace(changed, waiting=0, left_out=redrive.left_out + redrive.waiting, canary_open=0)
    return changed


def written(before: Redrive, after: Redrive, now: datetime) -> Redrive:
    """`after` as it is stored in the place of `before`."""
    return replace(after, revision=before.revision + 1, updated_at=now)


def judged(redrive: Redrive, last: Sequence[Frozen], now: datetime) -> Redrive:
    """Stopped, where of the last outcomes too many are failures with one code. last: those since `counts_from`.

    Few outcomes are weighed against the canary, so that the first failure of ten does not count for all of them.
    """
    recurring = Counter(row.code or "" for row in last if row.state is FrozenState.FAILED_AGAIN)
    if not recurring:
        return redrive
    code, failures = max(recurring.items(), key=lambda item: (item[1], item[0]))
    among = max(len(last), min(redrive.canary, redrive.stop_window))
    if failures <= redrive.stop_share * among:
        return redrive
    stopped = moved(redrive, RedriveEvent.STOP, now)
    if stopped is None:
        return redrive
    return replace(stopped, stop_code=code, stop_reason=f"{failures} of the last {among} outcomes failed with {code}")


def finished(redrive: Redrive, now: datetime) -> Redrive:
    """Finished, where nothing waits for its turn and nothing is out without an outcome."""
    if redrive.waiting or redrive.redriven:
        return redrive
    return moved(redrive, RedriveEvent.FINISH, now) or redrive


# Sending


def room(redrive: Redrive) -> int:
    """How many may be sent now; in the time of the canary only jobs of the canary."""
    if redrive.state is not RedriveState.RUNNING:
        return 0
    most_out = max(redrive.canary, redrive.stop_window * OUT_FOR_EACH_JUDGED)
    return max(0, min(BATCH, redrive.waiting, most_out - redrive.redriven))


def paced_over(pace: float) -> timedelta:
    """The length of time in which `paced_at_most` jobs of one kind and tenant are sent."""
    return timedelta(seconds=max(1.0, 1.0 / pace))


def paced_at_most(pace: float) -> int:
    return max(1, int(pace))


def by_pace(rows: Iterable[Frozen], sent: Mapping[Lane, int], pace: float, most: int) -> list[Frozen]:
    """Of `rows`, in their order, those whose kind and tenant has not had its share. sent: of the present length of
    time."""
    taken: list[Frozen] = []
    counts = Counter(sent)
    for row in rows:
        if len(taken) < most and counts[row.lane] < paced_at_most(pace):
            counts[row.lane] += 1
            taken.append(row)
    return taken


def over_pace(sent: Mapping[Lane, int], pace: float) -> set[Lane]:
    """The kinds and tenants that have had their share of the present length of time."""
    return {lane for lane, jobs in sent.items() if jobs >= paced_at_most(pace)}


def with_sent(sent: Mapping[Lane, int], rows: Iterable[Frozen]) -> dict[Lane, int]:
    """The counts once `rows` are sent too."""
    counts = Counter(sent)
    counts.update(row.lane for row in rows)
    return dict(counts)


def decided(
    row: Frozen, job: Job | None, redrive: Redrive, now: datetime, places: Mapping[str, int] | None = None
) -> Transition | Left:
    """What becomes of a job whose turn has come: the transition of a redrive, or why it is left. places: at the tails
    of their order keys, by job id."""
    if job is None:
        return Left.GONE
    if job.attempt != row.attempt:
        return Left.FAILED_AGAIN_MEANWHILE if job.state is State.FAILED else Left.NOT_FAILED
    refused = refusal(job)
    if refused is None and job.max_attempts == 1 and not redrive.single_attempts:
        return Left.SINGLE_ATTEMPT
    return refused or transitions.redrive(job, now, place=(places or {}).get(job.id)) or Left.NOT_FAILED


def sent(row: Frozen, now: datetime) -> Frozen:
    return replace(row, state=FrozenState.REDRIVEN, sent_at=now)


# Outcomes


def settled(row: Frozen, state: State | None, code: str | None, ended_at: datetime | None, now: datetime) -> Frozen:
    """A row that was sent, by how its job stands: state None is a job that is not there any more."""
    if state is None:
        return left(row, Left.GONE, now)
    if state not in TERMINAL:
        return row
    at = ended_at or now
    if state is State.CANCELLED:
        return left(row, Left.CANCELLED, at)
    if state is State.SUCCEEDED:
        return replace(row, state=FrozenState.SUCCEEDED, settled_at=at)
    return replace(row, state=FrozenState.FAILED_AGAIN, code=code, settled_at=at)


def counted(redrive: Redrive, before: Sequence[Frozen], after: Sequence[Frozen]) -> Redrive:
    """The counts once the rows `before` are as `after`, which stand in the same order."""
    counts = Counter({_COUNT[state]: getattr(redrive, _COUNT[state]) for state in FrozenState})
    canary_open = redrive.canary_open
    for was, now in zip(before, after, strict=True):
        counts[_COUNT[was.state]] -= 1
        counts[_COUNT[now.state]] += 1
        if was.is_canary and is_open(was) and not is_open(now):
            canary_open = max(0, canary_open - 1)
    return replace(redrive, canary_open=canary_open, **counts)


def is_open(row: Frozen) -> bool:
    """Whether it has no outcome yet."""
    return row.state in (FrozenState.WAITING, FrozenState.REDRIVEN)


_COUNT: Final = {
    FrozenState.WAITING: "waiting",
    FrozenState.REDRIVEN: "redriven",
    FrozenState.SUCCEEDED: "succeeded",
    FrozenState.FAILED_AGAIN: "failed_again",
    FrozenState.LEFT: "left_out",
}
