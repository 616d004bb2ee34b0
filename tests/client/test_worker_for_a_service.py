"""A handler ends the same way whether its worker is on the database or works for a service: job, history and ledger."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tenure import Context, EffectCall, Tenure
from tenure.core.attempt import Attempt, Outcome
from tenure.core.job import Job
from tenure.core.states import TERMINAL
from tests.client.cutting import Wire, wire
from tests.client.endings import application
from tests.client.serving import Served
from tests.client.working import working
from tests.crash.harness import until


def facts_of_job(job: Job) -> list[Any]:
    said = [job.state, job.end_code, job.result, job.tries, job.unknowns, job.throttles]
    return [*said, job.first_error_code, job.last_error_code, job.error, job.policy, job.max_attempts]


def facts_of_attempt(one: Attempt) -> list[Any]:
    said = [one.outcome, one.ended_by, one.error_class, one.error_code, one.error, one.begun]
    return [*said, one.version, one.ran_version, one.traceback is None]


def ended(app: Tenure, ids: dict[str, str]) -> dict[str, list[Any]]:
    """By kind, what stands of its job when all have ended: the job, its attempts, its ledger, without ids and times,
    and without waits of an effect, which depend on them."""
    store, jobs = app.opened(), {job.id: job for job in ends(app, list(ids.values()))}
    effects, attempts = store.run(store.verbs.effects(list(jobs))), store.run(store.verbs.attempts(list(jobs)))
    found: dict[str, list[Any]] = {}
    for kind, job in ids.items():
        rows = [
            (row.name, row.state, row.tries, row.result, row.error_code, row.error, row.settled_by)
            for row in effects[job]
        ]
        history = [facts_of_attempt(one) for one in attempts[job] if one.outcome is not Outcome.SNOOZED]
        found[kind] = [facts_of_job(jobs[job]), history, rows, store.run(store.verbs.checkpoints(job)) != []]
        found[kind] = [str(part).replace(job, "JOB") for part in found[kind]]
    return found


def enqueued(app: Tenure) -> dict[str, str]:
    return {kind: app.enqueue(kind, {}).id for kind in app.tasks}


def test_every_end_of_a_handler_is_the_same_over_http_as_on_the_database(served: Served, database: str) -> None:
    beside = application(database)
    with working(beside):
        expected = ended(served.app, enqueued(beside))
    app = application(database)
    ids = enqueued(app)
    with working(app, served.url, served.key("worker", "w1", kinds=sorted(app.tasks))):
        found = ended(served.app, ids)
    for kind, facts in expected.items():
        assert (kind, found[kind]) == (kind, facts)


# Only the service


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Tenure:
    """It names no database, and nobody else does, in an empty folder."""
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.delenv("TENURE_DATABASE_URL", raising=False)
    return Tenure()


@pytest.fixture
def cut(served: Served) -> Iterator[Wire]:
    with wire(served.url) as made:
        yield made


def run(served: Served, app: Tenure, *kinds: str, url: str | None = None) -> list[Job]:
    """The jobs, one of each kind, at their ends."""
    key = served.key("worker", f"w-{'-'.join(kinds)}", kinds=sorted(app.tasks))
    with working(app, url or served.url, key) as worker:
        chief = served.client("producer", f"p-{'-'.join(kinds)}")
        ids = [chief.enqueue(kind).id for kind in kinds]
        found = ends(served.app, ids)
        until(lambda: worker.health().running == 0, "the worker knows that its reports are written")
        return found


def ends(app: Tenure, ids: list[str]) -> list[Job]:
    """The jobs, when all of them have ended."""
    store = app.opened()

    def found() -> list[Job] | None:
        rows = store.run(store.verbs.read(ids))
        return [rows[job] for job in ids] if all(job.state in TERMINAL for job in rows.values()) else None

    return until(found, "all jobs end")


def test_a_transaction_of_the_callers_own_is_refused_and_the_reason_is_told(served: Served, app: Tenure) -> None:
    @app.task(max_attempts=1)
    def completes(ctx: Context) -> None:
        ctx.complete(connection=object())

    @app.task(max_attempts=1)
    def saves(ctx: Context) -> None:
        ctx.checkpoint("n", 1, connection=object())

    @app.task(max_attempts=1)
    async def acompletes(ctx: Context) -> None:
        await ctx.acomplete(connection=object())

    @app.task(max_attempts=1)
    async def asaves(ctx: Context) -> None:
        await ctx.acheckpoint("n", 1, connection=object())

    for job in run(served, app, "completes", "saves", "acompletes", "asaves"):
        assert job.last_error_code == "misconfigured"
        assert "no transaction of yours reaches the database that they are in" in (job.error or "")
        assert "Leave connection= out" in (job.error or "")


def test_an_enqueue_in_a_handler_makes_no_database_of_its_own(served: Served, app: Tenure) -> None:
    @app.task(max_attempts=1)
    def enqueues(ctx: Context) -> None:
        app.enqueue("enqueues", {})

    (job,) = run(served, app, "enqueues")
    assert job.last_error_code == "misconfigured"
    assert "no database is named" in (job.error or "")
    assert list(Path().iterdir()) == []


def test_answers_that_are_lost_cost_no_try_and_make_no_second_call(served: Served, cut: Wire, app: Tenure) -> None:
    calls: list[str] = []

    @app.task(max_attempts=1)
    def pays(ctx: Context) -> dict[str, Any]:
        paths = [f"/jobs/{ctx.job.id}/effects/charge/{step}" for step in ("begin", "finish")]
        for path in [*paths, f"/jobs/{ctx.job.id}/checkpoints/n", f"/jobs/{ctx.job.id}/checkpoints", "/jobs/reports"]:
            cut.cut_next(path)
        ctx.effect("charge", lambda call: calls.append(call.key))
        ctx.checkpoint("n", 1)
        return ctx.checkpoints()

    (job,) = run(served, app, "pays", url=cut.url)
    assert (job.state, job.attempt, job.result) == ("succeeded", 1, '{"n":1}')
    assert calls == [f"{job.id}:charge"]
    assert cut.cuts == 5


def test_progress_travels_with_heartbeats(served: Served, app: Tenure) -> None:
    go = threading.Event()

    @app.task()
    def tells(ctx: Context) -> None:
        ctx.progress({"page": 3})
        go.wait(30)

    chief = served.client()
    with working(app, served.url, served.key("worker", "w1", kinds=["tells"]), lease=1.0):
        job = chief.enqueue("tells").id
        until(lambda: chief.job(job).progress == {"page": 3}, "the note arrives")
        go.set()
        until(lambda: chief.job(job).state == "succeeded", "the job ends")


@pytest.mark.parametrize("place", ["loop", "thread"])
def test_a_running_job_that_is_cancelled_hears_of_it(served: Served, app: Tenure, place: str) -> None:
    @app.task(kind="thread")
    def in_thread(ctx: Context) -> None:
        ctx.wait_stop(30)
        ctx.raise_if_cancelled()

    @app.task(kind="loop")
    async def on_loop(ctx: Context) -> None:
        while True:
            ctx.raise_if_cancelled()
            await asyncio.sleep(0.01)

    chief = served.client()
    with working(app, served.url, served.key("worker", "w1", kinds=["loop", "thread"]), lease=1.0):
        job = chief.enqueue(place).id
        until(lambda: chief.job(job).state == "running", "the job runs")
        chief.cancel(job)
        until(lambda: chief.job(job).state == "cancelled", "the job ends")
    (attempt,) = chief.attempts(job)
    assert (attempt.outcome, attempt.after_cancel) == ("cancelled", True)


def test_an_attempt_that_lost_its_job_writes_neither_effect_nor_checkpoint(served: Served, app: Tenure) -> None:
    told: list[str] = []
    begun, lost = threading.Event(), threading.Event()

    def late(what: str, act: Callable[[], Any]) -> None:
        try:
            act()
        except Exception as error:
            told.append(f"{what}: {getattr(error, 'code', error)}")

    @app.task(max_attempts=5)
    def hangs(ctx: Context) -> None:
        if ctx.attempt.number > 1:
            return
        begun.set()
        lost.wait(30)
        late("effect", lambda: ctx.effect("charge", lambda call: told.append("called")))
        late("checkpoint", lambda: ctx.checkpoint("n", 1))

    chief = served.client()
    with working(app, served.url, served.key("worker", "w1", kinds=["hangs"])):
        job = chief.enqueue("hangs").id
        until(begun.is_set, "the handler has begun")
        _take_away(served, job)
        lost.set()
        until(lambda: len(told) == 2, "the handler has tried")
        until(lambda: chief.job(job).state == "succeeded", "the job ends")
    assert told == ["effect: lease_lost", "checkpoint: lease_lost"]
    assert (chief.effects(job), chief.checkpoints(job)) == ([], [])


def _take_away(served: Served, job: str) -> None:
    """Ends the attempt as somebody else's sweep does."""
    from tenure.core.reports import Release
    from tenure.operations.report import report

    store = served.app.opened()
    token = store.run(store.verbs.read([job]))[job].lease_token or ""
    store.run(report(store.verbs, [Release(job_id=job, token=token, begun=True)]))


