"""A handler that uses Tenure's own helpers in a way that cannot work fails at once, and is told what to call."""

import sqlite3
from collections.abc import Callable
from contextlib import closing, contextmanager
from typing import Any

import pytest

from tenure import Context, Tenure
from tenure.core.errors import Misconfigured
from tenure.testing import drain

HANDLERS: dict[str, Callable[[Context, Any], Any]] = {
    "complete": lambda ctx, connection: ctx.acomplete(connection=connection),
    "checkpoint": lambda ctx, connection: ctx.acheckpoint("n", 1, connection=connection),
}


class AsyncSession:
    """Like one of SQLAlchemy, by which it is known."""


@pytest.mark.parametrize("verb", HANDLERS)
def test_a_connection_of_the_other_kind_ends_the_job_and_names_the_verb_that_was_meant(app: Tenure, verb: str) -> None:
    async def handler(ctx: Context) -> None:
        with closing(sqlite3.connect(":memory:")) as connection:
            await HANDLERS[verb](ctx, connection)

    app.task(kind="act", max_attempts=4)(handler)
    job = app.enqueue("act")
    (ran,) = drain(app)
    row = job.refresh().row
    assert (ran.outcome, ran.code, row.state) == ("failed", "misconfigured", "failed")
    assert f"Call `{verb}`, or pass an async connection." in (row.error or "")


def test_a_sync_verb_names_its_async_twin(app: Tenure, monkeypatch: pytest.MonkeyPatch) -> None:
    from tenure.stores import connections

    monkeypatch.setattr(connections, "_ASYNC", ((lambda known: isinstance(known, AsyncSession), None),))
    session = AsyncSession()

    @contextmanager
    def opening() -> Any:
        yield session

    said: list[str] = []

    @app.task(kind="act")
    def act(ctx: Context) -> None:
        for call in (
            lambda: ctx.complete(connection=session),
            lambda: ctx.checkpoint("n", 1, connection=session),
            lambda: ctx.transaction("write", opening, lambda connection: None),
            lambda: app.enqueue("act", connection=session),
            lambda: app.enqueue_many([app.item("act"), app.item("act")], connection=session),
        ):
            with pytest.raises(Misconfigured) as refused:
                call()
            said.append(refused.value.hint)

    act.enqueue()
    drain(app)
    verbs = ("acomplete", "acheckpoint", "atransaction", "aenqueue", "aenqueue_many")
    assert said == [f"Call `{verb}`, or pass a sync connection." for verb in verbs]
