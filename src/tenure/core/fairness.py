"""Whose turn it is. The order of a claim, in words and as a function.

A lane is (queue, priority, tenant, kind, version). A lane is open to a claim when the claim may take the tenant's
jobs, the worker can run its kind and version, the kind is not at its limit, its (tenant, kind) is not slowed down, and it holds a job to take. A ready
job whose deadline has passed is no such job: it never starts, the sweep ends it. One step of a claim, for `free`
slots:

1. Take the highest priority (below the last one) at which the queue has ready jobs.
2. Go round its tenants in code point order, starting after the cursor, and note those with an open lane, up to
   `free` of them.
3. Share the slots out: with T tenants, each gets free // T, the first free % T of them one more.
4. A tenant's share is filled from its open lanes, merged by (run_at, seq): its first job belongs to round 1, its
   second to round 2, and so on. Of a limited kind, no more are taken in all than it has room for, in the order of
   (round, turn); what is over is left out and not replaced in this step.
5. The cursor moves to the tenant after whom the next claim starts: to the one that was served last; where a
   limited kind left jobs out, to the first in turn, so that each tenant comes first in its time, and then no later
   step of this claim at this priority moves it again.

Steps are repeated: at the same priority when a limited kind left jobs out, or somebody's share was not filled while
another's was; else at the next lower priority; until the slots are full or the priorities are through.

The leases of a claim are answered step by step, in a step by (round, turn); the nth lease bears the nth token.

A claim for one job by its id takes it where it is ready in that queue, its lane is open and its kind has room. It takes
no turn of anybody, and moves no cursor.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

MORE: Final = "more"
"""A step's verdict: ask again at the same priority."""
LOWER: Final = "lower"
"""A step's verdict: nothing is left here for this worker, go on below."""


def circular(tenants: Iterable[str], after: str | None) -> list[str]:
    """`tenants` in code point order, starting with the first one past `after`, wrapping around."""
    ordered = sorted(tenants)
    if after is None:
        return ordered
    return [t for t in ordered if t > after] + [t for t in ordered if t <= after]


def shares(free: int, tenants: int) -> list[int]:
    """How many slots each of `tenants` gets, in turn order. Their sum is `free`."""
    each, rest = divmod(free, tenants)
    return [each + (1 if turn < rest else 0) for turn in range(tenants)]


def cursor(turns: Sequence[str], taken: Mapping[str, int], free: int, left_out: int = 0) -> str | None:
    """The tenant after whom the next claim starts; None when nothing was taken.

    turns: the tenants of step 2 in order. left_out: jobs that a limited kind had no room for. With a rest, the
    last tenant that got an extra slot was served last; without one, the last tenant of the round.
    """
    if not any(taken.values()):
        return None
    if left_out:
        return turns[0]
    rest = free % len(turns)
    return turns[rest - 1] if rest else turns[-1]


def verdict(turns: Sequence[str], taken: Mapping[str, int], free: int, left_out: int = 0) -> str:
    """MORE when a limited kind left jobs out while others may wait behind them, or when somebody filled a share
    (and may have more) while another did not; else LOWER."""
    if left_out and any(taken.values()):
        return MORE
    wanted = dict(zip(turns, shares(free, len(turns)), strict=True))
    filled = [t for t in turns if wanted[t] and taken.get(t, 0) >= wanted[t]]
    return MORE if filled and len(filled) < len([t for t in turns if wanted[t]]) else LOWER
