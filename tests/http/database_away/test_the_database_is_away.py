"""The database goes away under a running service: 503 with Retry-After in bounded time and never a hang; when it is
back, so is the service, without a restart."""

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import httpx2
import psycopg
import pytest

from tests.client.serving import Served, serving
from tests.crash.harness import until
from tests.crash.sites import stoppable_server
from tests.security.gate import NOBODY

LIMIT: Final = 1.0
"""Seconds that the database has for an answer in these tests."""

HANGS: Final = 20.0
"""Whoever waits so long was left hanging: far beyond the limit, so that a slow machine is no hang."""

READS: Final = {
    "list": ("GET", "/jobs", None),
    "show": ("GET", f"/jobs/{NOBODY}", None),
    "kinds": ("GET", "/kinds", None),
    "keys": ("GET", "/keys", None),
    "queues": ("GET", "/queues", None),
    "audit": ("GET", "/audit", None),
    "metrics": ("GET", "/metrics", None),
}
WRITES: Final[dict[str, tuple[str, str, Any]]] = {
    "enqueue": ("POST", "/jobs", {"type": "mail", "idempotency_key": "k"}),
    "batch": ("POST", "/jobs/batch", {"jobs": [{"type": "mail", "idempotency_key": "b"}]}),
    "claim": ("POST", "/jobs/claim", {"claim_id": "c"}),
    "long poll": ("POST", "/jobs/claim", {"claim_id": "d", "wait": 1}),
    "kind": ("PUT", "/kinds/other", {}),
}
LEASED: Final[dict[str, Any]] = {
    "heartbeat": {}, "complete": {}, "fail": {}, "release": {}, "snooze": {"delay": 1},
}  # fmt: skip


