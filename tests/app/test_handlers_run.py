"""A task as the engine runs it: the payload read again, the context, the result, the classes of errors."""

import asyncio
import logging
import sqlite3
import time as clocks
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tenure import Cancel, Context, InvalidInput, LeaseLost, Misconfigured, Snooze, State, Tenure, TooLarge
from tenure.app.databases.knowledge import FRESH
from tenure.app.handling.ledger import StoreLedger
from tenure.core.attempt import ErrorClass
from tenure.core.payloads import documents
from tenure.core.reports import Completion
from tenure.engine.attempts.run import Run, StopReason
from tenure.testing import FakeClock, drain
from tenure.testing.draining import Hand


def running(app: Tenure) -> Run:
    """One claimed attempt, not reported yet."""
    lease = Hand(app, advance=False).next()
    assert lease is not None
    return Run(lease, clocks.monotonic())


def test_the_context_tells_job_attempt_and_tries(app: Tenure) -> None:
    seen: list[Any] = []

    @app.task(kind="look", version=4, queue="q", max_attempts=2)
    def look(ctx: Context, n: int) -> None:
        job, attempt = ctx.job, ctx.attempt
        seen.append((job.kind, job.version, job.queue, job.tenant, job.priority, job.tags, job.payload))
        seen.append((attempt.number, attempt.fencing_token > 0, ctx.tries_left, ctx.cancel_requested))
        seen.append(job.id)
        raise ValueError("again")

    job = look.using(tenant="acme", priority=3, tags=["t"]).enqueue(n=1)
    drain(app, advance=True)
    facts = ("look", 4, "q", "acme", 3, ("t",), {"n": 1})
    assert seen == [facts, (1, True, 2, False), job.id, facts, (2, True, 1, False), job.id]


def test_progress_is_kept_and_bounded(app: Tenure) -> None:
    job = app.tasks["letter"].enqueue(to="ada")
    run = running(app)
    context = Context(run, StoreLedger(app.opened(), run.lease))
    context.progress({"page": 3})
    assert run.progress == '{"page":3}'
    with pytest.raises(TooLarge, match="progress"):
        context.progress("x" * 2000)
    store = app.opened()
    store.run(store.verbs.complete([Completion(job.id, run.lease.token, None, run.progress)]))
    assert store.run(store.verbs.attempts([job.id]))[job.id][0].progress == '{"page":3}'


@pytest.mark.parametrize(
    ("reason", "error"),
    [
        (StopReason.CANCELLED, Cancel),
        (StopReason.LEASE_LOST, LeaseLost),
        (StopReason.SHUTDOWN, asyncio.CancelledError),
        (StopReason.TIMED_OUT, asyncio.CancelledError),
    ],
)
def test_a_safe_point_raises_what_the_reason_asks_for(
    app: Tenure, reason: StopReason, error: type[BaseException]
) -> None:
    app.tasks["letter"].enqueue(to="ada")
    run = running(app)
    context = Context(run, StoreLedger(app.opened(), run.lease))
    context.raise_if_cancelled()
    run.stop(reason)
    assert context.cancel_requested
    assert context.wait_stop(60)
    with pytest.raises(error):
        context.raise_if_cancelled()


def test_the_log_names_job_and_attempt(app: Tenure, caplog: pytest.LogCaptureFixture) -> None:
    @app.task(kind="talk")
    def talk(ctx: Context) -> None:
        ctx.log.warning("page %d", 7, extra={"more": 1})

    job = talk.enqueue()
    with caplog.at_level(logging.WARNING, "tenure.job"):
        drain(app)
    record = caplog.records[0]
    assert record.getMessage() == f"[job {job.id} attempt 1] page 7"
    assert (record.job_id, record.attempt, record.more) == (job.id, 1, 1)  # type: ignore[attr-defined]


def test_a_payload_that_no_longer_fits_fails_for_good(app: Tenure) -> None:
    @app.task(kind="narrow")
    def narrow(n: int) -> None: ...

    item = narrow.item(n=1)
    app.enqueue_many([msgspec.structs.replace(item, text='{"n":"one"}')])
    ran = drain(app)
    assert [(one.code, one.state) for one in ran] == [("invalid_payload", State.FAILED)]
    assert ran[0].error is not None
    assert "payload.n" in ran[0].error


