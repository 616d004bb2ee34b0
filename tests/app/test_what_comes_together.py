"""Coroutines that submit at the same moment travel together, and each hears of its own job."""

import asyncio
import gc
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tenure import KeyConflict, Tenure, TenureError
from tenure.app.submitting.rounds import Rounds
from tenure.stores.protocol import Channel
from tenure.stores.script import Script, T
from tenure.stores.sqlite import SqliteStore


class Counting(SqliteStore):
    """Counts the scripts of coroutines."""

    scripts = 0

    async def arun(
        self, script: Script[T], channel: Channel = "producer", *, abandoned: Callable[[T], object] | None = None
    ) -> T:
        self.scripts += 1
        return await super().arun(script, channel, abandoned=abandoned)


@pytest.fixture
def counting(tmp_path: Path) -> Iterator[Counting]:
    store = Counting(tmp_path / "tenure.db")
    store.open()
    yield store
    store.close()


@pytest.fixture
def app(counting: Counting) -> Tenure:
    app = Tenure()

    @app.task(kind="letter")
    def letter(number: int) -> None: ...

    app.use(counting)
    app.declare_kinds()
    return app


async def _submitted(app: Tenure, numbers: Sequence[int]) -> list[Any]:
    task: Any = app.tasks["letter"]
    asked = (task.using(idempotency_key=str(number // 2)).aenqueue(number=number // 3) for number in numbers)
    return await asyncio.gather(*asked, return_exceptions=True)


def test_the_first_goes_at_once_and_the_others_together(app: Tenure, counting: Counting) -> None:
    told = asyncio.run(_submitted(app, range(0, 40, 2)))
    assert [handle.created for handle in told] == [True] * 20
    assert counting.scripts == 2


def test_each_hears_its_own_verdict(app: Tenure) -> None:
    told = asyncio.run(_submitted(app, [0, 1, 2, 3]))
    assert [told[0].created, told[1].created, told[2].created] == [True, False, True]
    assert told[0].id == told[1].id
    assert isinstance(told[3], KeyConflict)


def test_every_event_loop_has_a_line_of_its_own(app: Tenure) -> None:
    told: list[Any] = []

    def produce(start: int) -> None:
        told.extend(asyncio.run(_submitted(app, range(start, start + 60, 2))))

    threads = [threading.Thread(target=produce, args=(1000 * nth,)) for nth in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [handle.created for handle in told] == [True] * 90


class Held:
    """Holds up what was sent until it is let go; `gate` lets so many rounds pass."""

    def __init__(self) -> None:
        self.gate, self.sent = asyncio.Semaphore(0), asyncio.Event()
        self.rounds: Rounds[int, int] = Rounds(self._send)

    async def _send(self, said: Sequence[int]) -> list[int]:
        self.sent.set()
        await self.gate.acquire()
        return [-number for number in said]

    async def begun(self, *numbers: int) -> list["asyncio.Task[int]"]:
        """The first is on its way, and the others stand in line."""
        asked = [asyncio.create_task(self.rounds.take(number)) for number in numbers]
        await self.sent.wait()
        await asyncio.sleep(0)
        return asked


def test_a_first_one_that_gives_up_leaves_nobody_standing() -> None:
    async def work() -> list[Any]:
        held = Held()
        asked = await held.begun(1, 2, 3)
        asked[0].cancel()
        held.gate.release()
        return await asyncio.gather(*asked, return_exceptions=True)

    told = asyncio.run(work())
    assert isinstance(told[0], asyncio.CancelledError)
    assert told[1:] == [-2, -3]


def test_when_a_round_is_cancelled_so_is_who_waits_for_it_and_who_comes_later_is_served() -> None:
    async def work() -> list[Any]:
        held = Held()
        asked = await held.begun(1, 2, 3)
        held.gate.release()
        await asked[0]
        (serving,) = held.rounds._serving
        serving.cancel()
        told = await asyncio.gather(*asked[1:], return_exceptions=True)
        held.gate.release()
        return [*told, await held.rounds.take(4)]

    told = asyncio.run(work())
    assert [type(one) for one in told[:2]] == [asyncio.CancelledError] * 2
    assert told[2] == -4


def test_an_error_out_of_a_round_is_let_go_by_who_raised_it() -> None:
    async def refuse(group: Sequence[int]) -> list[TenureError]:
        await asyncio.sleep(0)
        return [KeyConflict("it was used with other arguments", "") for _ in group]

    async def ask() -> list[KeyConflict | None]:
        rounds: Rounds[int, int] = Rounds(refuse)
        met: list[weakref.ref[KeyConflict]] = []

        async def one(number: int) -> None:
            try:
                await rounds.take(number)
            except KeyConflict as conflict:
                met.append(weakref.ref(conflict))

        await asyncio.gather(*map(one, range(3)))
        await asyncio.sleep(0)
        return [conflict() for conflict in met]

    gc.disable()
    try:
        assert asyncio.run(ask()) == [None] * 3
    finally:
        gc.enable()