def test_a_key_of_business_is_one_effect_over_jobs(served: Served, app: Tenure) -> None:
    calls: list[str] = []

    def call(call: EffectCall) -> int:
        calls.append(call.key)
        return len(calls)

    @app.task()
    def pays(ctx: Context) -> Any:
        return ctx.effect("charge", call, args=5, key="order-1")

    @app.task()
    def pays_otherwise(ctx: Context) -> Any:
        return ctx.effect("charge", call, args=6, key="order-1")

    assert {job.result for job in run(served, app, "pays", "pays")} == {"1"}
    (other,) = run(served, app, "pays_otherwise")
    assert (other.state, other.last_error_code) == ("failed", "effect_conflict")
    assert calls == ["order-1"]


def test_the_result_of_another_jobs_effect_that_the_workers_key_may_not_see_is_no_result(
    served: Served, app: Tenure
) -> None:
    """It happened; to go on with None in the place of what it returned would be to make something up."""
    found: dict[str, Job] = {}

    @app.task(kind="theirs")
    def theirs(ctx: Context) -> Any:
        return ctx.effect("charge", lambda call: {"id": 1}, key="order-1")

    @app.task(kind="own")
    def own(ctx: Context) -> Any:
        return ctx.effect("charge", lambda call: {"id": 2}, key="order-1")

    for kind, name in (("theirs", "first"), ("own", "second")):
        with working(app, served.url, served.key("worker", name, kinds=[kind])):
            found[kind] = ends(served.app, [served.client("producer", f"p-{name}").enqueue(kind).id])[0]
    assert found["theirs"].result == '{"id":1}'
    assert (found["own"].state, found["own"].end_code) == ("failed", "effect_result_hidden")
