"""Limits of steps: many in one line, each ended in its own time."""

import asyncio

import pytest

from tenure.http.deadlines import Deadlines, Limit


async def for_ever() -> None:
    await asyncio.Event().wait()


async def limited(deadlines: Deadlines, *seconds: float) -> None:
    with Limit(deadlines) as limit:
        for some in seconds:
            limit.allow(some)
        await for_ever()


def test_a_step_that_takes_too_long_is_ended() -> None:
    with pytest.raises(TimeoutError):
        asyncio.run(limited(Deadlines(), 0.01))


def test_the_last_word_counts() -> None:
    with pytest.raises(TimeoutError):
        asyncio.run(limited(Deadlines(), 3600.0, 0.01))


def test_each_loop_has_its_own_time() -> None:
    deadlines = Deadlines()
    for _ in range(2):
        with pytest.raises(TimeoutError):
            asyncio.run(limited(deadlines, 0.01))


def test_those_that_began_later_end_later() -> None:
    async def in_turn() -> list[int]:
        deadlines, ended = Deadlines(), list[int]()

        async def step(number: int) -> None:
            with pytest.raises(TimeoutError):
                await limited(deadlines, 0.01)
            ended.append(number)

        steps = []
        for number in range(3):
            steps.append(asyncio.create_task(step(number)))
            await asyncio.sleep(0.002)
        await asyncio.gather(*steps)
        return ended

    assert asyncio.run(in_turn()) == [0, 1, 2]


def test_a_step_that_ended_in_time_ends_nothing_later() -> None:
    async def two_steps() -> None:
        deadlines = Deadlines()
        with Limit(deadlines) as limit:
            limit.allow(0.01)
        with pytest.raises(TimeoutError):
            await limited(deadlines, 0.02)
        assert not limit.is_over

    asyncio.run(two_steps())


async def begun(seconds: float) -> tuple["asyncio.Task[None]", Limit]:
    made: list[Limit] = []

    async def step() -> None:
        with Limit(Deadlines()) as limit:
            made.append(limit)
            limit.allow(seconds)
            await for_ever()

    task = asyncio.create_task(step())
    await asyncio.sleep(0)
    return task, made[0]


def test_whoever_cancels_a_task_finds_it_cancelled() -> None:
    async def cancelled() -> None:
        task, limit = await begun(3600.0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not limit.is_over

    asyncio.run(cancelled())


def test_a_cancellation_that_comes_with_the_end_is_not_lost() -> None:
    async def both() -> None:
        task, limit = await begun(3600.0)
        limit.end()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert limit.is_over

    asyncio.run(both())
