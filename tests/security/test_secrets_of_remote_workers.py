"""Secret fields and workers in any language: the worker that claims gets all of it, and what it reports is stored and
told without it."""

from typing import Any, Final

import pytest

from tenure.core.attempt import Attempt
from tenure.core.job import Job
from tenure.edge.operations import TABLE
from tenure.operations.expire import expire_leases
from tests.security.gate import Gate

SECRET: Final = "planted71c0ffee"
PIN: Final = 90817263
PAYLOAD: Final = {"card": {"number": SECRET, "owner": "ada"}, "items": [{"pin": PIN}]}
MASKED: Final = {"card": {"number": "•••", "owner": "ada"}, "items": [{"pin": "•••"}]}
KIND: Final = {"secret": ["card.number", "items.*.pin"], "secret_result": ["receipt"]}

TOLD_TO_THE_HOLDER: Final = {"claim", "begin_effect", "finish_effect", "save_checkpoint"}
"""Operations that answer the worker that holds the job, with what its attempts need."""

SAYS_NO_JOB: Final = {
    "heartbeats", "heartbeat", "cancel", "redrive", "cancel_many", "supersede", "pause_redrive", "resume_redrive",
    "cancel_redrive", "forbid_redrives", "allow_redrives", "set_kind", "clear_slowdown", "create_key", "revoke_key",
    "set_schedule", "pause_schedule", "resume_schedule", "delete_schedule", "run_schedule", "backfill_schedule",
    "pause_queue", "resume_queue", "pause_kind", "resume_kind", "pause_tenant", "resume_tenant",
    "pause_resource", "resume_resource", "set_tenant", "set_limit", "set_queue", "set_capacity", "set_objective",
}  # fmt: skip
"""Operations whose answers hold no text of a job."""

WALKED: Final = {
    "enqueue", "enqueue_many", "reports", "complete", "fail", "release", "snooze", "settle_effect", "start_redrive",
}  # fmt: skip


def told_without(answer: Any) -> Any:
    assert answer.status_code in (200, 201), answer.text
    assert SECRET not in answer.text
    assert str(PIN) not in answer.text
    return answer.json()


class Site:
    """A kind that keeps secrets, its worker and an admin."""

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        self.admin, self.worker = gate.key("admin"), gate.key("worker", "holder")
        told_without(gate.call(self.admin, "set_kind", KIND, name="pay"))

    def enqueued(self, **said: Any) -> Any:
        body = {"type": "pay", "payload": PAYLOAD, "max_retries": 0} | said
        return told_without(self.gate.call(self.admin, "enqueue", body))

    def claimed(self, **said: Any) -> Any:
        self.enqueued(**said)
        held = self.gate.call(self.worker, "claim")
        assert held.status_code == 200
        return held.json()

    def end(self, verb: str, held: Any, **said: Any) -> Any:
        body = {"lease_token": held["lease_token"], **said}
        return told_without(self.gate.call(self.worker, verb, body, id=held["id"]))

    def row(self, held: Any) -> Job:
        return self.gate.store.run(self.gate.store.verbs.read([held["id"]]))[held["id"]]

    def history(self, held: Any) -> list[Attempt]:
        return self.gate.store.run(self.gate.store.verbs.attempts([held["id"]]))[held["id"]]


@pytest.fixture
def site(either: Gate) -> Site:
    return Site(either)


def test_every_operation_is_walked_here_or_known_to_need_no_walk() -> None:
    others = {one.name for one in TABLE if one.method != "GET"}
    assert others == TOLD_TO_THE_HOLDER | SAYS_NO_JOB | WALKED, "a new operation: does it tell of a job?"


def test_whoever_claims_gets_it_and_whoever_enqueues_is_not_told_it_again(site: Site) -> None:
    assert site.enqueued()["payload"] == MASKED
    batch = {"jobs": [{"type": "pay", "payload": PAYLOAD}]}
    assert told_without(site.gate.call(site.admin, "enqueue_many", batch))["jobs"][0]["job"]["payload"] == MASKED
    assert site.claimed()["payload"] == PAYLOAD


def test_the_words_of_a_failure_are_stored_without_it(site: Site) -> None:
    held = site.claimed()
    words = {"error": f"declined {SECRET}", "traceback": f"in pay\n{SECRET} {PIN}", "code": f"no_{PIN}"}
    told = site.end("fail", held, progress={"at": SECRET}, **words)
    assert (told["error"], told["error_code"]) == ("declined •••", "no_•••")
    [attempt] = site.history(held)
    assert (attempt.traceback, attempt.error) == ("in pay\n••• •••", "declined •••")
    assert attempt.progress == '{"at":"•••"}'
    assert SECRET not in repr([site.row(held).error, site.row(held).progress, attempt])


def test_a_long_error_that_is_cut_in_the_midst_of_it_tells_no_part_of_it(site: Site) -> None:
    held = site.claimed()
    told = site.end("fail", held, error="x" * (4096 - len(SECRET)) + SECRET + "y" * 100)
    assert SECRET[:4] not in told["error"]


def test_notes_are_stored_without_it(site: Site) -> None:
    held = site.claimed()
    beat = {"lease_token": held["lease_token"], "progress": f"at {SECRET}"}
    told_without(site.gate.call(site.worker, "heartbeat", beat, id=held["id"]))
    assert site.row(held).progress == '"at •••"'
    many = {"beats": [beat | {"id": held["id"], "progress": [PIN]}]}
    told_without(site.gate.call(site.worker, "heartbeats", many))
    assert site.row(held).progress == '["•••"]'
    site.end("complete", held, progress={"n": PIN})
    assert site.history(held)[0].progress == '{"n":"•••"}'


