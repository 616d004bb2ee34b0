"""V-05: every verb of a worker is held to the lease token and to the worker that it was given to, whichever route it
comes by. Whatever else is sent changes nothing."""

from collections.abc import Callable
from typing import Any, Final

import pytest

from tenure.edge import tokens
from tenure.engine.upkeep.reaper import Reaper
from tenure.testing import FakeClock
from tests.security.gate import NOBODY, Gate, refusal, worker_of

VERBS: Final[dict[str, dict[str, Any]]] = {
    "heartbeat": {"progress": "stolen"},
    "complete": {"result": "stolen", "progress": "stolen"},
    "fail": {"error": "stolen", "class": "terminal"},
    "release": {"begun": False},
    "snooze": {"delay": 3600},
}


class Scene:
    """A running job of the worker w1, another of its jobs, and a worker w2 with a job of its own."""

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        self.w1, self.w2 = gate.key("worker", "w1"), gate.key("worker", "w2")
        self.admin = gate.key("admin")
        self.job = self.running(self.w1)
        self.sibling = self.running(self.w1)
        self.foreign = self.running(self.w2)

    def running(self, worker: str) -> dict[str, Any]:
        assert self.gate.call(self.admin, "enqueue", {"type": "mail"}).status_code == 201
        job: dict[str, Any] = self.gate.call(worker, "claim", {}).json()
        return job

    def shown(self) -> Any:
        """The job as it stands, and its history."""
        told = self.gate.call(self.admin, "show_job", id=self.job["id"]).json()
        return told, self.gate.call(self.admin, "list_attempts", id=self.job["id"]).json()


Forge = Callable[[Scene], tuple[str, str]]
"""Who sends, and which token."""


def _flipped(token: str) -> str:
    return token[:-1] + ("0" if token[-1] != "0" else "1")


FORGED: Final[dict[str, Forge]] = {
    "of another job of this worker": lambda s: (s.w1, s.sibling["lease_token"]),
    "of another worker's job": lambda s: (s.w1, s.foreign["lease_token"]),
    "this job's, sent by another worker": lambda s: (s.w2, s.job["lease_token"]),
    "this job's, sent by an admin": lambda s: (s.admin, s.job["lease_token"]),
    "another worker's own, for this job": lambda s: (s.w2, s.foreign["lease_token"]),
    "as the database holds it": lambda s: (s.w1, s.gate.stored_token(s.job["id"])),
    "as the database holds it, by another": lambda s: (s.w2, s.gate.stored_token(s.job["id"])),
    "as the database holds it, with a dot": lambda s: (s.w1, s.gate.stored_token(s.job["id"]) + "."),
    "the stored one with another token's mac": lambda s: (
        s.w1, s.gate.stored_token(s.job["id"]) + "." + s.sibling["lease_token"].rpartition(".")[2],
    ),
    "with a mac cut short": lambda s: (s.w1, s.job["lease_token"][:-1]),
    "with a mac of one character": lambda s: (s.w1, s.job["lease_token"].rpartition(".")[0] + ".a"),
    "with a mac grown longer": lambda s: (s.w1, s.job["lease_token"] + "0"),
    "with one bit turned": lambda s: (s.w1, _flipped(s.job["lease_token"])),
    "in capitals": lambda s: (s.w1, s.job["lease_token"].upper()),
    "with a space": lambda s: (s.w1, s.job["lease_token"] + " "),
    "sealed for the name of another": lambda s: (s.w1, s.gate.sealed(s.gate.stored_token(s.job["id"]), "w2")),
    "sealed, but of no lease": lambda s: (s.w1, s.gate.sealed("0" * 32, "w1")),
    "a mac alone": lambda s: (s.w1, "." + s.job["lease_token"].rpartition(".")[2]),
    "the job's id": lambda s: (s.w1, s.job["id"]),
    "the claim's id": lambda s: (s.w1, s.job["id"] + "." + s.job["id"]),
    "SQL": lambda s: (s.w1, "' OR '1'='1"),
    "a wildcard": lambda s: (s.w1, "%"),
    "beyond ASCII": lambda s: (s.w1, "ä.ü"),
}  # fmt: skip


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED)
def test_a_token_that_is_not_the_jobs_and_the_senders_changes_nothing(gate: Gate, forge: Forge) -> None:
    scene = Scene(gate)
    sender, token = forge(scene)
    before = scene.shown()
    for verb, more in VERBS.items():
        answer = gate.call(sender, verb, {"lease_token": token, **more}, id=scene.job["id"])
        assert refusal(answer) == (409, "stale_lease"), (verb, answer.text)
        _in_a_batch(scene, sender, token, verb, more)
        assert scene.shown() == before, verb
    done = gate.call(scene.w1, "complete", {"lease_token": scene.job["lease_token"]}, id=scene.job["id"])
    assert done.json()["status"] == "completed"