def test_an_older_version_is_upgraded_before_it_runs() -> None:
    old, new, seen = Tenure("memory://"), Tenure("memory://"), []
    old.task(kind="k", version=1)(_named_n)

    @new.task(kind="k", version=3, reads={1: lambda payload: {"total": payload["n"]}})
    def k(total: int) -> None:
        seen.append(total)

    new.use(old.opened())
    job = old.enqueue("k", {"n": 5})
    drain(new)
    store = old.opened()
    attempt = store.run(store.verbs.attempts([job.id]))[job.id][0]
    assert seen == [5]
    assert (attempt.version, attempt.ran_version) == (1, 3)


def _named_n(n: int) -> None: ...


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (object(), "result_not_json"),
        ("x" * 70_000, "result_too_large"),
        (float("nan"), "result_number_out_of_range"),
        ("\0", "result_nul_character"),
    ],
)
def test_a_result_that_cannot_be_stored_ends_the_job_and_the_work_is_not_run_again(
    app: Tenure, value: Any, code: str
) -> None:
    @app.task(kind="makes")
    def makes() -> Any:
        return value

    job = makes.enqueue()
    ran = drain(app, advance=True)
    assert [(one.code, one.state) for one in ran] == [(code, State.FAILED)]
    assert job.refresh().row.attempt == 1


def test_errors_are_classed_by_what_the_task_declares(app: Tenure) -> None:
    class Bounced(OSError):
        pass

    @app.task(kind="send", retry_on={OSError: "post_office"}, terminal_on={Bounced: "bounced"})
    def send(error: int) -> None:
        raise [OSError, Bounced, ConnectionResetError, TimeoutError, ValueError][error]

    classify = app.handlers()[-1].classify
    assert classify is not None
    assert classify(OSError()) == (ErrorClass.RETRYABLE, "post_office")
    assert classify(Bounced()) == (ErrorClass.TERMINAL, "bounced")
    assert classify(ConnectionResetError()) == (ErrorClass.RETRYABLE, "connection_error")
    assert classify(TimeoutError()) == (ErrorClass.RETRYABLE, "timeout")
    assert classify(ValueError()) is None


def test_a_snoozed_job_comes_again_and_spends_no_try(app: Tenure, time: FakeClock) -> None:
    start = time()

    @app.task(kind="sleepy", max_attempts=1)
    def sleepy() -> str:
        if time() == start:
            raise Snooze(30)
        return "awake"

    job = sleepy.enqueue()
    assert [ran.outcome for ran in drain(app, advance=True)] == ["snoozed", "succeeded"]
    assert (time() - start).total_seconds() == 30
    assert job.refresh().row.snoozes == 1


def test_handlers_run_where_their_declaration_says() -> None:
    app = Tenure("memory://")

    async def on_loop() -> None: ...
    def in_thread() -> None: ...
    def in_child() -> None: ...

    app.task()(on_loop)
    app.task()(in_thread)
    app.task(isolation="process", memory=1 << 30, cpu=5.0, progress_timeout=9)(in_child)
    by_kind = {handler.kind: handler for handler in app.handlers()}
    assert [by_kind[name].isolation for name in ("on_loop", "in_thread", "in_child")] == ["loop", "thread", "process"]
    child = by_kind["in_child"]
    assert (child.limits.memory, child.limits.cpu, child.progress_timeout) == (1 << 30, 5.0, 9.0)


def with_domain(path: Path) -> tuple[Tenure, sqlite3.Connection]:
    """An application, and a connection of the user's to the same file with a table of theirs."""
    app = Tenure(f"sqlite:///{path}")
    app.open()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE letters (text TEXT)")
    connection.commit()
    return app, connection


def test_a_job_completed_in_the_handlers_own_transaction_succeeds_with_it(tmp_path: Path) -> None:
    app, connection = with_domain(tmp_path / "t.db")

    @app.task(kind="write")
    def write(ctx: Context, text: str) -> None:
        with connection:
            connection.execute("INSERT INTO letters VALUES (?)", (text,))
            ctx.complete(connection=connection, result={"wrote": text})

    job = write.enqueue(text="dear ada")
    assert [(ran.outcome, ran.state) for ran in drain(app)] == [("succeeded", State.SUCCEEDED)]
    assert job.result(timeout=0) == {"wrote": "dear ada"}
    assert connection.execute("SELECT * FROM letters").fetchall() == [("dear ada",)]
    connection.close()
    app.close()


