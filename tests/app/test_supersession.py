"""`supersede="latest"` and `debounce=` of an application: declared with a task, or said for one job."""

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from tenure import InvalidInput, JobCancelled, Misconfigured, QueueFull, State, Tenure
from tenure.core.job import Policy
from tenure.core.kind import Kind
from tenure.engine.upkeep.scheduler import Scheduler
from tenure.stores.protocol import Store
from tenure.testing import FakeClock, drain, memory_app


def declared() -> Tenure:
    app = Tenure("sqlite:///never-opened.db")

    @app.task(supersede="latest", supersede_by=("account",))
    def report(account: str, day: int) -> int:
        return day

    @app.task(debounce=timedelta(seconds=30), max_wait=100, supersede_by=())
    def reindex(doc: str) -> str:
        return doc

    @app.task()
    def plain(n: int) -> int:
        return n

    return app


@pytest.fixture
def stored(store: Store) -> Iterator[Tenure]:
    app = declared()
    app.use(store)
    yield app
    app.close()


@pytest.fixture
def app() -> Iterator[Tenure]:
    app = declared()
    with memory_app(app):
        yield app


@pytest.fixture
def time(app: Tenure) -> FakeClock:
    from tenure.testing.memory import clock_of

    clock = clock_of(app.store)
    assert clock is not None
    return clock


def test_the_newest_report_of_an_account_is_made_and_no_other(stored: Tenure) -> None:
    task: Any = stored.tasks["report"]
    first, other, second = task.enqueue(account="a", day=1), task.enqueue(account="b", day=1), task.enqueue("a", 2)
    assert [job.refresh().state for job in (first, other, second)] == [State.CANCELLED, State.READY, State.READY]
    assert (first.row.superseded_by, second.row.supersedes) == (second.id, first.id)
    assert {ran.job_id for ran in drain(stored)} == {other.id, second.id}
    assert second.refresh().result() == 2
    with pytest.raises(JobCancelled) as cancelled:
        first.refresh().result()
    assert "superseded" in str(cancelled.value)


def test_a_burst_runs_once_it_is_quiet_with_the_newest_payload(app: Tenure, time: FakeClock) -> None:
    task: Any = app.tasks["reindex"]
    for number in range(3):
        last = task.enqueue(doc=f"v{number}")
        time.advance(20)
        assert drain(app) == []
    time.advance(10)
    (ran,) = drain(app)
    assert ran.job_id == last.id
    assert last.refresh().result() == "v2"


def test_a_burst_that_never_ends_runs_after_its_longest_wait(app: Tenure, time: FakeClock) -> None:
    task: Any = app.tasks["reindex"]
    ran = []
    for _ in range(22):
        task.enqueue(doc="again")
        ran += drain(app)
        time.advance(10)
    assert len(ran) == 2


def test_a_job_may_say_its_own_key_and_how_long_it_waits(stored: Tenure, clock: FakeClock) -> None:
    task: Any = stored.tasks["plain"]
    keyed = task.using(supersession_key="mine", debounce=5)
    first, second = keyed.enqueue(n=1), keyed.enqueue(n=2)
    assert first.refresh().row.superseded_by == second.id
    assert second.row.run_at == clock() + timedelta(seconds=5)
    assert second.refresh().row.supersession_key == "mine"
    assert task.enqueue(n=3).refresh().row.supersession_key is None
    asyncio.run(keyed.using(debounce=0).aenqueue(n=4))
    assert second.refresh().state is State.CANCELLED


def test_a_debounced_task_runs_one_job_at_its_own_time_where_that_is_said(stored: Tenure, clock: FakeClock) -> None:
    task: Any = stored.tasks["reindex"]
    with pytest.raises(InvalidInput) as refused:
        task.using(delay=60).enqueue(doc="x")
    assert (refused.value.field, refused.value.code) == ("debounce", "debounce_and_run_at")
    job = task.using(delay=60, debounce=0).enqueue(doc="x")
    assert job.row.run_at == clock() + timedelta(seconds=60)


