"""Long polls: woken by hints, one attempt at a time, bounded, and over when the client leaves or the service drains."""

import asyncio
from typing import Any

import pytest

from tenure.core.errors import StoreUnavailable
from tenure.http.work import waiting
from tests.http.handlers.asking import ADMIN, WORKER, Asking, Said, principal, until


async def poll(ask: Asking, number: int = 0, **said: Any) -> Said:
    return await ask.asked(principal("worker", f"w{number}"), "claim", {"wait": 30, **said})


def test_a_waiting_claim_takes_what_comes(ask: Asking) -> None:
    async def work() -> tuple[Said, Said]:
        waiting_one = asyncio.create_task(poll(ask))
        await until(lambda: ask.service.long_polls == 1)
        job = await ask.asked(ADMIN, "enqueue", {"type": "sum"})
        return job, await waiting_one

    job, claimed = ask.run(work())
    assert claimed["id"] == job["id"]
    assert ask.service.long_polls == 0


def test_everybody_who_waits_gets_one_of_a_batch(ask: Asking) -> None:
    async def work() -> list[Said]:
        polls = [asyncio.create_task(poll(ask, number)) for number in range(10)]
        await until(lambda: ask.service.long_polls == 10)
        await ask.asked(ADMIN, "enqueue_many", {"jobs": [{"type": "sum"}] * 10})
        return await asyncio.gather(*polls)

    told = ask.run(work())
    assert len({one["id"] for one in told}) == 10


def in_line(ask: Asking) -> int:
    return sum(len(group._line) for group in ask.service.waiting._groups.values())


def test_a_hint_makes_one_attempt_for_all_who_can_take_the_same(memory: Asking) -> None:
    attempts = 0

    async def attempt(*_: Any) -> list[Any]:
        nonlocal attempts
        attempts += 1
        return []

    async def work() -> None:
        left: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        service = memory.service
        polls = [asyncio.create_task(service.waiting.wait("group", ["default"], attempt, 30, left)) for _ in range(20)]
        await until(lambda: in_line(memory) == 20 and service.waiting._hints > 0)  # the listener's own
        before = attempts
        service.store.announce(["default"])
        await until(lambda: attempts > before)
        assert attempts <= before + 2
        left.set_result(None)
        assert await asyncio.gather(*polls) == [[]] * 20

    memory.run(work())


def test_those_who_wait_are_served_in_the_order_in_which_they_came(memory: Asking) -> None:
    async def work() -> list[Said]:
        polls = []
        for number in range(3):
            polls.append(asyncio.create_task(poll(memory, number)))
            await until(lambda number=number: in_line(memory) == number + 1)
        await memory.asked(ADMIN, "enqueue", {"type": "sum"})
        await until(lambda: any(one.done() for one in polls))
        assert [one.done() for one in polls] == [True, False, False]
        for _ in range(2):
            await memory.asked(ADMIN, "enqueue", {"type": "sum"})
        return await asyncio.gather(*polls)

    assert [one["worker_id"] for one in memory.run(work())] == ["w0", "w1", "w2"]


def test_a_poll_ends_after_its_wait(memory: Asking) -> None:
    assert memory(WORKER, "claim", {"wait": 0.05}) == Said(204, None)
    assert memory(WORKER, "claim", {"wait": 0.05, "limit": 3})["jobs"] == []


def test_a_poll_ends_at_once_when_its_client_leaves(memory: Asking) -> None:
    gone = asyncio.Event()

    async def work() -> Said:
        task = asyncio.create_task(
            memory.asked(principal("worker", "w"), "claim", {"wait": 30}, left=lambda: _wait(gone))
        )
        await until(lambda: memory.service.long_polls == 1)
        gone.set()
        await until(task.done)
        return task.result()

    assert memory.run(work()).status == 204
    assert memory.service.long_polls == 0


async def _wait(event: asyncio.Event) -> None:
    await event.wait()


def test_polls_end_at_once_when_the_service_drains(memory: Asking) -> None:
    async def work() -> tuple[list[Said], Said]:
        polls = [asyncio.create_task(poll(memory, number)) for number in range(3)]
        await until(lambda: memory.service.long_polls == 3)
        memory.service.leaving.set()
        late = asyncio.create_task(poll(memory))
        await until(lambda: all(one.done() for one in [*polls, late]))
        return [one.result() for one in polls], late.result()

    ended, late = memory.run(work())
    assert [one.status for one in [*ended, late]] == [204] * 4


def test_more_polls_than_may_be_open_are_told_to_come_again(memory: Asking) -> None:
    memory.service.waiting._most = 2

    async def work() -> Said:
        polls = [asyncio.create_task(poll(memory, number)) for number in range(2)]
        await until(lambda: memory.service.long_polls == 2)
        refused = await poll(memory, 3)
        memory.service.leaving.set()
        await asyncio.gather(*polls)
        return refused

    refused = memory.run(work())
    assert (refused.status, refused["code"], refused["retry_after"]) == (429, "too_many_polls", 1.0)


def test_while_the_database_is_away_everybody_who_waits_is_told(
    memory: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "TICK", 0.01)

    async def away(*_: Any) -> Any:
        raise StoreUnavailable("away")

    async def work() -> list[Said]:
        polls = [asyncio.create_task(poll(memory, number, types=["sum"])) for number in range(3)]
        await until(lambda: memory.service.long_polls == 3 and memory.service.waiting._groups)
        monkeypatch.setattr(memory.service, "run", away)
        return await asyncio.gather(*polls)

    assert [one.status for one in memory.run(work())] == [503] * 3


def test_without_hints_a_poll_looks_by_itself(memory: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "TICK", 0.01)
    monkeypatch.setattr(type(memory.service.store), "announce", lambda *_: None)

    async def work() -> Said:
        task = asyncio.create_task(poll(memory))
        await until(lambda: memory.service.waiting._groups)
        await memory.asked(ADMIN, "enqueue", {"type": "sum"})
        return await task

    assert memory.run(work()).status == 200


def test_a_poll_that_is_repeated_gets_what_it_holds_at_once(memory: Asking) -> None:
    memory(ADMIN, "enqueue", {"type": "sum"})
    first = memory(WORKER, "claim", {"claim_id": "c"})
    assert memory(WORKER, "claim", {"claim_id": "c", "wait": 30})["lease_token"] == first["lease_token"]
