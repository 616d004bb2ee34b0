"""B58, over HTTP: whatever a job's texts say, an answer is data. It names a type that no browser draws, forbids to
guess another, and the text comes back as it was sent, never outside of a string."""

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest

from tenure.stores.memory import MemoryStore
from tenure.testing import FakeClock
from tests.security.gate import Gate, gate_of

HOSTILE: Final = (
    "<img src=x onerror=alert(1)>", '" onmouseover="alert(1)', "</script><script>alert(1)</script>", "javascript:alert(1)",
    "'><svg/onload=alert(1)>", '\n# TYPE x counter\nx{a="b"} 1', "{{7*7}}", "x\u2028\u2029y",
)  # fmt: skip


@pytest.fixture
def gate(clock: FakeClock) -> Iterator[Gate]:
    with gate_of(MemoryStore(clock=clock), clock) as made:
        yield made


def failed(gate: Gate, admin: str, text: str) -> dict[str, Any]:
    """A job that says the text wherever a job can."""
    assert gate.call(admin, "set_kind", {"queue": text}, name=text).status_code == 200
    said = {
        "type": text, "queue": text, "tenant": text, "tags": [text], "idempotency_key": text, "payload": {text: text},
    }  # fmt: skip
    assert gate.call(admin, "enqueue", said).status_code == 201
    held = gate.call(admin, "claim", {"types": [text], "queues": [text], "holder": {"host": text}}).json()
    token = {"lease_token": held["lease_token"]}
    assert gate.call(admin, "save_checkpoint", {**token, "value": text}, id=held["id"], name=text).status_code == 200
    end = {**token, "class": "terminal", "code": text, "error": text, "traceback": text, "progress": text}
    ended = gate.call(admin, "fail", end, id=held["id"])
    assert ended.status_code == 200
    return dict(ended.json())


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_a_job_is_more_than_text(gate: Gate, text: str) -> None:
    admin = gate.key("admin")
    job = failed(gate, admin, text)
    assert (job["type"], job["payload"], job["error"], job["error_code"]) == (text, {text: text}, text, text)
    asked = [
        gate.call(admin, "show_job", id=job["id"]),
        gate.call(admin, "list_attempts", id=job["id"]),
        gate.call(admin, "list_checkpoints", id=job["id"]),
        gate.call(admin, "show_kind", name=text),
        *(gate.call(admin, name) for name in ("list_jobs", "list_kinds", "list_queues", "list_tenants", "list_audit")),
        gate.call(admin, "list_jobs", query={"type": text, "tag": text, "code": text}),
    ]
    for answer in asked:
        assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert json.dumps(text, ensure_ascii=False)[1:-1] in answer.text or text in str(answer.json())


@pytest.mark.parametrize("text", HOSTILE)
def test_a_refusal_that_repeats_what_was_sent_is_data_too(gate: Gate, text: str) -> None:
    admin = gate.key("admin")
    refusals = [
        gate.call(admin, "enqueue", {"type": text}),
        gate.call(admin, "enqueue", {"type": "mail", text: 1}),
        gate.call(admin, "list_jobs", query={"status": text}),
    ]
    for answer in refusals:
        assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
        assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("text", HOSTILE)
def test_figures_stay_lines_of_text(gate: Gate, text: str) -> None:
    admin = gate.key("admin")
    failed(gate, admin, text)
    answer = gate.ask(admin, "GET", "/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain")
    assert answer.headers["x-content-type-options"] == "nosniff"
    lines = [line for line in answer.text.split("\n") if line]
    assert any("failed" in line for line in lines)
    assert all(line.startswith(("# HELP tenure_", "# TYPE tenure_", "tenure_")) for line in lines)


def test_the_page_of_operations_takes_no_text_of_a_job(gate: Gate) -> None:
    admin = gate.key("admin")
    failed(gate, admin, HOSTILE[0])
    answer = gate.ask(None, "GET", "/docs")
    assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (200, "text/html")
    assert "alert(1)" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
