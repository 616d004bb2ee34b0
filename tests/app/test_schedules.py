"""Schedules of an application: declared beside their task, and set as data."""

from datetime import UTC, datetime, timedelta

import pytest

from tenure import InvalidInput, Misconfigured, NotFound, Tenure, UnknownKind
from tenure.core.scheduling.schedule import Flag
from tenure.engine.upkeep.scheduler import Scheduler
from tenure.testing import drain, memory_app


def shop(
    source: str | None = "shop:app", *, mail: str | None = "0 9 * * *", tasks: tuple[str, ...] = ("mail", "sum")
) -> Tenure:
    """An application with these tasks; mail: the cron expression of its schedule, None without one."""
    app = Tenure("memory://")
    app.source = source
    made = {name: app.task(kind=name)(_of(name)) for name in tasks}
    if mail is not None:
        app.periodic(cron=mail, tz="Europe/Amsterdam", payload={"to": "ada"}, occurrence_as="slot")(made["mail"])
    return app


def _of(name: str):  # type: ignore[no-untyped-def]
    def mail(to: str, slot: datetime) -> str:
        return f"{to} {slot:%H:%M}"

    return mail if name == "mail" else lambda: None


def started(app: Tenure, on: Tenure | None = None) -> None:
    """As a worker of it starts. on: another application, whose store it shares."""
    if on is not None:
        app.use(on.store)
    app.declare_kinds()
    app.declare_schedules()


def test_a_declared_schedule_runs_its_task_with_the_slot() -> None:
    app = shop()
    with memory_app(app) as clock:
        started(app)
        schedule = app.get_schedule("mail")
        assert schedule is not None
        assert schedule.next_at is not None
        clock.to(schedule.next_at)
        Scheduler(app.store).tick()
        (ran,) = drain(app)
        job = app.get(ran.job_id)
        assert job is not None
        assert job.result() == f"ada {schedule.next_at:%H:%M}"


def test_what_an_operator_has_edited_stays_until_the_code_changes() -> None:
    app = shop()
    with memory_app(app):
        started(app)
        app.set_schedule("mail", cron="0 3 * * *", why="earlier")
        started(app)
        assert app.get_schedule("mail").row.rule == "0 3 * * *"  # type: ignore[union-attr]
        started(shop(mail="0 7 * * *"), on=app)
        assert app.get_schedule("mail").row.rule == "0 7 * * *"  # type: ignore[union-attr]


def test_a_pause_stays_over_starts_and_changes_of_the_code() -> None:
    app = shop()
    with memory_app(app):
        started(app)
        schedule = app.get_schedule("mail")
        assert schedule is not None
        assert schedule.pause("closed")
        started(shop(mail="0 7 * * *"), on=app)
        assert schedule.refresh().row.paused_why == "closed"
        assert schedule.next_at is None
        assert schedule.resume()
        assert not schedule.resume()
        assert schedule.next_at is not None


def test_a_schedule_that_the_code_has_no_more_is_flagged_and_comes_back_with_it() -> None:
    """B45"""
    app = shop()
    with memory_app(app) as clock:
        started(app)
        started(shop(mail=None, tasks=("sum",)), on=app)
        schedule = app.get_schedule("mail")
        assert schedule is not None
        assert (schedule.row.flag, schedule.next_at) == (Flag.UNDECLARED, None)
        clock.advance(2 * 86_400)
        Scheduler(app.store).tick()
        assert drain(app) == []
        started(app)
        assert schedule.refresh().row.flag is None
        assert schedule.next_at is not None


def test_two_services_on_one_database_leave_each_others_schedules_alone_whatever_they_are_called() -> None:
    """B45"""
    app = shop()
    with memory_app(app) as clock:
        started(app)
        other = shop(mail=None, tasks=("invoice", "ledger"))
        other.periodic(every=3600, name="hourly")(other.tasks["invoice"])
        started(other, on=app)
        started(shop("other:app", mail=None), on=app)
        assert [schedule.row.flag for schedule in app.schedules()] == [None, None]
        clock.advance(3 * 3600)
        Scheduler(app.store).tick()
        assert other.get_schedule("hourly").row.open_jobs  # type: ignore[union-attr]


def test_two_schedules_of_one_name_and_bad_options_are_refused_where_they_are_written() -> None:
    app = shop()
    with pytest.raises(Misconfigured, match="two schedules"):
        app.periodic(every=60)(app.tasks["mail"])
    with pytest.raises(TypeError, match="crn"):
        app.periodic(crn="* * * * *", name="other")(app.tasks["mail"])  # type: ignore[call-arg]
    with pytest.raises(Misconfigured, match="bad day-of-month"):
        app.periodic(cron="0 0 31 2 *", name="never")(app.tasks["sum"])


def test_a_rule_whose_time_is_over_keeps_no_worker_from_starting() -> None:
    app = shop(mail=None)
    app.periodic(dates=["2020-01-01"])(app.tasks["sum"])
    with memory_app(app):
        started(app)
        assert list(app.schedules()) == []


def test_a_plain_function_becomes_a_task() -> None:
    app = Tenure("memory://")

    @app.periodic(every=timedelta(hours=1))
    def sweep() -> None: ...

    assert app.tasks.keys() == {"sweep"}
    assert sweep.kind == "sweep"


def test_schedules_as_data_are_judged_as_their_jobs_would_be() -> None:
    app = shop(mail=None)
    with memory_app(app) as clock:
        with pytest.raises(UnknownKind):
            app.set_schedule("x", "ghost", every=60)
        with pytest.raises(InvalidInput, match="kind"):
            app.set_schedule("x", every=60)
        with pytest.raises(InvalidInput, match=r"payload\.to"):
            app.set_schedule("x", "mail", every=60, occurrence_as="slot")
        schedule = app.set_schedule("x", "mail", {"to": "ada"}, every=60, occurrence_as="slot")
        assert schedule.preview(2) == [clock() + timedelta(seconds=60), clock() + timedelta(seconds=120)]
        assert app.preview_schedule(2, every=60) == schedule.preview(2)
        job = schedule.run_now("by hand")
        assert job.created
        clock.advance(600)
        assert len(schedule.backfill(clock() - timedelta(minutes=5), clock(), why="late").created) == 6
        assert {one.cause for one in schedule.occurrences()} == {"run_now", "backfill"}
        assert schedule.delete("over")
        assert not schedule.delete()
        with pytest.raises(NotFound):
            schedule.refresh()
        with pytest.raises(NotFound):
            schedule.run_now()
        assert app.get_schedule("x") is None


def test_an_instant_of_the_wall_needs_a_zone() -> None:
    app = shop(mail=None)
    with memory_app(app), pytest.raises(InvalidInput, match="time zone"):
        app.set_schedule("x", "sum", every=60, starts_at=datetime(2026, 1, 1, tzinfo=UTC).replace(tzinfo=None))
