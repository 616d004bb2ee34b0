"""SQLite searches where it is meant to search: no statement of the hot paths walks over all jobs."""

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenure.core.job_filter import JobFilter
from tenure.core.secrecy.sealed import COLUMNS, Column
from tenure.core.states import State
from tenure.stores.script import Rows, Script, T
from tenure.stores.sqlite import SqliteStore
from tenure.stores.sqlite.filtering import conditions
from tenure.stores.sqlite.opening import connect
from tenure.stores.sqlite.statements import insert_of, sql
from tenure.stores.sqlite.verbs.resealing import text_of
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask, new, request
from tests.operations.dead_letters import dead, work

READY = "tenure_jobs_ready (queue=?"
BY_ID = "sqlite_autoindex_tenure_jobs_1 (id=?"

EXPECTED = {
    "claim_priority": [READY],
    "claim_lanes": [
        "tenure_jobs_ready (queue=? AND priority=? AND (tenant,kind,version)>(?,?,?))",
        "tenure_jobs_ready (queue=? AND priority=? AND tenant=? AND kind=? AND version>?)",
        "tenure_jobs_ready (queue=? AND priority=? AND tenant=? AND kind>?)",
        "tenure_jobs_ready (queue=? AND priority=? AND tenant>?)",
    ],
    "claim_heads": ["INTEGER PRIMARY KEY (rowid=?)"],
    "claim_pick": ["tenure_jobs_ready (queue=? AND priority=? AND tenant=? AND kind=? AND version=?)"],
    "claim_rules": ["tenure_flow_paused"],
    "claim_told": ["tenure_flow USING PRIMARY KEY (tenant=?)"],
    "claim_take": ["INTEGER PRIMARY KEY (rowid=?)"],
    "claim_only": [BY_ID],
    "due_hints": ["tenure_hints_due (due_at<?)", BY_ID],
    "hint_backlog": ["tenure_hints_due (due_at<?)", "tenure_hints_refused"],
    "settle_hints": ["PRIMARY KEY (job_id=?)"],
    "put_back_hints": ["PRIMARY KEY (job_id=?)"],
    "complete": [BY_ID],
    "complete_history": [BY_ID],
    "heartbeat_read": [BY_ID],
    "heartbeat": [BY_ID],
    "apply": [BY_ID],
    "lock": [BY_ID],
    "hold_standing": ["tenure_jobs_standing (tenant=? AND kind=? AND supersession_key=?)"],
    "newest_of": ["tenure_jobs_superseding (tenant=? AND kind=? AND supersession_key=?)"],
    "read_keys": ["tenure_jobs_keys (tenant=? AND kind=? AND idempotency_key=?)"],
    "promote": ["tenure_jobs_scheduled (run_at<?)"],
    "due": ["tenure_jobs_scheduled (run_at<?)"],
    "overdue": ["tenure_jobs_deadlines (deadline>? AND deadline<?)"],
    "prune_ended": ["tenure_jobs_ended (state=? AND ended_at<?)"],
    "prune_without_payload": ["tenure_jobs_without_payload (state=? AND ended_at<?)"],
    "payloads_past": ["tenure_jobs_ended (state=? AND ended_at<?)"],
    "own_payloads_past": ["tenure_jobs_payloads (<expr><?)"],
    "dead_letters": ["tenure_jobs_failed ((ended_at,id)<(?,?))"],
    "dead_letters_after": ["tenure_jobs_failed ((ended_at,id)>(?,?))"],
    "prune_tombstones": ["tenure_jobs_tombstones (ended_at<?)"],
    "has_ready": [READY],
    "having_ready": [READY],
    "waiting_payloads": [READY, "INDEX tenure_jobs_scheduled", "SEARCH job USING INTEGER PRIMARY KEY (rowid=?)"],
    "list_jobs": ["(id<?)"],
    "effect": ["sqlite_autoindex_tenure_effects_1 (tenant=? AND name=? AND key=?)"],
    "change_effect": ["sqlite_autoindex_tenure_effects_1 (tenant=? AND name=? AND key=?)"],
    "effects": ["tenure_effects_job (job_id=?)"],
    "open_effects": ["tenure_effects_open"],
    "attempt_page": ["USING PRIMARY KEY (job_id=? AND number>?)"],
    "effect_page": ["tenure_effects_job (job_id=?)"],
    "checkpoint_page": ["(job_id=? AND name>?)"],
    "delete_effects": ["tenure_effects_job (job_id=?)"],
    "waiting_in_redrive": ["tenure_redrive_jobs_turn (redrive_id=? AND is_canary>?)"],
    "ended_in_redrive": ["tenure_redrive_jobs_out (redrive_id=?)", BY_ID],
    "outcomes_of_redrive": ["tenure_redrive_jobs_outcome (redrive_id=? AND settled_at>?)"],
    "sent_in_redrive": ["tenure_redrive_jobs_sent (redrive_id=? AND sent_at>?)"],
    "write_frozen": ["PRIMARY KEY (redrive_id=? AND place=?)"],
    "frozen_in_redrive": ["PRIMARY KEY (redrive_id=? AND place>?)"],
    "open_redrives": ["tenure_redrives_open"],
    "checkpoints": ["sqlite_autoindex_tenure_checkpoints_1 (job_id=?)"],
    "waiting_in_queue": [READY, "tenure_jobs_waiting (queue=?"],
    "waiting_of_tenant": [f"{READY} AND priority=? AND tenant=?)", "tenure_jobs_waiting (queue=? AND tenant=?)"],
    "ready_levels": [f"{READY} AND priority<?)"],
    "waiting_queues": ["tenure_jobs_ready (queue>?)", "tenure_jobs_waiting (queue>?)"],
    "lane_heads": [
        f"{READY} AND priority=? AND tenant=? AND kind=? AND version>?)",
        f"{READY} AND priority=? AND tenant=? AND kind>?)",
        f"{READY} AND priority=? AND tenant>?)",
        f"{READY} AND priority<?)",
    ],
    "seen_ended": ["tenure_jobs_ended (state=? AND ended_at>?)", "PRIMARY KEY (job_id=? AND number=?)"],
}


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    store = SqliteStore(tmp_path / "plans.db")
    store.open()
    connection = connect(store.path)
    yield connection
    connection.close()
    store.close()


