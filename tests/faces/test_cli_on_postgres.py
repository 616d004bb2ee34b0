"""The command line on PostgreSQL: nothing is migrated by itself, and what the user must do is named."""

import json
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest
from click.testing import Result

from tenure import Tenure
from tenure.cli import exit_codes
from tenure.engine.exit_codes import BAD_START
from tests.conformance.postgres_server import shared
from tests.processes import Start

Run = Callable[..., Result]
PATIENCE = 60
pytestmark = pytest.mark.postgres


@pytest.fixture
def url(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Iterator[str]:
    """An empty database, which TENURE_DATABASE_URL names."""
    url = shared().fresh_database(migrated=False)
    monkeypatch.setenv("TENURE_DATABASE_URL", url)
    yield url
    shared().drop_database(url)


def test_a_schema_that_is_missing_is_told_with_the_command_that_makes_it(tenure: Run, url: str) -> None:
    worker = tenure("worker", "shop:app")
    assert worker.exit_code == BAD_START
    assert "tenure migrate" in worker.stderr
    stats = tenure("stats")
    assert (stats.exit_code, "tenure migrate" in stats.stderr) == (exit_codes.SCHEMA, True)
    doctor = tenure("doctor", "--json")
    assert (doctor.exit_code, "tenure migrate" in doctor.output) == (exit_codes.SCHEMA, True)


def test_a_server_that_does_not_answer_is_told_without_its_password(tenure: Run, folder: Path) -> None:
    done = tenure("stats", "--database", "postgresql://ada:secret-word@127.0.0.1:9/none")
    assert done.exit_code == exit_codes.UNAVAILABLE
    assert "secret-word" not in done.output
    assert len(done.stderr.splitlines()) == 1


def test_jobs_run_from_the_migration_to_the_time_line(tenure: Run, url: str, start: Start) -> None:
    assert json.loads(tenure("migrate", "--json").stdout)["applied"][0].startswith("0001_")
    assert "nothing to apply" in tenure("migrate").output
    made = json.loads(tenure("enqueue", "letter", '{"to": "ada", "pages": 2}', "--app", "shop:app", "--json").output)
    child = start("worker", "shop:app", "--processes", "2", "--shutdown-grace", "5")
    looking = Tenure(url)
    job = looking.get(made["id"])
    assert job is not None
    assert job.result(timeout=PATIENCE) == {"to": "ada"}
    looking.close()
    child.send_signal(signal.SIGTERM)
    child.communicate(timeout=PATIENCE)
    assert child.returncode == 0
    attempts = json.loads(tenure("jobs", "show", made["id"], "--json").output)["attempts"]
    assert [attempt["outcome"] for attempt in attempts] == ["failed", "succeeded"]
    doctor = tenure("doctor", "--json")
    assert doctor.exit_code == 0
    (room,) = [found["words"] for found in json.loads(doctor.output)["findings"] if found["check"] == "connections"]
    assert re.fullmatch(
        r"a worker process of 10 slots has up to 14 connections, and of the server's \d+ \d+ are left", room
    )


def test_a_service_goes_from_the_migration_to_its_end(tenure: Run, url: str, start: Start) -> None:
    assert tenure("migrate").exit_code == 0
    key = tenure("keys", "create", "--role", "admin", "--name", "root").stdout.strip()
    child = start("serve", "shop:app", "--port", "0")
    assert child.stderr is not None
    found = next(match for line in child.stderr if (match := re.search(r"http://127\.0\.0\.1:\d+", line)))
    with httpx2.Client(base_url=found[0], headers={"authorization": f"Bearer {key}"}, trust_env=False) as client:
        said = {"type": "letter", "payload": {"to": "ada", "pages": 2}, "idempotency_key": "letter/1"}
        made, again = (client.post("/jobs", json=said) for _ in range(2))
        assert (made.status_code, again.status_code) == (201, 200)
        lease = client.post("/jobs/claim", json={"types": ["letter"]}).json()
        assert lease["id"] == made.json()["id"] == again.json()["id"]
        done = {"lease_token": lease["lease_token"], "result": {"to": "ada"}}
        assert client.post(f"/jobs/{lease['id']}/complete", json=done).status_code == 200
        assert client.get(f"/jobs/{lease['id']}").json()["result"] == {"to": "ada"}
        assert client.get("/readyz").json() == {"ready": True, "troubles": []}
    child.send_signal(signal.SIGTERM)
    log = child.communicate(timeout=PATIENCE)[1]
    assert (child.returncode, "Traceback" in log) == (0, False)
