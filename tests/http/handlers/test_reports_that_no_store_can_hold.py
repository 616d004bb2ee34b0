"""B51, over HTTP: what a worker tells of work that is done is taken, whatever stands in it. A result that can be read
and not be stored ends the job with a code of its own, texts are mended, and the work is not done again."""

import json
from collections.abc import Iterator
from typing import Any, Final

import httpx2
import pytest

from tenure.stores.protocol import Store
from tenure.testing import FakeClock
from tests.security.gate import Gate, gate_of, refusal

TEXTS: Final = {"NUL": (r"a\u0000b", "a\ufffdb"), "a lone surrogate": (r"\ud800", "\ufffd")}
TEXT: Final = pytest.mark.parametrize(("sent", "kept"), TEXTS.values(), ids=TEXTS)

RESULTS: Final = {
    "NUL": (r'"a\u0000b"', "result_nul_character"),
    "NUL in a key": (r'{"a\u0000b":1}', "result_nul_character"),
    "a lone surrogate": (r'["x","\ud800"]', "result_lone_surrogate"),
    "NaN": ('{"share":NaN}', "result_number_out_of_range"),
    "1e400": ("1e400", "result_number_out_of_range"),
    "an integer of 400 digits": ("9" * 400, "result_number_out_of_range"),
    "an integer of 9,000 digits": ("9" * 9000, "result_number_out_of_range"),
    "the same key twice": ('{"a":{"b":1,"b":2}}', "result_duplicate_key"),
    "too deep by one": ("[" * 65 + "]" * 65, "result_too_deep"),
    "far too deep": ("[" * 800 + "]" * 800, "result_too_deep"),
    "deeper than a parser goes": ("[" * 9000 + "]" * 9000, "result_too_deep"),
    "objects deeper than a parser goes": ('{"a":[1,' * 9000 + "1" + "]}" * 9000, "result_too_deep"),
    "too large": ('"' + "x" * 70_000 + '"', "result_too_large"),
}
RESULT: Final = pytest.mark.parametrize(("result", "code"), RESULTS.values(), ids=RESULTS)


