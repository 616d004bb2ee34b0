"""An id that is not there and one outside the scope are one and the same to a caller: 404, in the same words.

The job that is out of sight is real, runs, and has effects and checkpoints; the tokens that come with its id are real
too.
"""

from typing import Any

import pytest

from tenure.edge.operations import BY_NAME, TABLE
from tests.security.gate import NOBODY, Gate

OF_JOBS = [operation.name for operation in TABLE if operation.path.startswith("/jobs/{id}")]
WITH_TOKEN = [name for name in OF_JOBS if "lease_token" in getattr(BY_NAME[name].body, "__struct_fields__", ())]
MORE: dict[str, dict[str, Any]] = {
    "snooze": {"delay": 1},
    "begin_effect": {"request_id": "r9"},
    "finish_effect": {"request_id": "r1", "state": "confirmed"},
    "settle_effect": {"state": "absent"},
    "supersede": {"newer": NOBODY},
    "save_checkpoint": {"value": 1},
}
OUTSIDE = {"tenant": {"tenants": ["t1"]}, "kind": {"kinds": ["sum"]}, "queue": {"queues": ["q1"]}}


class Hidden:
    """A running job of a tenant, kind and queue of its own, and the tokens that somebody might send with its id."""

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        theirs = self._running("theirs", tenant="t2", type="mail", queue="q2")
        own = self._running("me", tenant="t1", type="sum", queue="q1")
        self.id: str = theirs["id"]
        self.tokens = {
            "of the caller's own job": own["lease_token"],
            "of the hidden job": theirs["lease_token"],
            "of the hidden job for the caller": gate.sealed(gate.stored_token(self.id), "me"),
            "that is none": "a.b",
        }

    def state(self) -> tuple[Any, ...]:
        """All that a call could have changed."""
        verbs, run = self.gate.store.verbs, self.gate.store.run
        rows = (run(verbs.read([self.id])), run(verbs.attempts([self.id])))
        return *rows, run(verbs.effects([self.id])), run(verbs.checkpoints(self.id)), run(verbs.audit_lines(10))

    def _running(self, worker: str, **said: Any) -> Any:
        gate = self.gate
        assert gate.call(gate.key("producer"), "enqueue", said).status_code == 201
        key = gate.key("worker", worker)
        job = gate.call(key, "claim", {"types": [said["type"]], "queues": [said["queue"]]}).json()
        token = {"lease_token": job["lease_token"]}
        begun = gate.call(key, "begin_effect", {**token, "request_id": "r1"}, id=job["id"], name="e")
        saved = gate.call(key, "save_checkpoint", {**token, "value": 1}, id=job["id"], name="c")
        assert (job["status"], begun.status_code, saved.status_code) == ("running", 200, 200)
        gate.revoke(key)
        return job


def answered(gate: Gate, key: str, name: str, job_id: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    path = {"name": "e"} if "{name}" in BY_NAME[name].path else {}
    answer = gate.call(key, name, {**MORE.get(name, {}), **body}, id=job_id, **path)
    said = answer.json()
    said.pop("request_id")
    return answer.status_code, said


@pytest.mark.parametrize("outside", list(OUTSIDE))
@pytest.mark.parametrize("name", OF_JOBS)
def test_an_id_out_of_sight_and_one_that_is_not_there_are_answered_alike(either: Gate, name: str, outside: str) -> None:
    hidden = Hidden(either)
    before = hidden.state()
    role = "worker" if name in WITH_TOKEN else "admin"
    key = either.key(role, "me", **OUTSIDE[outside])
    for whose, token in hidden.tokens.items() if name in WITH_TOKEN else [("none", None)]:
        body = {} if token is None else {"lease_token": token}
        there, away = (answered(either, key, name, job_id, body) for job_id in (hidden.id, NOBODY))
        assert there == away, whose
        assert (there[0], there[1]["code"], there[1]["detail"]) == (404, "not_found", "there is no job with this id")
    assert hidden.state() == before


@pytest.mark.parametrize("outside", list(OUTSIDE))
def test_a_batch_of_heartbeats_and_reports_tells_both_alike(either: Gate, outside: str) -> None:
    hidden = Hidden(either)
    before = hidden.state()
    key = either.key("worker", "me", **OUTSIDE[outside])
    for whose, token in hidden.tokens.items():
        told = {}
        for job_id in (hidden.id, NOBODY):
            one = {"id": job_id, "lease_token": token}
            beats = either.call(key, "heartbeats", {"beats": [one]}).json()["beats"]
            ends = [{"verb": "complete", **one}, {"verb": "fail", **one}]
            reports = either.call(key, "reports", {"reports": ends}).json()["reports"]
            told[job_id] = str([beats, reports]).replace(job_id, "the id")
            assert [beat["held"] for beat in beats] == [False], whose
            assert [one["standing"] for one in reports] == ["unknown", "unknown"], whose
        assert told[hidden.id] == told[NOBODY], whose
    assert hidden.state() == before


@pytest.mark.parametrize("scope", [{"tenants": ["t1"]}, {"tenants": ["t1"], "kinds": ["sum"]}])
def test_a_key_out_of_sight_and_one_that_is_not_there_are_answered_alike(either: Gate, scope: dict[str, Any]) -> None:
    either.key("worker", "theirs", tenants=["t2"])
    admin = either.key("admin")
    [hidden] = [key["id"] for key in either.call(admin, "list_keys").json()["keys"] if key["name"] == "theirs"]
    narrow = either.key("admin", **scope)
    told = []
    for key_id in (hidden, NOBODY):
        answer = either.call(narrow, "revoke_key", id=key_id)
        told.append((answer.status_code, {k: v for k, v in answer.json().items() if k != "request_id"}))
    assert told[0] == told[1]
    assert (told[0][0], told[0][1]["code"]) == (404, "not_found")
    [still] = [key for key in either.call(admin, "list_keys").json()["keys"] if key["id"] == hidden]
    assert still["revoked_at"] is None


@pytest.mark.parametrize("outside", list(OUTSIDE))
def test_a_claim_that_is_repeated_with_a_narrower_key_tells_of_nothing_out_of_sight(either: Gate, outside: str) -> None:
    producer = either.key("producer")
    assert either.call(producer, "enqueue", {"type": "mail", "tenant": "t2", "queue": "q2"}).status_code == 201
    wide = either.key("worker", "me")
    claim = {"claim_id": "c1", "types": ["mail"], "queues": ["q2"], "limit": 1}
    [job] = either.call(wide, "claim", claim).json()["jobs"]
    either.revoke(wide)
    narrow = either.key("worker", "me", **OUTSIDE[outside])
    again = either.call(narrow, "claim", {"claim_id": "c1", "limit": 5})
    assert (again.status_code, again.json()["jobs"]) == (200, [])
    beside = either.call(narrow, "reports", {"reports": [], "claim": {"claim_id": "c1", "limit": 5}})
    assert (beside.status_code, beside.json()["claimed"]["jobs"]) == (200, [])
    assert job["id"] not in again.text + beside.text