@pytest.mark.parametrize("option", [{"supersede": "latest"}, {"debounce": 3}, {"max_wait": 3}])
def test_without_a_key_nothing_is_superseded_and_the_option_is_refused(stored: Tenure, option: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as refused:
        stored.enqueue("plain", {"n": 1}, **option)  # type: ignore[arg-type]
    assert (refused.value.field, refused.value.code) == (*option, "supersession_key_missing")
    assert "supersession_key=" in refused.value.hint


def test_a_job_in_a_line_takes_nobodys_place(stored: Tenure) -> None:
    task: Any = stored.tasks["report"]
    with pytest.raises(InvalidInput) as refused:
        task.using(order_key="a").item(account="a", day=1)
    assert (refused.value.field, refused.value.code) == ("order_key", "order_key_and_supersession")


def test_many_at_once_leave_the_last_of_each_key(stored: Tenure) -> None:
    task: Any = stored.tasks["report"]
    jobs = stored.enqueue_many([task.item(account=f"{n % 3}", day=n) for n in range(9)])
    states = [job.refresh().state for job in jobs]
    assert states == [State.CANCELLED] * 6 + [State.READY] * 3
    assert {job.row.superseded_by for job in jobs[:6]} == {job.id for job in jobs[6:]}


def test_a_full_queue_takes_what_replaces_a_job_that_waits(stored: Tenure) -> None:
    older = stored.enqueue("report", {"account": "a", "day": 1})
    stored.set_capacity(1, queue="default")
    producer = declared()
    producer.use(stored.store)
    task: Any = producer.tasks["report"]
    newer = task.enqueue(account="a", day=2)
    assert older.refresh().row.superseded_by == newer.id
    with pytest.raises(QueueFull):
        task.enqueue(account="b", day=1)
    batch = producer.enqueue_many([task.item(account="a", day=day) for day in range(3)])
    assert batch[-1].refresh().state is State.READY


def test_a_kind_that_only_the_database_knows_supersedes_too(stored: Tenure) -> None:
    kind = Kind(name="mail", policy=Policy(supersede_by=("to",)))
    stored.opened().run(stored.opened().verbs.put_kinds([kind], replace=True))
    first, other, second = (stored.enqueue("mail", {"to": to}) for to in ("ada", "bob", "ada"))
    assert (first.refresh().row.superseded_by, other.refresh().state) == (second.id, State.READY)


def test_the_jobs_of_a_schedule_supersede_as_their_kind_says() -> None:
    app = Tenure("memory://")
    app.source = "shop:app"

    @app.periodic(every=3600, payload={"account": "a"}, occurrence_as="slot", misfire="all")
    @app.task(supersede="latest", supersede_by=("account",))
    def daily(account: str, slot: str) -> str:
        return slot

    with memory_app(app) as clock:
        app.declare_kinds()
        app.declare_schedules()
        clock.advance(3 * 3600 + 1)
        Scheduler(app.store).tick()
        assert len(drain(app)) == 1


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ({"supersede": "latest"}, "supersede_by"),
        ({"debounce": 5}, "supersede_by"),
        ({"supersede": "first", "supersede_by": ()}, "latest"),
        ({"supersede_by": ("acount",)}, "no parameter 'acount'"),
        ({"supersede_by": "account"}, "list of names"),
        ({"supersede_by": (), "max_wait": 5}, "debounce"),
        ({"supersede_by": (), "debounce": 9, "max_wait": 5}, "shorter than debounce"),
    ],
)
def test_a_declaration_that_cannot_work_says_what_to_write(said: dict[str, Any], word: str) -> None:
    app = Tenure("memory://")
    with pytest.raises(Misconfigured) as refused:

        @app.task(**said)
        def report(account: str) -> None: ...

    assert word in f"{refused.value} {refused.value.hint}"
