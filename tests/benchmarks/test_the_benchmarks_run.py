"""That the benchmarks run, with next to no work. What they measure here means nothing."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.measuring import Line, NotMeasured, line, take
from benchmarks.targets import at_least, at_most

ROOT = Path(__file__).resolve().parents[2]


def measured(*arguments: str) -> list[dict[str, Any]]:
    environ = {name: value for name, value in os.environ.items() if name != "TENURE_BARRIER"}
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--tiny", "--rounds", "1", "--json", *arguments],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=110,
    )
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    lines: list[dict[str, Any]] = json.loads(done.stdout)["lines"]
    return lines


def test_drains_and_enqueues_are_measured_on_sqlite() -> None:
    figures = {item["workload"]: item["figure"] for item in measured("--store", "sqlite", "--only", "drain,enqueue")}
    assert figures["SQLite drain, 1 worker"] > 0
    assert figures["SQLite drain, 2 workers"] > 0
    assert figures["SQLite enqueue, 200 callers"] > 0


@pytest.mark.postgres
def test_a_drain_is_measured_beside_bare_sql_on_postgresql() -> None:
    ratios = {item["workload"]: item["ratio"] for item in measured("--store", "postgres", "--only", "drain")}
    assert ratios["PG drain, 1 worker"] > 0
    assert ratios["PG drain, 2 workers"] > 0


@pytest.mark.slow
@pytest.mark.postgres
def test_work_under_a_held_snapshot_is_measured_beside_the_same_without_on_postgresql() -> None:
    lines = {item["workload"]: item for item in measured("--store", "postgres", "--only", "snapshot")}
    assert lines["800 a second under a held snapshot"]["ratio"] > 0
    assert lines["throughput under a held snapshot"]["ratio"] > 0
    assert lines["dead rows under a held snapshot"]["figure"] > 0


def test_claims_beside_what_is_not_to_start_are_measured_on_sqlite() -> None:
    lines = measured("--store", "sqlite", "--only", "flow")
    cases = {item["note"]: item["ratio"] for item in lines if item["workload"] == "claim of 10"}
    assert len(cases) == 9
    assert all(ratio > 0 for ratio in cases.values())
    rules = [item["note"].partition(";")[0] for item in lines if item["workload"] == "wait of low jobs"]
    assert rules == ["SQLite: strict", "SQLite: aging", "SQLite: a reserve of 10 %"]


def test_a_peer_that_is_missing_is_reported_and_stops_nobody() -> None:
    def missing() -> dict[str, float]:
        raise NotMeasured("not installed")

    taken = take({"peer": missing, "ours": lambda: {"rate": 8.0}}, 3, lambda _text: None)
    found = line(taken, "SQLite drain, 1 worker", "ours", "peer", "/s")
    assert (found.figure, found.ratio, found.verdict, found.note) == (8.0, None, "?", "peer: not installed")


def test_a_ratio_is_the_median_of_the_ratios_of_single_rounds() -> None:
    ours, theirs = iter([10.0, 90.0, 40.0]), iter([10.0, 30.0, 10.0])
    taken = take({"ours": lambda: {"rate": next(ours)}, "bare": lambda: {"rate": next(theirs)}}, 3, lambda _text: None)
    assert taken.ratio("ours", "bare", "rate") == 3.0


@pytest.mark.parametrize(("ratio", "verdict"), [(0.44, "short"), (0.45, "ok"), (0.7, "good")])
def test_a_verdict_names_the_goal_that_is_reached(ratio: float, verdict: str) -> None:
    assert Line("PG drain, 1 worker", 1.0, "/s", beside="bare", base=1.0, ratio=ratio).verdict == verdict


def test_goals_say_what_they_ask() -> None:
    assert (str(at_least(0.45)), str(at_most(2.0, "figure"))) == ("≥ 0.45×", "≤ 2")


def test_the_http_service_is_measured_beside_a_bare_route_on_sqlite() -> None:
    lines = {item["workload"]: item for item in measured("--store", "sqlite", "--only", "http")}
    assert lines["SQLite HTTP POST /jobs"]["ratio"] > 0
    assert lines["SQLite HTTP POST /jobs, same insert"]["ratio"] > 0
    assert lines["SQLite HTTP claim 10 + complete 10"]["figure"] > 0