def plan(connection: sqlite3.Connection, text: str) -> list[str]:
    numbered = [int(number) for number in re.findall(r"\?(\d)", text)]
    count = max(numbered) if numbered else text.count("?")
    return [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {text}", (None,) * count)]


def walks(lines: list[str]) -> list[str]:
    return [line for line in lines if re.match(r"SCAN (tenure_jobs|known|last|lane)\b", line)]


@pytest.mark.parametrize("name", EXPECTED)
def test_a_statement_searches_the_index_that_is_meant_for_it(connection: sqlite3.Connection, name: str) -> None:
    """B77: what a claim costs depends on no history and no backlog. (Measured: benchmarks/workloads/large.py.)"""
    lines = plan(connection, sql(name).replace("{conditions}", ""))
    assert walks(lines) == []
    for index in EXPECTED[name]:
        assert any(index in line for line in lines), lines


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("name", ["documents", "replace_document"])
def test_documents_are_found_by_the_key_of_their_rows(
    connection: sqlite3.Connection, name: str, column: Column
) -> None:
    lines = plan(connection, text_of(name, column))
    by_key = ("sqlite_autoindex", "USING PRIMARY KEY")
    assert all(line.startswith("SEARCH") and any(key in line for key in by_key) for line in lines), lines


def test_what_runs_is_counted_over_running_jobs_alone(connection: sqlite3.Connection) -> None:
    (walk,) = walks(plan(connection, sql("running_by_lane")))
    assert walk == "SCAN tenure_jobs USING INDEX tenure_jobs_running"


def test_a_narrowed_list_keeps_the_order_of_ids_and_stops_at_its_limit(connection: sqlite3.Connection) -> None:
    which = JobFilter(states=tuple(State), tenants=("t",), kinds=("k",), queues=("q",), code="c", tag="t")
    lines = plan(connection, sql("list_jobs").replace("{conditions}", conditions(which)[0]))
    assert walks(lines) == []
    assert any("(id<?)" in line for line in lines), lines
    assert not any("TEMP B-TREE" in line for line in lines), lines


def test_dead_letters_cost_the_same_whatever_succeeded_beside_them(tmp_path: Path) -> None:
    """Counted in steps of SQLite's machine."""

    def steps(succeeded: int) -> int:
        store = SqliteStore(tmp_path / f"letters-{succeeded}.db")
        store.open()
        ask = Ask(store, FakeClock())
        dead(ask, 5)
        for _ in range(succeeded):
            ask.enqueued()
        work(ask, lambda _lease: None)
        connection, counted = connect(store.path), [0]
        text = sql("dead_letters").replace("{conditions}", conditions(JobFilter(tenants=("default",)))[0])
        connection.set_progress_handler(lambda: counted.__setitem__(0, counted[0] + 1), 1)
        found = connection.execute(text, (2**62, "~", '["default"]', 100)).fetchall()
        connection.close()
        store.close()
        assert len(found) == 5
        return counted[0]

    assert steps(0) == steps(100)


@pytest.mark.parametrize("name", ["dead_letters", "dead_letters_after"])
def test_the_last_page_of_dead_letters_that_failed_at_one_instant_costs_what_the_first_does(
    tmp_path: Path, name: str
) -> None:
    """Counted in steps of SQLite's machine. Most of them lie before the place, at the same instant."""
    store = SqliteStore(tmp_path / "alike.db")
    store.open()
    dead(Ask(store, FakeClock()), 400)
    connection = connect(store.path)
    (at,), ids = (
        connection.execute("SELECT DISTINCT ended_at FROM tenure_jobs").fetchone(),
        sorted(job for (job,) in connection.execute("SELECT id FROM tenure_jobs")),
    )
    walk = ids if name == "dead_letters_after" else ids[::-1]

    def steps(place: str) -> int:
        counted = [0]
        connection.set_progress_handler(lambda: counted.__setitem__(0, counted[0] + 1), 1)
        found = connection.execute(sql(name).replace("{conditions}", ""), (at, place, 20)).fetchall()
        connection.set_progress_handler(None, 1)
        assert [row[0] for row in found] == walk[walk.index(place) + 1 :][:20]
        return counted[0]

    first, last = steps(walk[0]), steps(walk[-21])
    connection.close()
    store.close()
    assert last <= first  # From SQLite 3.53 on it takes five steps less.


@pytest.mark.parametrize("name", ["worker_counts", "list_running"])
def test_what_runs_is_found_among_the_running_rows(connection: sqlite3.Connection, name: str) -> None:
    narrowing = conditions(JobFilter(tenants=("t",)))[0]
    lines = plan(connection, sql(name).replace("{conditions}", narrowing))
    assert any("tenure_jobs_running" in line for line in lines), lines
    assert all("USING INDEX tenure_jobs_running" in line for line in walks(lines)), lines


@pytest.mark.parametrize("name", ["expired", "leases", "next_run_at"])
def test_a_sweep_walks_only_a_partial_index(connection: sqlite3.Connection, name: str) -> None:
    lines = plan(connection, sql(name))
    assert all("USING INDEX tenure_jobs_running" in line or "tenure_jobs_scheduled" in line for line in walks(lines))
    assert any("tenure_jobs" in line for line in lines)


def test_an_insert_asks_no_table(connection: sqlite3.Connection) -> None:
    assert walks(plan(connection, insert_of(10))) == []


def test_no_claim_or_promotion_sorts_what_it_finds(connection: sqlite3.Connection) -> None:
    for name in ("claim_priority", "claim_lanes", "claim_pick", "promote", "due", "payloads_past"):
        assert not any("TEMP B-TREE" in line for line in plan(connection, sql(name))), name


def test_no_index_holds_a_column_that_a_heartbeat_writes(connection: sqlite3.Connection) -> None:
    written = set(re.findall(r"^    (\w+) = ", sql("heartbeat"), re.MULTILINE))
    assert {"heartbeat_at", "lease_expires_at", "progress", "progress_at"} == written
    for (index,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'index' AND sql NOT NULL"):
        columns = {row[2] for row in connection.execute(f"PRAGMA index_info({index})")}
        assert columns.isdisjoint(written), index


def test_a_claim_for_one_tenant_does_not_walk_through_the_lanes_of_others(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "lanes.db")
    store.open()
    store.run(store.verbs.insert([new(tenant=f"t{n:04}") for n in range(1000)]))
    asked: list[str] = []
    claimed = store.run(noted(store.verbs.claim(request(10, tenants=("t0990",), after={0: "t0500"})), asked))
    store.close()
    assert [lease.tenant for lease in claimed.leases] == ["t0990"]
    assert sum("RECURSIVE" in text for text in asked) <= 3


def noted(script: Script[T], asked: list[str]) -> Script[T]:
    """The script itself; the text of each of its statements is noted."""
    rows: Rows | None = None
    while True:
        try:
            statement = script.send(rows) if rows is not None else next(script)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]
        asked.append(statement.text)
        rows = yield statement


@pytest.mark.parametrize("state", ["ready", "scheduled", "running"])
def test_an_index_that_claims_and_sweeps_walk_holds_the_rows_of_its_state_alone(
    connection: sqlite3.Connection, state: str
) -> None:
    """B77: else they would walk through history."""
    ((told,),) = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", [f"tenure_jobs_{state}"]).fetchall()
    assert f"WHERE state = '{state}'" in " ".join(told.split())
