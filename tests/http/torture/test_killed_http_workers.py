"""Jobs through eight workers over HTTP, of which one is killed again and again: none is lost, none is done by a token
that no longer stands."""

import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.client.serving import Served, serving
from tests.crash.harness import until
from tests.databases import EITHER, fresh

WORKERS = 8
WORKER = Path(__file__).with_name("worker.py")
LONGEST = 600.0


class Herd:
    """Eight workers, each under a credential of its own; the one that takes a killed one's place gets a fresh one."""

    def __init__(self, served: Served, ledger: Path, seconds: float) -> None:
        self._served, self._ledger, self._seconds = served, ledger, seconds
        self._numbers = itertools.count(1)
        self.keys: dict[str, str] = {}
        self.processes = [self._start() for _ in range(WORKERS)]
        self.kills = 0

    def kill_one(self, dice: random.Random) -> None:
        place = dice.randrange(WORKERS)
        victim = self.processes[place]
        assert victim.poll() is None, "a worker left by itself"
        os.kill(victim.pid, signal.SIGKILL)
        victim.wait()
        self.kills += 1
        self.processes[place] = self._start()

    def end(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()

    def _start(self) -> "subprocess.Popen[bytes]":
        name = f"w{next(self._numbers)}"
        self.keys[name] = self._served.key("worker", name)
        command = [
            sys.executable,
            str(WORKER),
            self._served.url,
            self.keys[name],
            str(self._ledger),
            str(self._seconds),
        ]
        return subprocess.Popen(command)


@pytest.mark.parametrize("kind", EITHER)
def test_five_hundred_jobs_survive_workers_that_are_killed(kind: str, tmp_path: Path) -> None:
    torture(fresh(kind, tmp_path), tmp_path / "ledger", jobs=500, every=0.7, seconds=0.03)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", EITHER)
def test_five_thousand_jobs_survive_a_kill_each_second(kind: str, tmp_path: Path) -> None:
    torture(fresh(kind, tmp_path), tmp_path / "ledger", jobs=5_000, every=1.0, seconds=0.02)


def torture(url: str, ledger: Path, jobs: int, every: float, seconds: float) -> None:
    """every: seconds from kill to kill. seconds: that a job takes."""
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")  # noqa: T201 (shown by pytest when the test fails)
    dice = random.Random(seed)
    with serving(url, sweep=0.2) as served, chief_of(served) as chief:
        ids = filled(chief, jobs)
        herd = Herd(served, ledger, seconds)
        try:
            until(lambda: ledger.exists(), "the first effect")
            _kill_until_done(herd, chief, dice, every)
        finally:
            herd.end()
        assert herd.kills > 2
        check(served, chief, ids, ledger, herd)


def _kill_until_done(herd: Herd, chief: httpx2.Client, dice: random.Random, every: float) -> None:
    end = time.monotonic() + LONGEST
    while chief.get("/jobs", params={"status": "pending", "limit": 1}).json()["jobs"]:
        assert time.monotonic() < end, "the jobs do not end"
        time.sleep(every)  # the rhythm of the kills; nothing waits for it
        herd.kill_one(dice)
    until(lambda: _is_calm(chief), "nothing runs any more", 60)


def _is_calm(chief: httpx2.Client) -> bool:
    """In one look: between two of them a job may go from running to pending unseen."""
    lanes = chief.get("/queues").json()["queues"]
    return not any(lane["jobs"].get(state) for lane in lanes for state in ("scheduled", "ready", "blocked", "running"))


def chief_of(served: Served) -> httpx2.Client:
    headers = {"authorization": f"Bearer {served.key('admin', 'chief')}"}
    return httpx2.Client(base_url=served.url, headers=headers, timeout=60, trust_env=False)


def filled(chief: httpx2.Client, jobs: int) -> set[str]:
    assert chief.put("/kinds/mail", json={"max_retries": 50}).status_code == 200
    ids: set[str] = set()
    for _ in range(0, jobs, 500):
        told = chief.post("/jobs/batch", json={"jobs": [{"type": "mail"}] * 500}).json()["jobs"]
        ids |= {one["id"] for one in told if one["status"] == 201}
    assert len(ids) == jobs
    return ids


def check(served: Served, chief: httpx2.Client, ids: set[str], ledger: Path, herd: Herd) -> None:
    """The ledger of the effects and the database tell the same story."""
    lines: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for text in ledger.read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        lines[line["job"]].append(line)
    assert set(lines) == ids, "a job without an effect"
    lost = 0
    for job_id in ids:
        job = served.app.read(job_id)
        assert job is not None
        assert job.state.value == "succeeded", job
        attempts = {one["number"]: one for one in chief.get(f"/jobs/{job_id}/attempts").json()["attempts"]}
        winners = [one for one in attempts.values() if one["outcome"] == "succeeded"]
        assert len(winners) == 1, attempts
        assert sorted(attempts) == list(range(1, len(attempts) + 1))
        fencing = [attempts[number]["fencing_token"] for number in sorted(attempts)]
        assert fencing == sorted(set(fencing))
        assert job.result == str(winners[0]["number"])
        lost += len(attempts) - 1
        for line in lines[job_id]:
            attempt = attempts[line["attempt"]]
            assert (attempt["fencing_token"], attempt["worker_id"]) == (line["fencing"], line["worker"])
            if line["event"] == "acknowledged":
                assert attempt is winners[0], "an attempt that had been lost was acknowledged"
            if line["event"] == "refused":
                assert attempt is not winners[0]
    assert lost > 0, "no kill hit a job"
    _old_tokens_are_stale(served, lines, herd)


def _old_tokens_are_stale(served: Served, lines: dict[str, list[dict[str, Any]]], herd: Herd) -> None:
    """Every token of an attempt that did not win is refused, by its own worker too, and changes nothing."""
    for job_id, told in lines.items():
        effects = [line for line in told if line["event"] == "effect"]
        if len(effects) < 2:
            continue
        before = served.app.read(job_id)
        assert before is not None
        for line in effects:
            headers = {"authorization": f"Bearer {herd.keys[line['worker']]}"}
            body = {"lease_token": line["token"], "result": "stale"}
            url = f"{served.url}/jobs/{job_id}/complete"
            answer = httpx2.post(url, json=body, headers=headers, trust_env=False)
            if str(line["attempt"]) == before.result:
                assert (answer.status_code, answer.json()["repeated"]) == (200, True)
            else:
                assert (answer.status_code, answer.json()["code"]) == (409, "stale_lease")
        assert served.app.read(job_id) == before