def _in_a_batch(scene: Scene, sender: str, token: str, verb: str, more: dict[str, Any]) -> None:
    one = {"id": scene.job["id"], "lease_token": token, **more}
    if verb == "heartbeat":
        [beat] = scene.gate.call(sender, "heartbeats", {"beats": [one]}).json()["beats"]
        assert beat == {"id": scene.job["id"], "held": False, "lease_expires_at": None, "cancel_requested": False}
        return
    [told] = scene.gate.call(sender, "reports", {"reports": [{"verb": verb, **one}]}).json()["reports"]
    assert (told["standing"], told["outcome"], told["state"]) == ("stale", None, "running")


@pytest.mark.parametrize("token", ["", None, 7, [], {}, "x" * 501])
def test_a_call_without_a_token_is_refused_by_its_field(gate: Gate, token: Any) -> None:
    scene = Scene(gate)
    for verb, more in VERBS.items():
        answer = gate.call(scene.w1, verb, {"lease_token": token, **more}, id=scene.job["id"])
        assert (answer.status_code, answer.json()["field"]) == (422, "lease_token"), verb
        answer = gate.call(scene.w1, verb, more, id=scene.job["id"])
        assert (answer.status_code, answer.json()["field"]) == (422, "lease_token"), verb


@pytest.mark.parametrize("verb", ["complete", "release", "snooze", "heartbeat"])
def test_the_token_of_an_earlier_attempt_is_stale_for_the_next(gate: Gate, verb: str) -> None:
    scene = Scene(gate)
    old = scene.job["lease_token"]
    failed = gate.call(scene.w1, "fail", {"lease_token": old, "error": "first", "retry_in": 0}, id=scene.job["id"])
    assert failed.json()["status"] == "pending"
    again = gate.call(scene.w1, "claim", {}).json()
    assert (again["id"], again["attempt"]) == (scene.job["id"], 2)
    before, _ = scene.shown()
    answer = gate.call(scene.w1, verb, {"lease_token": old, **VERBS[verb]}, id=scene.job["id"])
    assert refusal(answer) == (409, "stale_lease")
    assert scene.shown()[0] == before
    repeat = gate.call(scene.w1, "fail", {"lease_token": old, "error": "other", "retry_in": 0}, id=scene.job["id"])
    assert (repeat.json()["repeated"], repeat.json()["outcome"]) == (True, "failed")
    assert scene.shown()[0] == before
    done = gate.call(scene.w1, "complete", {"lease_token": again["lease_token"]}, id=scene.job["id"])
    assert done.json()["status"] == "completed"


def test_a_lease_that_was_lost_is_of_no_use_and_its_late_report_is_history(gate: Gate, clock: FakeClock) -> None:
    scene = Scene(gate)
    clock.advance(120)
    Reaper(gate.store, 5.0).tick()
    again = gate.call(scene.w2, "claim", {"limit": 3}).json()["jobs"]
    assert scene.job["id"] in {job["id"] for job in again}
    before, _ = scene.shown()
    answer = gate.call(scene.w1, "complete", {"lease_token": scene.job["lease_token"]}, id=scene.job["id"])
    assert refusal(answer) == (409, "stale_lease")
    after, history = scene.shown()
    assert after == before
    assert history["attempts"][0]["late_report"]["verb"] == "complete"


@pytest.mark.parametrize("verb", VERBS)
def test_a_job_that_is_not_there_or_not_seen_is_404_whatever_the_token(gate: Gate, verb: str) -> None:
    scene = Scene(gate)
    outside = gate.key("worker", "narrow", tenants=["acme"])
    own = gate.sealed(gate.stored_token(scene.job["id"]), "elsewhere")
    for sender, job_id in ((scene.w1, NOBODY), (outside, scene.job["id"]), (outside, NOBODY)):
        answer = gate.call(sender, verb, {"lease_token": own, **VERBS[verb]}, id=job_id)
        assert refusal(answer) == (404, "not_found"), (verb, job_id)


def test_tokens_of_one_database_open_nothing_in_another(gate: Gate) -> None:
    scene = Scene(gate)
    foreign = tokens.sealed(gate.stored_token(scene.job["id"]), worker_of("w1"), b"the digest key of another database")
    answer = gate.call(scene.w1, "complete", {"lease_token": foreign}, id=scene.job["id"])
    assert refusal(answer) == (409, "stale_lease")


def test_a_token_is_shown_by_the_claim_alone(gate: Gate) -> None:
    scene = Scene(gate)
    stored = gate.stored_token(scene.job["id"])
    assert stored in scene.job["lease_token"]
    assert gate.call(scene.admin, "cancel", {"why": "x"}, id=scene.job["id"]).status_code == 200
    for name, shown in (("list_jobs", scene.job["id"]), ("list_workers", "w1"), ("list_audit", scene.job["id"])):
        answer = gate.call(scene.admin, name)
        assert answer.status_code == 200
        assert shown in answer.text
        assert stored not in answer.text
    assert scene.job["id"] in str(scene.shown())
    assert stored not in str(scene.shown())