class Worker:
    """An admin's key that does a worker's work, in bodies as they are written on the wire."""

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        self.key = gate.key("admin")

    def claimed(self) -> dict[str, Any]:
        assert self.gate.call(self.key, "enqueue", {"type": "mail"}).status_code == 201
        job: dict[str, Any] = self.gate.call(self.key, "claim", {}).json()
        return job

    def tells(self, job: dict[str, Any], verb: str, **written: str) -> httpx2.Response:
        """written: members in JSON."""
        return self.posts(f"/jobs/{job['id']}/{verb}", body(job, **written))

    def posts(self, path: str, content: str) -> httpx2.Response:
        headers = {"content-type": "application/json"}
        return self.gate.ask(self.key, "POST", path, content=content.encode(), headers=headers)

    def shown(self, job: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = self.gate.call(self.key, "show_job", id=job["id"]).json()
        return found

    def listed(self, job: dict[str, Any], operation: str, named: str) -> dict[str, Any]:
        [found] = self.gate.call(self.key, operation, id=job["id"]).json()[named]
        return dict(found)

    def has_nothing_to_do(self) -> bool:
        return self.gate.call(self.key, "claim", {}).status_code == 204


def body(job: dict[str, Any], **written: str) -> str:
    members = {"lease_token": json.dumps(job["lease_token"]), **written}
    return "{" + ",".join(f"{json.dumps(name)}:{value}" for name, value in members.items()) + "}"


@pytest.fixture
def worker(store: Store, clock: FakeClock) -> Iterator[Worker]:
    with gate_of(store, clock) as gate:
        yield Worker(gate)


@RESULT
def test_a_result_that_cannot_be_stored_ends_the_job_and_the_work_is_not_done_again(
    worker: Worker, clock: FakeClock, result: str, code: str
) -> None:
    job = worker.claimed()
    told = worker.tells(job, "complete", result=result)
    assert told.status_code == 200, told.text
    assert [told.json()[name] for name in ("status", "error_code", "outcome")] == ["failed", code, "failed"]
    assert told.json()["error"].startswith("result")
    again = worker.tells(job, "complete", result=result)
    assert (again.status_code, again.json()["repeated"]) == (200, True)
    clock.advance(86_400)
    assert worker.has_nothing_to_do()
    assert worker.listed(job, "list_attempts", "attempts")["error_code"] == code


@RESULT
def test_in_a_batch_it_ends_its_own_job_and_no_other(worker: Worker, result: str, code: str) -> None:
    jobs = [worker.claimed() for _ in range(2)]
    bodies = [
        body(job, verb='"complete"', id=json.dumps(job["id"]), result=one)
        for job, one in zip(jobs, (result, "1"), strict=True)
    ]
    told = worker.posts("/jobs/reports", f'{{"reports":[{",".join(bodies)}]}}')
    assert told.status_code == 200, told.text
    assert [(one["status"], one["end_code"]) for one in told.json()["reports"]] == [
        ("failed", code),
        ("completed", None),
    ]


@RESULT
def test_an_effect_that_happened_is_confirmed_without_such_a_result(worker: Worker, result: str, code: str) -> None:
    job = worker.claimed()
    begun = worker.tells(job, "effects/charge/begin", request_id='"r1"')
    assert begun.json()["what"] == "call"
    told = worker.tells(job, "effects/charge/finish", request_id='"r1"', state='"confirmed"', result=result)
    assert told.status_code == 200, told.text
    effect = worker.listed(job, "list_effects", "effects")
    said = [effect[name] for name in ("state", "error_code", "result")]
    assert said == ["confirmed", "effect_result_refused", None]
    assert effect["error"].startswith("result")


@TEXT
def test_texts_of_a_failure_are_mended_and_the_failure_stands(worker: Worker, sent: str, kept: str) -> None:
    job = worker.claimed()
    text = f'"{sent}"'
    note = f'{{"at":["{sent}"],"{sent}":1}}'
    told = worker.tells(job, "fail", **{"class": '"terminal"'}, error=text, code=text, traceback=text, progress=note)
    assert told.status_code == 200, told.text
    shown = worker.shown(job)
    assert [shown[name] for name in ("status", "error", "error_code")] == ["failed", kept, kept]
    attempt = worker.listed(job, "list_attempts", "attempts")
    assert (attempt["traceback"], attempt["progress"]) == (kept, {"at": [kept], kept: 1})


@TEXT
def test_texts_of_a_failure_are_mended_in_a_batch(worker: Worker, sent: str, kept: str) -> None:
    job = worker.claimed()
    one = body(job, verb='"fail"', id=json.dumps(job["id"]), error=f'"{sent}"', **{"class": '"terminal"'})
    assert worker.posts("/jobs/reports", f'{{"reports":[{one}]}}').json()["reports"][0]["standing"] == "done"
    assert worker.shown(job)["error"] == kept


@TEXT
def test_texts_of_an_effect_are_mended(worker: Worker, sent: str, kept: str) -> None:
    job = worker.claimed()
    assert worker.tells(job, "effects/charge/begin", request_id='"r1"').json()["what"] == "call"
    said = {"state": '"uncertain"', "code": f'"{sent}"', "error": f'"{sent}"'}
    assert worker.tells(job, "effects/charge/finish", request_id='"r1"', **said).status_code == 200
    effect = worker.listed(job, "list_effects", "effects")
    assert (effect["state"], effect["error_code"], effect["error"]) == ("uncertain", kept, kept)


@TEXT
@pytest.mark.parametrize("verb", ["release", "snooze"])
def test_a_job_is_given_back_whatever_its_note_says(worker: Worker, verb: str, sent: str, kept: str) -> None:
    job = worker.claimed()
    said = {"delay": "60"} if verb == "snooze" else {"code": f'"{sent}"'}
    told = worker.tells(job, verb, progress=f'"{sent}"', **said)
    assert told.status_code == 200, told.text
    assert worker.listed(job, "list_attempts", "attempts")["progress"] == kept


@TEXT
def test_a_heartbeat_renews_the_lease_whatever_its_note_says(
    worker: Worker, clock: FakeClock, sent: str, kept: str
) -> None:
    job = worker.claimed()
    clock.advance(30)
    beat = worker.tells(job, "heartbeat", progress=f'{{"{sent}":"{sent}"}}')
    assert (beat.status_code, beat.json()["held"]) == (200, True)
    assert beat.json()["lease_expires_at"] > job["lease_expires_at"]
    assert worker.shown(job)["progress"] == {kept: kept}
    one = body(job, id=json.dumps(job["id"]), progress=f'"{sent}"')
    assert worker.posts("/jobs/heartbeats", f'{{"beats":[{one}]}}').json()["beats"][0]["held"]
    assert worker.shown(job)["progress"] == kept


def test_error_texts_are_cleaned_before_they_are_stored(worker: Worker) -> None:
    job = worker.claimed()
    text = "password=hunter2 at postgresql://u:p@host/db in /srv/app/secret.py \0 \ud800 " + "x" * 9000
    trace = json.dumps("y" * 40_000 + "\0")
    told = worker.tells(job, "fail", error=json.dumps(text), traceback=trace)
    assert told.status_code == 200, told.text
    error = worker.shown(job)["error"]
    assert not any(word in error for word in ("hunter2", "u:p@host", "/srv/app", "\0"))
    assert "\ufffd \ufffd" in error
    assert len(error.encode()) <= 4096
    kept = worker.listed(job, "list_attempts", "attempts")["traceback"]
    assert kept == "y" * (16_384 - 3) + "\ufffd"


def test_literal_backslashes_are_untouched(worker: Worker) -> None:
    job = worker.claimed()
    written = r'"a\\u0000b \\ud800"'
    assert worker.tells(job, "complete", result=written, progress=written).status_code == 200
    note = worker.listed(job, "list_attempts", "attempts")["progress"]
    assert worker.shown(job)["result"] == note == r"a\u0000b \ud800"


@pytest.mark.parametrize(
    ("verb", "written", "status", "code"),
    [
        ("complete", {"worker_id": r'"a\u0000"'}, 422, "nul_character"),
        ("complete", {"result": "1", "error": r'"\u0000"'}, 422, "unknown_member"),
        ("complete", {"result": "[1,]"}, 400, "invalid_json"),
        ("complete", {"result": "[1"}, 400, "invalid_json"),
        ("complete", {"result": '"a\0b"'}, 400, "invalid_json"),
        ("complete", {"progress": "NaN"}, 422, "number_out_of_range"),
        ("complete", {"progr\0ess": "1"}, 422, "nul_character"),
        ("fail", {"error": r'["\u0000"]'}, 422, "nul_character"),
        ("fail", {"class": r'"\u0000"'}, 422, "nul_character"),
        ("fail", {"result": r'"\u0000"'}, 422, "unknown_member"),
        ("effects/charge/begin", {"request_id": '"r"', "args": r'"\u0000"'}, 422, "nul_character"),
        ("effects/charge/begin", {"request_id": '"r"', "result": r'"\u0000"'}, 422, "nul_character"),
        ("effects/charge/finish", {"request_id": r'"\u0000"', "state": '"confirmed"'}, 422, "nul_character"),
        ("redrive", {"why": r'"\ud800"'}, 422, "lone_surrogate"),
    ],
)
def test_all_else_is_read_as_strictly_as_ever(
    worker: Worker, verb: str, written: dict[str, str], status: int, code: str
) -> None:
    job = worker.claimed()
    assert refusal(worker.tells(job, verb, **written)) == (status, code)
    assert worker.shown(job)["status"] == "running"