class Caller:
    """With every right, and a running job of its own."""

    def __init__(self, served: Served) -> None:
        self.database = served.app.url
        headers = {"authorization": f"Bearer {served.key('admin', 'chief')}"}
        self.client = httpx2.Client(base_url=served.url, headers=headers, timeout=HANGS, trust_env=False)
        assert self.client.put("/kinds/mail", json={}).status_code == 200
        assert self.client.post("/jobs", json={"type": "mail"}).status_code == 201
        self.job = self.client.post("/jobs/claim", json={}).json()

    def ask(self, method: str, path: str, body: Any) -> httpx2.Response:
        return self.client.request(method, path, **({} if body is None else {"json": body}))

    def leased(self) -> dict[str, tuple[str, str, Any]]:
        token = {"lease_token": self.job["lease_token"]}
        return {verb: ("POST", f"/jobs/{self.job['id']}/{verb}", token | more) for verb, more in LEASED.items()}

    def at_once(self, calls: dict[str, tuple[str, str, Any]]) -> dict[str, httpx2.Response]:
        """All of them side by side; the answers."""
        answers: dict[str, httpx2.Response] = {}

        def run(name: str) -> None:
            answers[name] = self.ask(*calls[name])

        threads = [threading.Thread(target=run, args=(name,)) for name in calls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert answers.keys() == calls.keys(), "somebody was left hanging"
        return answers


def check_away(answer: httpx2.Response, name: str) -> None:
    assert answer.status_code == 503, (name, answer.text)
    assert int(answer.headers["retry-after"]) >= 1
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["detail"] == "The database does not answer at present."
    assert answer.json()["code"] in ("store_unavailable", "store_busy"), name


def check_back(caller: Caller) -> None:
    """Everything works again, and the calls that were in doubt are settled by a repeat."""
    until(lambda: caller.client.get("/readyz").status_code == 200, "the service is ready")
    made = caller.client.post("/jobs", json=WRITES["enqueue"][2])
    assert made.status_code in (200, 201)
    again = caller.client.post("/jobs", json=WRITES["enqueue"][2])
    assert (again.status_code, again.json()["id"]) == (200, made.json()["id"])
    ended = [caller.ask(*call) for verb, call in caller.leased().items() if verb != "heartbeat"]
    assert sorted(answer.status_code for answer in ended) == [200, 409, 409, 409], "one end, whichever came through"
    listed = caller.client.get("/jobs").json()["jobs"]
    keys = [job["idempotency_key"] for job in listed if job["idempotency_key"]]
    assert len(keys) == len(set(keys))


@pytest.mark.postgres
class TestPostgres:
    @pytest.fixture
    def caller(self) -> Iterator[Caller]:
        with serving(stoppable_server().fresh_database(), answer_seconds=LIMIT, sweep=0.5) as served:
            caller = Caller(served)
            yield caller
            caller.client.close()

    def test_a_server_that_is_stopped_and_started_again(self, caller: Caller) -> None:
        stoppable_server().stop(immediate=True)
        try:
            for name, answer in caller.at_once({**READS, **WRITES, **caller.leased()}).items():
                check_away(answer, name)
            assert caller.client.get("/healthz").status_code == 200
            assert caller.client.get("/readyz").status_code == 503
            assert caller.client.get("/openapi.json").status_code == 200
        finally:
            stoppable_server().start()
        check_back(caller)

    def test_a_key_that_nobody_has_seen_yet_is_no_401_while_the_database_is_away(self, caller: Caller) -> None:
        """It may be a good one: its owner is to come back, not to give up."""
        stoppable_server().stop(immediate=True)
        try:
            headers = {"authorization": "Bearer tenure_" + "A" * 43}
            check_away(caller.client.get("/jobs", headers=headers), "unknown key")
        finally:
            stoppable_server().start()
        until(lambda: caller.client.get("/jobs", headers=headers).status_code == 401, "the key is looked up")

    def test_tables_that_somebody_has_locked(self, caller: Caller) -> None:
        """The database answers nothing, and refuses nothing: what waits is given up in time."""
        with locked_tables(caller.database):
            for name, answer in caller.at_once({**READS, **WRITES, **caller.leased()}).items():
                check_away(answer, name)
        check_back(caller)


@contextmanager
def locked_tables(url: str) -> Iterator[None]:
    with psycopg.connect(url) as connection:
        connection.execute("LOCK TABLE tenure_jobs, tenure_attempts, tenure_kinds, tenure_keys, tenure_audit")
        yield
        connection.rollback()


class TestSqlite:
    HOLDER = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); "
        "c.execute('BEGIN IMMEDIATE'); print('held', flush=True); sys.stdin.read()"
    )

    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        return tmp_path / "tenure.db"

    @pytest.fixture
    def caller(self, file: Path) -> Iterator[Caller]:
        with serving(f"sqlite:///{file}", answer_seconds=LIMIT, sweep=0.5) as served:
            caller = Caller(served)
            yield caller
            caller.client.close()

    @contextmanager
    def held(self, file: Path) -> Iterator[None]:
        """Another process holds the lock of writers."""
        command = [sys.executable, "-c", self.HOLDER, str(file)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
            assert holder.stdout is not None
            assert holder.stdout.readline() == b"held\n"
            yield
            assert holder.stdin is not None
            holder.stdin.close()

    def test_a_file_that_another_process_has_locked(self, caller: Caller, file: Path) -> None:
        with self.held(file):
            for name, answer in caller.at_once({**WRITES, **caller.leased()}).items():
                check_away(answer, name)
            assert caller.client.get("/healthz").status_code == 200
            assert caller.client.get("/jobs").status_code == 200, "readers do not wait for a writer"
        check_back(caller)

    def test_nothing_is_lost_or_doubled_by_calls_that_were_given_up(self, caller: Caller, file: Path) -> None:
        body = {"type": "mail", "idempotency_key": "the one"}
        with self.held(file):
            for _ in range(3):
                check_away(caller.ask("POST", "/jobs", body), "enqueue")
        made = [caller.ask("POST", "/jobs", body) for _ in range(2)]
        assert {answer.status_code for answer in made} <= {200, 201}
        with closing(sqlite3.connect(file)) as connection:
            [count] = connection.execute("SELECT count(*) FROM tenure_jobs").fetchone()
        assert count == 2
