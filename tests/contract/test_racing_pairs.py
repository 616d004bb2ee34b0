"""Two events that really race on one job end as one of their two documented orders does."""

from itertools import combinations_with_replacement

from tenure.core.states import State
from tests.conformance.asking import Ask
from tests.conformance.racing import race
from tests.contract.pairs import EVENTS, Stage
from tests.contract.test_pairs import documented

MOVES_THE_CLOCK = {"promote", "lease expires", "deadline passes"}
RACES = [
    (first, second)
    for first, second in combinations_with_replacement(EVENTS, 2)
    if not MOVES_THE_CLOCK & {first, second} and EVENTS[first][0] & EVENTS[second][0] - {State.BLOCKED}
]
ROUNDS = 3


def ends_by_pair() -> dict[tuple[str, str], str]:
    pairs = [(first, second) for first in EVENTS for second in EVENTS]
    return dict(zip(pairs, [row[4] for row in documented()], strict=True))


def start_of(first: str, second: str) -> State:
    suits_both = EVENTS[first][0] & EVENTS[second][0]
    return next(state for state in (State.READY, State.SCHEDULED, State.RUNNING, State.FAILED) if state in suits_both)


def test_racing_events_end_as_one_of_their_documented_orders(ask: Ask) -> None:
    told = ends_by_pair()
    for first, second in RACES * ROUNDS:
        stage = Stage(ask, start_of(first, second), deadline=False)
        race([lambda stage=stage, name=name: EVENTS[name][1](stage) for name in (first, second)])
        assert stage.end() in (told[first, second], told[second, first]), (first, second)
        stage.clear()
