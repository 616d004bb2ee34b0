"""Room in a limit that an ended attempt leaves is told to who waits for it, and not where it is taken at once."""

from collections.abc import Collection

import pytest

from tenure.core.flow.place import EVERY_QUEUE, Place
from tenure.core.kind import Kind
from tenure.operations.set_limit import set_limit
from tests.conformance.asking import Ask, new
from tests.engine.troubled import Troubled
from tests.engine.workshop import Desk, succeeding


@pytest.fixture
def told(store: Troubled, monkeypatch: pytest.MonkeyPatch) -> list[set[str]]:
    """What is announced, time by time."""
    heard: list[set[str]] = []
    announce = store.announce

    def listening(queues: Collection[str]) -> None:
        heard.append(set(queues))
        announce(queues)

    monkeypatch.setattr(store, "announce", listening)
    return heard


def limited(ask: Ask, place: Place, concurrency: int) -> None:
    ask.run(set_limit(ask.verbs, place, concurrency, None, who="op"))


@pytest.mark.parametrize(
    ("place", "queue"),
    [(Place(queue="default"), "default"), (Place(kind="k"), EVERY_QUEUE), (Place(resource="smtp"), EVERY_QUEUE)],
)
def test_the_last_of_a_full_limit_frees_it_for_others(
    ask: Ask, store: Troubled, told: list[set[str]], place: Place, queue: str
) -> None:
    ask.run(ask.verbs.put_kinds([Kind(name="k", uses=("smtp",))], replace=True))
    limited(ask, place, 1)
    ask.enqueue(new())
    desk = Desk(store, slots=5, poll=60.0)
    desk.dispatcher.tick()
    desk.say(desk.started[0])
    desk.dispatcher.tick()
    assert told == [{queue}]


def test_room_that_the_same_worker_takes_again_is_told_to_nobody(
    ask: Ask, store: Troubled, told: list[set[str]]
) -> None:
    limited(ask, Place(queue="default"), 1)
    ask.enqueue(*[new() for _ in range(4)])
    desk = Desk(store, slots=5, poll=60.0)
    for done in range(3):
        desk.dispatcher.tick()
        desk.say(desk.started[done])
    desk.dispatcher.tick()
    assert (len(desk.started), told) == (4, [])


def test_the_end_of_a_job_whose_limit_was_not_full_is_told_to_nobody(
    ask: Ask, store: Troubled, told: list[set[str]]
) -> None:
    limited(ask, Place(queue="default"), 9)
    ask.enqueue(new(), new())
    desk = Desk(store, slots=5, poll=60.0)
    desk.dispatcher.tick()
    for run in desk.started:
        desk.say(run)
    desk.dispatcher.tick()
    assert (desk.dispatcher.done, told) == (2, [])


def test_another_worker_takes_freed_room_without_its_poll(ask: Ask, store: Troubled) -> None:
    """Two workers of two queues under one limit, and no poll for a minute: each goes on as soon as the other has
    ended."""
    for kind in ("x", "y"):
        ask.run(ask.verbs.put_kinds([Kind(name=kind, uses=("smtp",))], replace=True))
    limited(ask, Place(resource="smtp"), 1)
    ask.enqueue(new("x", queue="a"), new("y", queue="b"))
    first = Desk(store, slots=5, poll=60.0, queues=("a",), handlers=[succeeding("x")])
    second = Desk(store, slots=5, poll=60.0, queues=("b",), handlers=[succeeding("y")])
    first.dispatcher.tick()
    second.dispatcher.tick()
    assert (len(first.started), len(second.started)) == (1, 0)
    listener = store.listen(["b"])
    try:
        first.say(first.started[0])
        first.dispatcher.tick()
        assert listener.wait(20.0)
    finally:
        listener.close()
    second.claimer.hint()
    second.dispatcher.tick()
    assert len(second.started) == 1
