"""Whose turn it is. The order of a claim, in words and as functions.

A lane is (queue, priority, tenant, kind, version). A lane is open to a claim when the claim may take the tenant's
jobs, the worker can run its kind and version, neither its queue nor its kind nor its tenant is paused, its (tenant,
kind) is not slowed down, each of its limits (`core.flow.limits`) has room, and it holds a job to take. A ready job
whose deadline has passed is no such job: it never starts, the sweep ends it. One step of a claim, for `free` slots:

1. Take the highest priority (below the last one) at which the queue has ready jobs.
2. Go round its tenants in code point order, starting after the cursor, and note those with an open lane, up to
   `free` of them. Where the cursor's tenant is owed slots of its turn, it comes first.
3. Deal the slots out in rounds: in each round a tenant gets as many as its weight, 1 unless somebody has said more;
   one that is owed some gets those before the first round, and comes last in each.
4. A tenant's slots are filled from its open lanes, merged by (run_at, seq). Where a limit has no room for a job, it is
   left out and its slot stays empty in this step; it is the order of the slots that decides whose room it is. A job
   that takes several slots of the worker takes those of the last in turn; where too few are free, the claim ends before
   it (`core.flow.choosing`).
5. The cursor moves to the tenant whose slot was the last, with what it is still owed of its turn; where a limit left
   jobs out, to the first in turn, so that each tenant comes first in its time; where room is kept for a job, to the
   tenant before that job's. Then no later step of this claim at this priority moves it on to another.

Steps are repeated: at the same priority when a limit left jobs out, or somebody's slots were not filled while another's
were; else at the next lower priority; until the slots are full or the priorities are through.

The leases of a claim are answered step by step, in a step in the order of its slots; the nth lease bears the nth token.

In a queue with a relief (`core.flow.relief`) the slots of a claim are filled in parts, each of them by these steps.

A claim for one job by its id takes it where it is ready in that queue, its lane is open and its limits have room. It
takes no turn of anybody, and moves no cursor.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, cycle, islice
from typing import Final, NamedTuple

MORE: Final = "more"
"""A step's verdict: ask again at the same priority."""
LOWER: Final = "lower"
"""A step's verdict: nothing is left here for this worker, go on below."""

WEIGHTS: Final = (1, 1000)
"""The least and the greatest weight of a tenant."""

_NONE: Final[Mapping[str, int]] = {}


class Cursor(NamedTuple):
    """after: the tenant whose slot was the last. owed: slots of its turn that it has not had."""

    after: str
    owed: int = 0


def circular(tenants: Iterable[str], after: str | None, owed: int = 0) -> list[str]:
    """`tenants` in code point order, starting with the first one past `after` (with itself where it is owed slots),
    wrapping around."""
    ordered = sorted(tenants)
    if after is None:
        return ordered
    first = [t for t in ordered if t > after or (owed and t == after)]
    return first + ordered[: len(ordered) - len(first)]


def slots(turns: Sequence[str], free: int, weights: Mapping[str, int] = _NONE, owed: int = 0) -> list[str]:
    """Whose each of the `free` slots is, in order. weights: of tenants that have another than 1.

    owed: slots of the first tenant before the first round.
    """
    if not weights and not owed:
        return list(islice(cycle(turns), free))
    order = _in_rounds(turns, owed)
    rounds = [tenant for tenant in order for _ in range(weights.get(tenant, 1))]
    return list(islice(chain([turns[0]] * owed, cycle(rounds)), free))


def shares(free: int, tenants: int) -> list[int]:
    """How many of the slots each tenant gets, in turn order, where all weigh the same."""
    each, rest = divmod(free, tenants)
    return [each + (1 if turn < rest else 0) for turn in range(tenants)]


def cursor(
    turns: Sequence[str],
    taken: Mapping[str, int],
    free: int,
    left_out: int = 0,
    weights: Mapping[str, int] = _NONE,
    owed: int = 0,
    dealt: int | None = None,
) -> Cursor | None:
    """Where the next claim starts; None when nothing was taken.

    turns: the tenants of step 2 in order. taken: jobs by tenant. left_out: jobs for which a limit had no room. dealt:
    of `core.flow.choosing`.
    """
    if not any(taken.values()) or dealt == 0:
        return None
    if dealt is not None:
        free, left_out = dealt, 0
    if left_out:
        first = turns[0]
        turn, had = owed or weights.get(first, 1), taken.get(first, 0)
        return Cursor(first, max(0, turn - had) if had else 0)
    if free <= owed:
        return Cursor(turns[0], owed - free)
    return _last(_in_rounds(turns, owed), free - owed, weights)


def verdict(
    turns: Sequence[str],
    taken: Mapping[str, int],
    free: int,
    left_out: int = 0,
    weights: Mapping[str, int] = _NONE,
    owed: int = 0,
) -> str:
    """MORE when a limit left jobs out while others may wait behind them, or when somebody filled all its slots (and may
    have more) while another did not; else LOWER."""
    if left_out and any(taken.values()):
        return MORE
    wanted = Counter(slots(turns, free, weights, owed)) if weights or owed else _equal(turns, free)
    filled = [t for t, share in wanted.items() if share and taken.get(t, 0) >= share]
    return MORE if filled and len(filled) < sum(share > 0 for share in wanted.values()) else LOWER


def _in_rounds(turns: Sequence[str], owed: int) -> list[str]:
    """The order of a round: who has had slots before it comes last."""
    return [*turns[1:], turns[0]] if owed else list(turns)


def _last(order: Sequence[str], dealt: int, weights: Mapping[str, int]) -> Cursor:
    """Where the rounds stop after so many slots."""
    rest = dealt % sum(weights.get(tenant, 1) for tenant in order)
    if not rest:
        return Cursor(order[-1])
    for tenant in order:
        rest -= weights.get(tenant, 1)
        if rest <= 0:
            return Cursor(tenant, -rest)
    raise AssertionError("a rest is less than a round")


def _equal(turns: Sequence[str], free: int) -> dict[str, int]:
    return dict(zip(turns, shares(free, len(turns)), strict=True))
