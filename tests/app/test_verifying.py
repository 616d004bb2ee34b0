"""`verify=`: a job has succeeded when its task says so, before that is written, wherever the handler runs."""

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tenure import Context, Misconfigured, Retry, Snooze, Tenure, Terminal, Throttled
from tenure.core.states import State
from tenure.testing import adrain, drain


def is_whole(ctx: Context, result: Any) -> bool:
    return bool(result == {"job": ctx.job.id})


@pytest.mark.parametrize("whole", [True, False])
def test_the_verification_sees_context_and_result_and_decides(app: Tenure, whole: bool) -> None:
    @app.task(kind="make", verify=is_whole)
    def make(ctx: Context) -> dict[str, str]:
        return {"job": ctx.job.id if whole else "half"}

    make.enqueue()
    (ran,) = drain(app)
    assert (ran.outcome, ran.code) == (("succeeded", None) if whole else ("failed", "verification_failed"))


def test_a_handler_without_a_context_is_verified_too_by_an_async_function(app: Tenure) -> None:
    async def verify(ctx: Context, result: Any) -> bool:
        await asyncio.sleep(0)
        return bool(result == ctx.attempt.number)

    @app.task(kind="make", verify=verify, backoff=(0, 0))
    async def make() -> int:
        return 2

    make.enqueue()
    ran = asyncio.run(adrain(app, advance=True))
    assert [(one.outcome, one.code) for one in ran] == [("failed", "verification_failed"), ("succeeded", None)]


@pytest.mark.parametrize("isolation", ["thread", "process", "loop"])
@pytest.mark.parametrize("is_async", [False, True])
def test_it_is_asked_wherever_the_handler_runs(app: Tenure, isolation: Any, is_async: bool) -> None:
    async def on_loop() -> str:
        return "half"

    if isolation == "loop" and not is_async:
        pytest.skip("no def runs on the loop")
    app.task(kind="make", verify=is_whole, isolation=isolation)(on_loop if is_async else lambda: "half")
    app.enqueue("make")
    assert [ran.code for ran in drain(app)] == ["verification_failed"]


@pytest.mark.parametrize(
    ("raised", "code", "error_class", "state"),
    [
        (Terminal("not_there"), "verification_failed", "terminal", "failed"),
        (Retry("not_yet"), "verification_failed", "retryable", "scheduled"),
        (Throttled("slow_down"), "verification_failed", "throttled", "scheduled"),
        (AssertionError("no"), "verification_failed", "unknown", "scheduled"),
        (KeyError("row"), "verification_failed", "terminal", "failed"),
        (ConnectionError("db"), "verification_failed", "retryable", "scheduled"),
    ],
)
def test_what_it_raises_chooses_the_class(
    app: Tenure, raised: Exception, code: str, error_class: str, state: str
) -> None:
    def verify(ctx: Context, result: Any) -> None:
        raise raised

    @app.task(kind="make", verify=verify, terminal_on={KeyError: "no_row"})
    def make() -> None: ...

    job = make.enqueue()
    (ran,) = drain(app)
    store = app.opened()
    (attempt,) = store.run(store.verbs.attempts([job.id]))[job.id]
    assert (ran.code, attempt.error_class, ran.state) == (code, error_class, state)


def test_a_verification_may_find_that_it_is_too_early(app: Tenure) -> None:
    def verify(ctx: Context, result: Any) -> None:
        if ctx.attempt.number == 1:
            raise Snooze(60)

    @app.task(kind="make", verify=verify)
    def make() -> None: ...

    make.enqueue()
    assert [ran.outcome for ran in drain(app, advance=True)] == ["snoozed", "succeeded"]


@pytest.mark.parametrize("whole", [True, False])
def test_a_completion_in_the_handlers_transaction_is_verified_within_it(tmp_path: Path, whole: bool) -> None:
    seen: list[Any] = []

    def verify(ctx: Context, result: Any) -> bool:
        seen.append(result)
        return whole

    app = Tenure(f"sqlite:///{tmp_path / 't.db'}")
    app.open()
    connection = sqlite3.connect(tmp_path / "t.db", check_same_thread=False)
    connection.execute("CREATE TABLE domain (n INTEGER)")

    @app.task(kind="write", verify=verify)
    def write(ctx: Context) -> None:
        with connection:
            connection.execute("INSERT INTO domain VALUES (1)")
            ctx.complete(connection=connection, result=7)

    job = write.enqueue()
    (ran,) = drain(app)
    assert (ran.code, seen) == (None if whole else "verification_failed", [7])
    assert connection.execute("SELECT * FROM domain").fetchall() == ([(1,)] if whole else [])
    assert job.refresh().state is (State.SUCCEEDED if whole else State.SCHEDULED)
    connection.close()
    app.close()


def test_what_cannot_verify_is_refused_where_it_is_declared(app: Tenure) -> None:
    async def verify(ctx: Context, result: Any) -> bool:
        return True

    with pytest.raises(Misconfigured, match="async verify= needs an async def handler"):
        app.task(kind="make", verify=verify)(lambda: None)
    with pytest.raises(Misconfigured, match="verify"):
        app.task(kind="make", verify=3)(lambda: None)  # type: ignore[arg-type]
