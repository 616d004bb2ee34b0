"""The worker of examples/node-worker against the real service: processes, signals, lost leases."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tenure.client import Client, EnqueuedJob
from tests.client.serving import Served
from tests.client.shedding import shedding

PROGRAM = Path(__file__).parents[2] / "examples" / "node-worker" / "worker.mjs"
PATIENCE = 60.0

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")


class Nodes:
    """Worker processes, under one key each."""

    def __init__(self, served: Served, folder: Path) -> None:
        self._served, self._folder = served, folder
        self._started: list[subprocess.Popen[bytes]] = []
        self.program = PROGRAM

    def start(self, name: str, **environ: str) -> subprocess.Popen[bytes]:
        key = self._served.key("worker", name, kinds=["count-words"])
        process = self.begin(name, TENURE_KEY=key, **environ)
        until(lambda: "works on count-words" in self.said(name))
        return process

    def begin(self, name: str, **environ: str) -> subprocess.Popen[bytes]:
        """Whether or not it can start."""
        known = {"TENURE_URL": self._served.url, "LEASE_SECONDS": "1", "PATH": os.environ["PATH"]}
        with self.log(name).open("wb") as log:
            process = subprocess.Popen(["node", str(self.program)], env=known | environ, stderr=log)
        self._started.append(process)
        return process

    def said(self, name: str) -> str:
        return self.log(name).read_text(encoding="utf-8")

    def log(self, name: str) -> Path:
        return self._folder / f"{name}.log"

    def close(self) -> None:
        for process in self._started:
            process.kill()
            process.wait()


@pytest.fixture
def nodes(served: Served, tmp_path: Path) -> Iterator[Nodes]:
    made = Nodes(served, tmp_path)
    yield made
    made.close()


@pytest.fixture
def chief(served: Served) -> Client:
    return served.client()


def until(holds: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.02)


def enqueued(client: Client, text: str = "to be or not", seconds: float = 0) -> EnqueuedJob:
    job = client.enqueue("count-words", {"text": text, "seconds": seconds})
    assert isinstance(job, EnqueuedJob)
    return job


def becomes(client: Client, job: EnqueuedJob, state: str) -> None:
    until(lambda: client.job(job.id).state == state)


def begins(nodes: Nodes, job: EnqueuedJob) -> None:
    """Waits until the first worker says that it works on it."""
    until(lambda: f"{job.id} attempt" in nodes.said("node-1"))


def test_it_declares_its_kind_and_does_its_jobs(nodes: Nodes, chief: Client) -> None:
    nodes.start("node-1")
    schema = chief.kind("count-words").schema
    assert schema is not None
    assert schema["required"] == ["text"]
    job = enqueued(chief)
    becomes(chief, job, "succeeded")
    assert chief.job(job.id).result == {"words": 4, "characters": 12}
    (attempt,) = chief.attempts(job.id)
    assert (attempt.worker_id, set(attempt.holder)) == ("node-1", {"host", "process"})


def test_work_whose_result_is_not_taken_is_not_done_again(nodes: Nodes, chief: Client, tmp_path: Path) -> None:
    text = PROGRAM.read_text(encoding="utf-8")
    program = tmp_path / "worker.mjs"
    program.write_text(text.replace("await countWords(job.payload, signal)", '"x".repeat(300_000)'), encoding="utf-8")
    nodes.program = program
    nodes.start("node-1")
    job = enqueued(chief)
    becomes(chief, job, "failed")
    (attempt,) = chief.attempts(job.id)
    assert (attempt.error_class, attempt.error_code) == ("terminal", "report_refused")


def test_a_kind_that_stands_otherwise_stays_and_its_jobs_are_done(nodes: Nodes, chief: Client) -> None:
    """As after `tenure kinds set --name count-words`: a worker of one tenant may not change what stands."""
    before = chief.set_kind("count-words", timeout=7)
    nodes.start("node-1")
    (told,) = [line for line in nodes.said("node-1").splitlines() if "stays as it was declared" in line]
    assert "403 tenant_forbidden: " in told
    assert "--tenants" in told
    job = enqueued(chief)
    becomes(chief, job, "succeeded")
    assert chief.kind("count-words") == before


def test_a_payload_that_no_retry_can_mend_fails_at_once(nodes: Nodes, chief: Client) -> None:
    nodes.start("node-1")
    job = enqueued(chief, "a \ufffd")
    becomes(chief, job, "failed")
    (attempt,) = chief.attempts(job.id)
    assert (attempt.error_class, attempt.error_code) == ("terminal", "broken_text")


def test_a_job_that_outlives_many_leases_is_done_once(nodes: Nodes, chief: Client) -> None:
    nodes.start("node-1")
    job = enqueued(chief, seconds=3)
    becomes(chief, job, "succeeded")
    assert len(chief.attempts(job.id)) == 1


def test_after_kill_9_in_the_middle_a_second_worker_does_the_job(nodes: Nodes, chief: Client) -> None:
    first = nodes.start("node-1")
    job = enqueued(chief, seconds=1)
    begins(nodes, job)
    first.kill()
    first.wait()
    nodes.start("node-2")
    becomes(chief, job, "succeeded")
    lost, done = chief.attempts(job.id)
    assert (lost.worker_id, lost.outcome) == ("node-1", "lease_expired")
    assert (done.worker_id, done.outcome) == ("node-2", "succeeded")


def test_sigterm_gives_back_what_does_not_end_within_the_grace(nodes: Nodes, chief: Client) -> None:
    process = nodes.start("node-1", GRACE_SECONDS="0.2")
    job = enqueued(chief, seconds=60)
    begins(nodes, job)
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE) == 0
    assert chief.job(job.id).state == "ready"
    (attempt,) = chief.attempts(job.id)
    assert (attempt.outcome, attempt.begun) == ("released", True)


def test_sigterm_lets_end_what_ends_within_the_grace_and_claims_nothing_more(nodes: Nodes, chief: Client) -> None:
    process = nodes.start("node-1")
    job = enqueued(chief, seconds=1)
    begins(nodes, job)
    process.send_signal(signal.SIGTERM)
    waiting = enqueued(chief)
    assert process.wait(PATIENCE) == 0
    assert [chief.job(one.id).state for one in (job, waiting)] == ["succeeded", "ready"]


def test_sigterm_while_it_waits_for_work_leaves_no_lease_behind(nodes: Nodes, chief: Client) -> None:
    process = nodes.start("node-1")
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE) == 0
    job = enqueued(chief)
    assert chief.job(job.id).state == "ready"
    assert chief.workers() == []


def test_a_cancelled_job_stops(nodes: Nodes, chief: Client) -> None:
    nodes.start("node-1")
    job = enqueued(chief, seconds=60)
    begins(nodes, job)
    chief.cancel(job.id)
    becomes(chief, job, "cancelled")


def test_a_worker_that_slept_through_its_lease_drops_the_job(nodes: Nodes, chief: Client, served: Served) -> None:
    process = nodes.start("node-1")
    job = enqueued(chief, seconds=60)
    begins(nodes, job)
    process.send_signal(signal.SIGSTOP)
    other = served.client("worker", "w2")
    taken = other.claim(types=["count-words"], wait=20.0)
    assert taken is not None
    process.send_signal(signal.SIGCONT)
    other.complete(taken.id, taken.lease_token, result="by the other")
    after = enqueued(chief)
    becomes(chief, after, "succeeded")
    assert chief.job(job.id).result == "by the other"
    assert f"{job.id} complete" not in nodes.said("node-1")


def test_a_start_that_no_repeating_mends_ends_with_one_line_and_code_13(nodes: Nodes, served: Served) -> None:
    producer = served.key("producer", "web")
    wrong = {
        "401 unauthenticated: ": {"TENURE_KEY": "tenure_wrong"},
        "403 role_forbidden: ": {"TENURE_KEY": producer},
        "404 ": {"TENURE_KEY": producer, "TENURE_URL": f"{served.url}/elsewhere"},
        "Failed to parse URL": {"TENURE_URL": "nowhere"},
    }
    for place, (words, environ) in enumerate(wrong.items()):
        assert nodes.begin(f"node-{place}", **environ).wait(PATIENCE) == 13
        (line,) = nodes.said(f"node-{place}").splitlines()
        assert f" cannot start: {words}" in line


def test_a_key_that_is_revoked_ends_the_worker_with_one_line(nodes: Nodes, chief: Client) -> None:
    process = nodes.start("node-1")
    known = chief.keys()
    (own,) = (key.id for key in known if key.name == "node-1")
    chief.revoke_key(own)
    enqueued(chief)
    assert process.wait(PATIENCE) == 1
    assert " cannot go on: 401 unauthenticated: " in nodes.said("node-1").splitlines()[-1]


def test_it_waits_as_long_as_the_service_says_and_hears_a_signal_meanwhile(nodes: Nodes) -> None:
    with shedding() as url:
        process = nodes.begin("node-1", TENURE_URL=url)
        until(lambda: ", again in 600.0 s" in nodes.said("node-1"))
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
