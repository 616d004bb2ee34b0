"""`tenure doctor` finds what is wrong and says what to do."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from click.testing import Result
from msgspec.structs import replace

from tenure import Misconfigured, State, Tenure
from tenure.app.settings import Settings
from tenure.cli import diagnosis
from tenure.cli.diagnosis import Level
from tenure.cli.finding import Finding
from tenure.core.flow.pause import Pause
from tenure.core.job import Job
from tenure.core.job_filter import JobFilter
from tenure.core.kind import Kind
from tenure.core.redriving import redrive_start
from tenure.core.redriving.redrive import Guard, RedriveState
from tenure.core.switch import Switch
from tenure.stores.protocol import Room
from tenure.stores.reading import Count, Slowdown
from tenure.testing import drain

Run = Callable[..., Result]
NOW = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
JOB = Job(
    id="i", seq=1, tenant="t", queue="q", kind="k", version=2, priority=0, state=State.READY, payload="{}",
    args_digest="d", created_at=NOW, run_at=NOW, updated_at=NOW,
)  # fmt: skip


def test_a_healthy_database_has_nothing_wrong(tenure: Run, shop: Tenure) -> None:
    done = tenure("doctor", "--json")
    findings = json.loads(done.output)["findings"]
    assert done.exit_code == 0
    assert {finding["level"] for finding in findings} <= {"ok", "note"}
    assert [finding["check"] for finding in findings] == [
        "schema", "sqlite", "clock", "kinds", "leases", "lateness", "queues", "pauses", "limits", "capacities", "objectives",
        "starvation", "slowdowns", "redrives",
        "hints",
        "encryption", "schedules", "orders", "log",
    ]  # fmt: skip


def test_something_wrong_ends_with_one(tenure: Run, shop: Tenure) -> None:
    task = shop.task(kind="letter")(lambda: None)
    task.enqueue()
    store = shop.opened()
    from tenure.core.reports import Completion

    assert store.run(store.verbs.complete([Completion("i", "t")])) == []
    shop.close()
    import sqlite3

    with sqlite3.connect("tenure.db") as connection:
        connection.execute("DELETE FROM tenure_kinds")
    connection.close()
    done = tenure("doctor")
    assert done.exit_code == 1
    assert "kind letter, which nobody declared" in done.output


def test_a_schema_that_is_too_new_is_a_finding(tenure: Run, shop: Tenure, folder: Path) -> None:
    shop.close()
    import sqlite3

    with sqlite3.connect("tenure.db") as connection:
        for number in (8888, 9999):
            connection.execute("INSERT INTO tenure_migrations VALUES (?, 'x', 0, 1)", (f"{number}_later",))
    connection.close()
    done = tenure("doctor", "--json")
    assert done.exit_code == 5
    assert "schema_too_new" in json.loads(done.output)["findings"][0]["words"]
    assert tenure("stats").exit_code == 5


def test_the_wal_reset_bug_is_told_before_3_51_3_only() -> None:
    levels = [
        next(diagnosis.of_sqlite("sqlite:///x", v)).level for v in ((3, 40, 1), (3, 51, 2), (3, 51, 3), (4, 0, 0))
    ]
    assert levels == [Level.NOTE, Level.NOTE, Level.OK, Level.OK]
    assert list(diagnosis.of_sqlite("postgresql://x", (3, 40, 1))) == []


def test_a_clock_that_differs_is_told_with_its_side() -> None:
    assert told_of_clock("postgresql://x", 1).level is Level.OK
    ahead = told_of_clock("postgresql://x", 180)
    assert (ahead.level, "3 min 0 s ahead of" in ahead.words) == (Level.WRONG, True)
    assert "behind" in told_of_clock("postgresql://x", -180).words


def test_a_file_that_has_seen_a_later_instant_is_told_with_what_waits_for_it() -> None:
    ahead = told_of_clock("sqlite:///x", 180)
    assert ahead.level is Level.WRONG
    assert "an instant 3 min 0 s ahead of this machine's clock, and its time stands still until then" in ahead.words
    assert told_of_clock("sqlite:///x", 1).level is Level.OK


def told_of_clock(url: str, seconds: float) -> Finding:
    """seconds: how far the store is ahead of this machine."""
    (finding,) = diagnosis.of_clock(url, NOW, NOW + timedelta(seconds=seconds))
    return finding


def test_jobs_of_a_version_that_nobody_declared_are_told() -> None:
    counts = [Count(queue="q", kind="k", state=State.READY, jobs=1, oldest_run_at=NOW)]
    (finding,) = diagnosis.of_undeclared(counts, [JOB], {"k": Kind(name="k", versions=(1,))})
    assert (finding.level, "kind k version 2" in finding.words) == (Level.WRONG, True)
    (finding,) = diagnosis.of_undeclared(counts, [JOB], {"k": Kind(name="k", versions=(1, 2))})
    assert finding.level is Level.OK


def test_leases_that_nobody_sweeps_are_told() -> None:
    fresh = msgspec.structs.replace(JOB, state=State.RUNNING, lease_expires_at=NOW - timedelta(seconds=9))
    stale = msgspec.structs.replace(fresh, lease_expires_at=NOW - timedelta(seconds=11))
    assert next(diagnosis.of_expired([fresh], NOW)).level is Level.OK
    assert next(diagnosis.of_expired([fresh, stale], NOW)).words.startswith("1 expired lease not swept yet")


def test_a_ready_job_that_waits_long_is_told() -> None:
    def waiting(minutes: float) -> Level:
        at = NOW - timedelta(minutes=minutes)
        count = Count(queue="q", kind="k", state=State.READY, jobs=1, oldest_run_at=at)
        return next(diagnosis.of_oldest([count], NOW)).level

    assert [waiting(1), waiting(6)] == [Level.OK, Level.WRONG]
    assert next(diagnosis.of_oldest([], NOW)).level is Level.OK


def test_a_queue_that_no_worker_asks_is_told_with_its_jobs() -> None:
    def count(queue: str, kind: str, state: State, jobs: int, seconds: float) -> Count:
        return Count(queue=queue, kind=kind, state=state, jobs=jobs, oldest_run_at=NOW - timedelta(seconds=seconds))

    counts = [
        count("post", "letter", State.READY, 1200, 20),
        count("post", "bill", State.READY, 34, 301),
        count("busy", "letter", State.READY, 5, 301),
        count("busy", "bill", State.RUNNING, 1, 301),
        count("slow", "throttled", State.READY, 5, 301),
        count("new", "letter", State.READY, 5, 9),
        count("later", "letter", State.SCHEDULED, 5, -60),
    ]
    slowed = [Slowdown("acme", "throttled", NOW + timedelta(seconds=42), "busy")]
    (finding,) = diagnosis.of_unasked(counts, slowed, NOW)
    assert finding.level is Level.WRONG
    assert finding.words.startswith("queue post: 1,234 ready and none running, for 5 min 1 s")
    assert "--queues post" in finding.words
    (early,) = diagnosis.of_unasked(counts[:1], [], NOW)
    assert (early.level, "1,200 ready" in early.words) == (Level.NOTE, True)
    (well,) = diagnosis.of_unasked(counts[2:], slowed, NOW)
    assert well.level is Level.OK
    (short,) = diagnosis.of_unasked(counts, slowed, NOW, lately={"post"})
    assert short.level is Level.OK


@pytest.mark.parametrize("hold", ["pause", "rate"])
def test_a_queue_that_is_held_is_not_said_to_lack_a_worker(
    tenure: Run, shop: Tenure, monkeypatch: pytest.MonkeyPatch, hold: str
) -> None:
    shop.task(kind="letter", uses=["relay"])(lambda: None)
    shop.enqueue_many([shop.item("letter"), shop.item("letter")])
    monkeypatch.setattr(diagnosis, "UNASKED", timedelta())
    assert "no worker seems to ask it" in tenure("doctor").stdout
    if hold == "pause":
        shop.pause("it is down", resource="relay")
    else:
        shop.set_limit(resource="relay", rate="1/d")
        drain(shop)
    assert "no worker seems to ask it" not in tenure("doctor").stdout


def test_a_stopped_redrive_and_the_switch_are_told_and_what_to_do() -> None:
    which, guard = JobFilter(), Guard()
    begun = redrive_start.begun("r1", [], which, guard, who="op", why="", now=NOW)
    stopped = replace(begun, state=RedriveState.STOPPED, waiting=1200, stop_reason="3 of the last 10 outcomes failed")
    running = replace(begun, id="r2", state=RedriveState.RUNNING)
    (finding,) = diagnosis.of_redrives([stopped, running], None)
    assert finding.level is Level.WRONG
    assert "redrive r1 has stopped with 1,200 jobs waiting: 3 of the last 10" in finding.words
    assert "tenure redrives resume r1" in finding.words
    switch = Switch(name="redrives", who="root", why="silence", at=NOW)
    (held,) = diagnosis.of_redrives([running], switch)
    assert (held.level, "forbidden by root since 2026-01-05 09:00:00Z: silence" in held.words) == (Level.NOTE, True)
    (well,) = diagnosis.of_redrives([running], None)
    assert (well.check, well.level) == ("redrives", Level.OK)


def test_what_is_paused_is_told_with_who_and_why_and_nobody_is_blamed_for_what_waits() -> None:
    paused = Pause(subject="queue", name="post", at=NOW - timedelta(hours=2), who="root", why="the relay is down")
    (finding,) = diagnosis.of_pauses([paused], NOW)
    assert finding.words == (
        "queue post is paused for 2 h 0 min by root: the relay is down; `tenure queues resume post`"
    )
    assert next(diagnosis.of_pauses([], NOW)).level is Level.OK


def test_slowed_kinds_are_told_with_the_time_left() -> None:
    (finding,) = diagnosis.of_slowdowns([Slowdown("acme", "k", NOW + timedelta(seconds=42), "busy")], NOW)
    assert finding.words == "kind k of tenant acme waits 42 s more: busy"


def connections(room: Room | None, **said: str) -> list[Finding]:
    environ = {f"TENURE_{name.upper()}": value for name, value in said.items()}
    return list(diagnosis.of_connections(8, room, Settings(environ)))


def test_connections_of_a_worker_are_told_beside_what_the_server_has_left(folder: Path) -> None:
    (found,) = connections(Room(limit=97, left=80))
    assert found.level is Level.OK
    assert found.words == ("a worker process of 10 slots has up to 14 connections, and of the server's 97 80 are left")
    assert list(diagnosis.of_connections(None, None, Settings({}))) == []


def test_a_pool_that_the_settings_make_too_small_is_noted_with_the_right_size(folder: Path) -> None:
    (found,) = connections(Room(limit=97, left=80), slots="20", database_connections="5")
    assert (found.level, "`--database-connections 20` gives one to each" in found.words) == (Level.NOTE, True)


def test_more_connections_than_the_server_gives_are_wrong(folder: Path) -> None:
    (folder / "tenure.toml").write_text("processes = 4\ndatabase_connections = 30\n")
    (found,) = connections(Room(limit=97, left=80))
    assert (found.level, "gives 97 to all clients: say `--database-connections 20`" in found.words) == (
        Level.WRONG,
        True,
    )


def test_a_server_that_is_as_good_as_full_is_wrong() -> None:
    (found,) = connections(Room(limit=97, left=3))
    assert (found.level, found.words.startswith("of the server's 97 connections 3 are left")) == (Level.WRONG, True)


def test_behind_a_pooler_only_the_number_of_connections_is_known() -> None:
    (found,) = connections(None)
    assert (found.level, "up to 14 connections; the pooler" in found.words) == (Level.NOTE, True)


def test_a_setting_that_is_no_number_is_named_by_doctor_too() -> None:
    with pytest.raises(Misconfigured, match="TENURE_SLOTS is 'many'"):
        connections(None, slots="many")