@pytest.mark.parametrize(
    ("verb", "said"), [("release", {"code": f"left_{SECRET}"}), ("snooze", {"delay": 5, "progress": SECRET})]
)
def test_whoever_gives_a_job_back_leaves_no_trace_of_it(site: Site, verb: str, said: dict[str, Any]) -> None:
    held = site.claimed()
    site.end(verb, held, **said)
    assert SECRET not in repr(site.history(held))


def test_a_report_among_several_and_one_that_comes_late_are_treated_alike(site: Site) -> None:
    held = site.claimed()
    report = {"verb": "fail", "id": held["id"], "lease_token": held["lease_token"], "error": SECRET, "code": SECRET}
    told_without(site.gate.call(site.worker, "reports", {"reports": [report]}))
    assert (site.row(held).error, site.row(held).end_code) == ("•••", "•••")
    lost = site.claimed()
    site.gate.clock.advance(3600 * 24)  # type: ignore[attr-defined]
    site.gate.store.run(expire_leases(site.gate.store.verbs, lambda: 0.5))
    late = {"lease_token": lost["lease_token"], "code": f"late_{SECRET}", "error": SECRET}
    answer = site.gate.call(site.worker, "fail", late, id=lost["id"])
    assert answer.status_code == 409
    assert SECRET not in answer.text + repr(site.history(lost))
    assert site.history(lost)[0].late_report is not None


def test_a_result_is_kept_whole_and_told_without_it(site: Site) -> None:
    held = site.claimed()
    result = {"paid": f"with {SECRET}", "receipt": {"no": 7}, "n": 1.0}
    told = site.end("complete", held, result=result)
    assert told["result"] == {"paid": "with •••", "receipt": "•••", "n": 1.0}
    assert SECRET in (site.row(held).result or "")


def test_effects_and_checkpoints_are_whole_for_the_holder_alone(site: Site) -> None:
    gate, held = site.gate, site.claimed()
    mine = {"lease_token": held["lease_token"]}
    saved = gate.call(site.worker, "save_checkpoint", mine | {"value": {"t": SECRET}}, id=held["id"], name="next")
    assert saved.json()["value"] == {"t": SECRET}
    begin = mine | {"request_id": "r1", "args": SECRET}
    gate.call(site.worker, "begin_effect", begin, id=held["id"], name="charge")
    finish = mine | {"request_id": "r1", "state": "confirmed", "result": {"echo": SECRET}}
    assert gate.call(site.worker, "finish_effect", finish, id=held["id"], name="charge").status_code == 200
    again = gate.call(site.worker, "begin_effect", begin | {"request_id": "r2"}, id=held["id"], name="charge").json()
    assert (again["what"], again["effect"]["result"]) == ("stored", {"echo": SECRET})
    for name in ("list_checkpoints", "list_effects"):
        assert SECRET in gate.call(site.worker, name, id=held["id"]).text
        for role in ("worker", "producer", "operator", "admin"):
            assert "•••" in told_text(gate.call(gate.key(role), name, id=held["id"]))
    lost = mine | {"request_id": "r9"}
    gate.call(site.worker, "begin_effect", lost, id=held["id"], name="mail")
    unclear = lost | {"state": "uncertain", "error": f"POST {SECRET}", "code": f"cut_{PIN}"}
    ended = told_without(gate.call(site.worker, "finish_effect", unclear, id=held["id"], name="mail"))
    assert (ended["error"], ended["error_code"]) == ("POST •••", "cut_•••")
    settled = {"state": "confirmed", "result": {"echo": SECRET}}
    told = told_without(gate.call(site.admin, "settle_effect", settled, id=held["id"], name="mail"))
    assert told["result"] == {"echo": "•••"}
    site.end("complete", held)
    for name in ("list_checkpoints", "list_effects"):
        told_text(gate.call(site.worker, name, id=held["id"]))


def told_text(answer: Any) -> str:
    told_without(answer)
    return str(answer.text)


def test_a_field_that_is_declared_later_is_hidden_of_older_jobs_too(site: Site) -> None:
    gate = site.gate
    told = gate.call(site.admin, "set_kind", {}, name="open").json()
    assert told["secret"] == []
    job = gate.call(site.admin, "enqueue", {"type": "open", "payload": PAYLOAD}).json()
    assert job["payload"] == PAYLOAD
    gate.call(site.admin, "set_kind", KIND, name="open")
    assert told_without(gate.call(site.admin, "show_job", id=job["id"]))["payload"] == MASKED
    told_without(gate.call(site.admin, "list_jobs"))


def test_a_declaration_without_them_leaves_the_secrets_of_a_kind_as_they_are(site: Site) -> None:
    assert site.gate.call(site.admin, "set_kind", {}, name="pay").json()["secret"] == KIND["secret"]
    more = site.gate.call(site.admin, "set_kind", {"secret": ["a"]}, name="pay").json()
    assert more["secret"] == ["a", *KIND["secret"]]


@pytest.mark.parametrize("said", ["items[0]", "a..b", " "])
def test_what_is_no_path_is_refused(site: Site, said: str) -> None:
    answer = site.gate.call(site.admin, "set_kind", {"secret": [said]}, name="pay")
    assert answer.status_code == 422
    assert answer.json()["field"].startswith("secret")


def test_a_schema_marks_secrets_and_a_path_that_leads_nowhere_in_it_is_refused(site: Site) -> None:
    token = {"type": "string", "writeOnly": True}
    schema = {"type": "object", "properties": {"token": token}, "additionalProperties": False}
    assert site.gate.call(site.admin, "set_kind", {"schema": schema}, name="s").json()["secret"] == ["token"]
    answer = site.gate.call(site.admin, "set_kind", {"schema": schema, "secret": ["tken"]}, name="s")
    assert answer.status_code == 422
    assert "token" in answer.json()["hint"]
