"""Checkpoints: what one attempt hands on to the next."""

from typing import Any

import pytest

from tenure import (
    Context,
    InvalidInput,
    Tenure,
)
from tenure.testing import drain
from tests.app.effects.shop import told


@pytest.mark.parametrize("value", ["x" * 65_535, "\0", object()])
def test_a_checkpoint_that_cannot_be_stored_is_refused_at_the_call(stored: Tenure, value: Any) -> None:
    @stored.task(kind="parts")
    def parts(ctx: Context) -> Any:
        with pytest.raises(InvalidInput):
            ctx.checkpoint("next", value)
        return ctx.checkpoints()

    job = parts.enqueue()
    assert told(drain(stored)) == [("succeeded", None)]
    assert job.result(timeout=0) == {}


def test_checkpoints_are_read_by_the_next_attempt(app: Tenure) -> None:
    seen: list[Any] = []

    @app.task(kind="parts", max_attempts=3)
    def parts(ctx: Context) -> None:
        begin = ctx.checkpoint_value("next", 0)
        seen.append((begin, ctx.checkpoints()))
        ctx.checkpoint("next", begin + 47)
        assert ctx.checkpoint_value("next") == begin + 47
        if ctx.attempt.number < 3:
            raise ConnectionError

    parts.enqueue()
    drain(app, advance=True)
    assert seen == [(0, {}), (47, {"next": 47}), (94, {"next": 94})]


def test_checkpoints_have_async_twins(app: Tenure) -> None:
    @app.task(kind="parts")
    async def parts(ctx: Context) -> Any:
        await ctx.acheckpoint("a", {"sha": "1"})
        return [await ctx.acheckpoint_value("a"), await ctx.acheckpoints(), await ctx.acheckpoint_value("b", 7)]

    job = parts.enqueue()
    drain(app)
    assert job.result(timeout=0) == [{"sha": "1"}, {"a": {"sha": "1"}}, 7]
