"""A poll over many queues costs one look, whoever else waits; nobody who does not wait stands behind those who do."""

import asyncio
from typing import Any

import pytest

from tenure.http.work import waiting
from tenure.http.work.lines import QUEUES_A_PASS
from tests.http.handlers.asking import ADMIN, WORKER, Asking, Said, gone_once_it_has_claimed, principal, until

MANY = [f"q{number:03}" for number in range(100)]


class Noted:
    """What was asked of the store, by the name of the verb and in its order; `claim` with its queue."""

    def __init__(self, ask: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
        self.verbs: list[str] = []
        self._service = ask.service
        kind = type(ask.service.verbs)
        for name in ("claim", "having_ready"):
            monkeypatch.setattr(kind, name, self._noting(name, getattr(kind, name)))

    def _noting(self, name: str, plain: Any) -> Any:
        def verb(its: Any, asked: Any) -> Any:
            self.verbs.append(f"claim {asked.queue}" if name == "claim" else name)
            return plain(its, asked)

        return verb

    def taken(self) -> list[str]:
        """What has come since the last time."""
        found, self.verbs = self.verbs, []
        return found


@pytest.fixture
def noted(ask: Asking, monkeypatch: pytest.MonkeyPatch) -> Noted:
    return Noted(ask, monkeypatch)


def poll(ask: Asking, number: int, queues: list[str], **said: Any) -> "asyncio.Task[Said]":
    who = principal("worker", f"w{number}")
    return asyncio.create_task(ask.asked(who, "claim", {"wait": 30, "queues": queues, "types": ["sum"], **said}))


async def home(ask: Asking, *polls: "asyncio.Task[Said]") -> list[Said]:
    ask.service.leaving.set()
    ended = await asyncio.gather(*polls)
    ask.service.leaving.clear()
    return ended


def test_a_claim_from_many_queues_is_one_look_and_one_claim_of_each_that_has_something(
    ask: Asking, noted: Noted
) -> None:
    said = {"queues": MANY, "types": ["sum"]}
    assert ask(WORKER, "claim", said).status == 204
    assert noted.taken() == ["having_ready"]
    ask(ADMIN, "enqueue", {"type": "sum", "queue": "q042"})
    assert ask(WORKER, "claim", said)["queue"] == "q042"
    assert noted.taken() == ["having_ready", "claim q042"]


def test_a_hint_of_one_queue_is_one_look_and_one_claim_by_those_who_want_it(
    ask: Asking, noted: Noted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "TICK", 600.0)

    async def work() -> Said:
        polls = [poll(ask, number, [f"{name}-{number}" for name in MANY]) for number in range(20)]
        await until(lambda: len(ask.service.waiting._groups) == 20)
        await until(lambda: noted.verbs.count("having_ready") > 20)  # The listener's own first hint has been heard.
        await asyncio.sleep(0.05)
        assert set(noted.taken()) == {"having_ready"}
        await ask.asked(ADMIN, "enqueue", {"type": "sum", "queue": "q007-3"})
        claimed = await polls[3]
        asked = noted.taken()
        assert [one for one in asked if one != "having_ready"] == ["claim q007-3"]
        assert len(asked) <= 3
        await home(ask, *(one for one in polls if not one.done()))
        return claimed

    assert ask.run(work())["queue"] == "q007-3"


def test_without_hints_one_look_serves_everybody_who_waits(
    ask: Asking, noted: Noted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "TICK", 0.05)
    monkeypatch.setattr(type(ask.service.store), "announce", lambda *_: None)
    asked_of: list[int] = []
    look = waiting.Waiting._ready

    async def looked(self: waiting.Waiting) -> set[str]:
        found = await look(self)
        asked_of.append(len(self._queues))
        return found

    monkeypatch.setattr(waiting.Waiting, "_ready", looked)

    async def work() -> None:
        polls = [poll(ask, number, [f"{name}-{number}" for name in MANY]) for number in range(20)]
        await until(lambda: len(ask.service.waiting._groups) == 20)
        noted.taken()
        asked_of.clear()
        await until(lambda: len(asked_of) == 4)
        assert 3 <= noted.taken().count("having_ready") <= 5
        assert asked_of == [2000] * 4
        await home(ask, *polls)

    ask.run(work())


def test_a_poll_whose_client_has_left_asks_no_further_queue(memory: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    noted = Noted(memory, monkeypatch)
    for queue in MANY[:5]:
        memory(ADMIN, "enqueue", {"type": "mail", "queue": queue})
    left = gone_once_it_has_claimed(memory, monkeypatch)
    said = {"wait": 30, "queues": MANY, "types": ["sum"]}
    assert memory(WORKER, "claim", said, left=left).status == 204
    assert len([one for one in noted.verbs if one.startswith("claim")]) == 1


def test_passes_beyond_those_that_may_be_on_their_way_wait_and_are_dropped_when_the_service_leaves(
    memory: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = asyncio.Event()
    inside = 0
    run = memory.service.run

    async def held(script: Any, *more: Any) -> Any:
        nonlocal inside
        inside += 1
        await gate.wait()
        return await run(script, *more)

    async def work() -> list[Said]:
        polls = [poll(memory, number, ["default"]) for number in range(30)]
        await until(lambda: memory.service.long_polls == 30)
        monkeypatch.setattr(memory.service, "run", held)
        more = [poll(memory, number, ["default"]) for number in range(30, 60)]
        await until(lambda: memory.service.long_polls == 60 and inside >= waiting.PASSES)
        await asyncio.sleep(0.02)
        assert inside <= waiting.PASSES + 1  # and the one look
        memory.service.leaving.set()
        gate.set()
        ended = await asyncio.gather(*polls, *more)
        assert inside <= waiting.PASSES + 1
        return ended

    assert [one.status for one in memory.run(work())] == [204] * 60


def test_a_pass_goes_over_a_few_queues_before_others_get_their_turn(
    memory: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Jobs that this poll cannot run are ready in all of its queues."""
    noted = Noted(memory, monkeypatch)
    parts: list[int] = []
    plain = waiting.Waiting._pass

    async def passed(self: waiting.Waiting, attempt: Any, queues: Any, is_over: Any) -> Any:
        parts.append(0 if queues is None else len(queues))
        return await plain(self, attempt, queues, is_over)

    monkeypatch.setattr(waiting.Waiting, "_pass", passed)
    monkeypatch.setattr(waiting, "TICK", 0.01)
    for queue in MANY[:25]:
        memory(ADMIN, "enqueue", {"type": "mail", "queue": queue})

    async def work() -> None:
        waiting_one = poll(memory, 1, MANY)
        await until(lambda: len(parts) >= 4)
        await home(memory, waiting_one)

    memory.run(work())
    assert parts[1:4] == [QUEUES_A_PASS, QUEUES_A_PASS, 5]
    assert {one for one in noted.verbs if one.startswith("claim")} == {f"claim {queue}" for queue in MANY[:25]}


def test_more_queues_than_may_be_waited_for_are_told_to_come_again(
    memory: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "MOST_QUEUES", 150)

    async def work() -> tuple[Said, list[Said]]:
        first = poll(memory, 1, MANY)
        await until(lambda: memory.service.long_polls == 1)
        refused = await poll(memory, 2, [f"other {name}" for name in MANY])
        same = poll(memory, 3, MANY)
        await until(lambda: memory.service.long_polls == 2)
        return refused, await home(memory, first, same)

    refused, ended = memory.run(work())
    assert (refused.status, refused["code"], refused["retry_after"]) == (429, "too_many_polls", 1.0)
    assert [one.status for one in ended] == [204, 204]
    assert not memory.service.waiting._queues


def test_the_queues_of_one_claim_are_bounded(memory: Asking) -> None:
    with pytest.raises(Exception, match="length <= 100"):
        memory(WORKER, "claim", {"queues": [*MANY, "one more"]})


def test_an_answer_holds_no_more_jobs_than_fit_and_the_next_claim_goes_on(ask: Asking) -> None:
    jobs = [{"type": "sum", "payload": {"x": "x" * 60_000}}] * 130
    assert ask(ADMIN, "enqueue_many", {"jobs": jobs}).status == 200
    taken = [len(ask(WORKER, "claim", {"limit": 1000})["jobs"]) for _ in range(3)]
    assert taken == [100, 30, 0]
    small = [{"type": "sum"}] * 250
    ask(ADMIN, "enqueue_many", {"jobs": small})
    assert len(ask(WORKER, "claim", {"limit": 1000})["jobs"]) == 250