def test_a_completion_that_is_rolled_back_leaves_the_job_to_be_tried_again(tmp_path: Path) -> None:
    app, connection = with_domain(tmp_path / "t.db")

    @app.task(kind="write")
    def write(ctx: Context) -> None:
        connection.execute("INSERT INTO letters VALUES ('never')")
        ctx.complete(connection=connection)
        connection.rollback()

    job = write.enqueue()
    assert [ran.code for ran in drain(app)] == ["completion_rolled_back"]
    assert job.refresh().state is State.SCHEDULED
    assert connection.execute("SELECT * FROM letters").fetchall() == []
    connection.close()
    app.close()


def test_completing_a_job_that_another_attempt_owns_raises_lease_lost(tmp_path: Path) -> None:
    app, connection = with_domain(tmp_path / "t.db")
    app.task(kind="write")(_named_n)
    job = app.enqueue("write", {"n": 1})
    run = running(app)
    store = app.opened()
    store.run(store.verbs.complete([Completion(job.id, run.lease.token)]))
    connection.execute("INSERT INTO letters VALUES ('never')")
    with pytest.raises(LeaseLost):
        Context(run, StoreLedger(store, run.lease)).complete(connection=connection)
    connection.rollback()
    assert connection.execute("SELECT * FROM letters").fetchall() == []
    assert not run.completed_elsewhere
    connection.close()
    app.close()


def test_an_enqueue_in_the_callers_transaction_stands_and_falls_with_it(tmp_path: Path) -> None:
    app, connection = with_domain(tmp_path / "t.db")
    task = app.task(kind="write")(_named_n)
    inside = task.using(connection=connection)
    rolled_back = inside.enqueue(n=1)
    connection.rollback()
    assert app.get(rolled_back.id) is None
    committed = inside.enqueue(n=1)
    connection.commit()
    assert app.get(committed.id) is not None
    store = app.opened()
    assert set(store.run(store.verbs.kinds())) == {"write"}
    connection.close()
    app.close()


def test_a_kind_that_a_callers_transaction_wrote_is_seen_by_a_later_look(tmp_path: Path) -> None:
    app, connection = with_domain(tmp_path / "t.db")
    inside = app.task(kind="write")(_named_n).using(connection=connection)
    inside.enqueue(n=1)
    connection.commit()
    assert app.database.known.misses("write", 1)
    app.database.known.looked -= FRESH
    inside.enqueue(n=2)
    assert not app.database.known.misses("write", 1)
    connection.close()
    app.close()


def test_every_digit_of_a_long_number_reaches_the_handler(app: Tenure) -> None:
    number = 10**307 + 1
    job = app.enqueue("sum", {"numbers": [number, 1]})
    drain(app)
    assert job.result(timeout=0) == number + 1
    assert documents.load(job.row.payload or "") == {"numbers": [number, 1]}


def test_a_result_is_checked_like_a_payload() -> None:
    with pytest.raises(InvalidInput):
        Tenure("memory://").task(kind="k")(_named_n).enqueue(n="1")


def test_a_type_that_cannot_be_resolved_is_told_when_the_task_is_declared() -> None:
    def handler(value: "Nowhere") -> None: ...  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(Misconfigured, match="Nowhere"):
        Tenure("memory://").task()(handler)


def test_the_context_may_be_imported_for_checkers_only() -> None:
    scope: dict[str, Any] = {}
    exec("def handler(c: 'Context', n: 'int') -> 'int': return c.attempt.number + n", scope)
    app = Tenure("memory://")
    task = app.task(kind="k")(scope["handler"])
    job = task.enqueue(n=1)
    drain(app)
    assert job.result(timeout=0) == 2


def test_a_def_handler_is_refused_on_the_event_loop(app: Tenure) -> None:
    with pytest.raises(Misconfigured, match="isolation='loop' needs an async def handler"):

        @app.task(kind="blocking", isolation="loop")
        def blocking() -> None: ...


def test_an_async_handler_in_a_thread_has_a_loop_of_its_own(app: Tenure) -> None:
    @app.task(kind="apart", isolation="thread")
    async def apart() -> int:
        await asyncio.sleep(0)
        return 7

    apart.enqueue()
    handler = next(handler for handler in app.handlers() if handler.kind == "apart")
    assert (handler.isolation, handler.call(running(app))) == ("thread", "7")


def test_a_task_without_parentheses_is_told_to_take_them(app: Tenure) -> None:
    with pytest.raises(Misconfigured, match=r"Write @app.task\(\)"):
        app.task(lambda: None)  # type: ignore[arg-type]
