"""V-10: error texts are cleaned before they are stored, and shown by role."""

from typing import Any, Final

import pytest

from tenure.core.errors import StoreUnavailable
from tenure.core.principal import Role
from tests.security.gate import Gate

SECRETS: Final = {
    "a connection string": ("cannot reach postgresql://app:hunter2@db.internal:5432/prod", "hunter2", "db.internal"),
    "a URL with a key": ("GET https://api.example/v1?api_key=k3y failed", "k3y", "api.example"),
    "a password": ("login failed: password=hunter2, retrying", "hunter2"),
    "a quoted password": ('{"password": "hunter2"}', "hunter2"),
    "a bearer token": ("401 for Authorization: Bearer abcdefgh12345678", "abcdefgh12345678"),
    "a JWT": ("bad token eyJhbGciOi.eyJzdWIiOiIx.c2lnbmF0dXJl", "c2lnbmF0dXJl"),
    "a key of ours": ("used token=tenure_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "tenure_AAAA"),
    "a path": ("no such file: /home/alice/projects/secret/settings.py", "alice", "settings.py"),
    "a path of Windows": (r"no such file: C:\Users\alice\secret.txt", "alice"),
}
SEES_TEXT: Final = {Role.PRODUCER, Role.WORKER, Role.OPERATOR, Role.ADMIN}
SEES_TRACEBACK: Final = {Role.OPERATOR, Role.ADMIN}


def failed(gate: Gate, error: str, traceback: str = "", **said: Any) -> dict[str, Any]:
    """A job that ended with this error, its payload, result, progress and holder filled."""
    admin = gate.key("admin")
    job = {"type": "mail", "payload": {"p": "PAYLOAD"}, "idempotency_key": "KEY", "max_retries": 0, **said}
    assert gate.call(admin, "enqueue", job).status_code == 201
    held = gate.call(gate.key("worker"), "claim", {"holder": {"host": "HOST"}})
    worker = gate.key("worker", "reporter")
    assert held.status_code == 200
    token = gate.sealed(gate.stored_token(held.json()["id"]), "reporter")
    body = {"lease_token": token, "error": error, "progress": "PROGRESS", "code": "broken"}
    ended = gate.call(worker, "fail", body | ({"traceback": traceback} if traceback else {}), id=held.json()["id"])
    assert ended.status_code == 200, ended.text
    told: dict[str, Any] = ended.json()
    return told


@pytest.mark.parametrize("said", SECRETS.values(), ids=SECRETS)
def test_secrets_addresses_and_paths_are_taken_out(gate: Gate, said: tuple[str, ...]) -> None:
    text, *secrets = said
    job = failed(gate, text)
    shown = [
        gate.call(gate.key(role), name, id=job["id"]).text for role in Role for name in ("show_job", "list_attempts")
    ]
    for secret in secrets:
        assert all(secret not in one for one in shown)
        assert secret not in str(gate.store.run(gate.store.verbs.read([job["id"]])))


@pytest.mark.parametrize(("size", "most"), [(100_000, 4096), (400_000, 4096)])
def test_a_long_error_is_cut(gate: Gate, size: int, most: int) -> None:
    job = failed(gate, "ä " * (size // 8))
    assert len(job["error"].encode()) <= most


@pytest.mark.parametrize("role", Role)
def test_what_is_shown_of_a_failure_goes_by_role(gate: Gate, role: Role) -> None:
    job = failed(gate, "ERROR", traceback="TRACEBACK")
    text = gate.key(role)
    asked = [gate.call(text, name, **path) for name, path in (("show_job", {"id": job["id"]}), ("list_jobs", {}))]
    asked.append(gate.call(text, "list_attempts", id=job["id"]))
    assert [answer.status_code for answer in asked] == [200, 200, 200]
    shown, listed, attempts = (answer.text for answer in asked)
    assert job["id"] in shown
    assert job["id"] in listed
    for where in (shown, listed, attempts):
        assert ("ERROR" in where) is (role in SEES_TEXT)
    assert ("PROGRESS" in attempts) is (role in SEES_TEXT)
    for where in (shown, listed):
        assert ("PAYLOAD" in where) is (role in SEES_TEXT)
        assert ("KEY" in where) is (role in SEES_TEXT)
        assert "TRACEBACK" not in where
        assert "HOST" not in where
    assert ("TRACEBACK" in attempts) is (role in SEES_TRACEBACK)
    assert ("HOST" in attempts) is (role in SEES_TRACEBACK)
    assert '"error_code":"broken"' in shown


@pytest.mark.parametrize("role", Role)
def test_a_result_is_shown_by_role(gate: Gate, role: Role) -> None:
    admin = gate.key("admin")
    job = gate.call(admin, "enqueue", {"type": "mail"}).json()
    held = gate.call(admin, "claim", {}).json()
    done = {"lease_token": held["lease_token"], "result": "RESULT"}
    assert gate.call(admin, "complete", done, id=job["id"]).status_code == 200
    for name, path in (("show_job", {"id": job["id"]}), ("list_jobs", {})):
        answer = gate.call(gate.key(role), name, **path)
        assert answer.status_code == 200
        assert job["id"] in answer.text
        assert ("RESULT" in answer.text) is (role in SEES_TEXT)


@pytest.mark.parametrize("role", [Role.WORKER, Role.ADMIN])
def test_a_claim_shows_the_last_error_and_no_traceback(gate: Gate, role: Role) -> None:
    failed(gate, "ERROR", traceback="TRACEBACK", max_retries=3)
    gate.clock.advance(7200)  # type: ignore[attr-defined]
    assert gate.store.run(gate.store.verbs.promote(10)).count == 1
    claimed = gate.call(gate.key("worker") if role is Role.WORKER else gate.key("admin"), "claim", {"wait": 0})
    assert claimed.status_code == 200
    assert claimed.json()["error"] == "ERROR"
    assert "TRACEBACK" not in claimed.text
    assert "HOST" not in claimed.text


def test_hosts_of_workers_are_for_operators(gate: Gate) -> None:
    admin = gate.key("admin")
    assert gate.call(admin, "enqueue", {"type": "mail"}).status_code == 201
    assert gate.call(admin, "claim", {"holder": {"host": "HOST"}}).status_code == 200
    for role in Role:
        answer = gate.call(gate.key(role), "list_workers")
        assert (answer.status_code, len(answer.json()["workers"])) == (200, 1)
        assert ("HOST" in answer.text) is (role in SEES_TRACEBACK)


def test_other_callers_jobs_are_in_no_answer(gate: Gate) -> None:
    job = failed(gate, "ERROR", traceback="TRACEBACK", tenant="theirs")
    for role in Role:
        text = gate.key(role, tenants=["mine"])
        for name in ("show_job", "list_attempts"):
            answer = gate.call(text, name, id=job["id"])
            assert answer.status_code == 404
            assert "theirs" not in answer.text
        for name in ("list_jobs", "list_queues", "list_tenants", "list_workers"):
            answer = gate.call(text, name)
            assert answer.status_code == 200
            assert "theirs" not in answer.text
            assert job["id"] not in answer.text


@pytest.mark.parametrize("status", [500, 503])
def test_what_goes_wrong_inside_is_told_to_nobody(
    gate: Gate, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    """The log has it, under the request id that the answer names."""
    admin = gate.key("admin")
    assert gate.call(admin, "list_jobs").status_code == 200
    words = "cannot reach postgresql://app:hunter2@db.internal/prod at /srv/app/db.py"

    async def broken(*_said: Any, **_named: Any) -> Any:
        raise StoreUnavailable(words) if status == 503 else RuntimeError(words)

    monkeypatch.setattr(gate.store, "arun", broken)
    answer = gate.call(admin, "list_jobs")
    assert answer.status_code == status
    for secret in ("hunter2", "db.internal", "/srv", "RuntimeError", "Traceback", "postgresql"):
        assert secret not in answer.text
    assert answer.json()["request_id"] in caplog.text
