"""What the first guides promise of the routes, on every store."""

from typing import Any

import pytest

from tenure.engine.upkeep.reaper import Reaper
from tenure.testing import FakeClock
from tests.http.handlers.asking import OTHER_WORKER, PRODUCER, VIEWER, WORKER, Asking, Said

FIELDS = {
    "id", "type", "kind", "status", "state", "priority", "retry_count", "max_retries", "worker_id", "claimed_at",
    "error", "created_at", "updated_at", "payload", "idempotency_key", "queue", "tenant", "run_at", "deadline",
}  # fmt: skip


def enqueued(ask: Asking, **said: Any) -> Said:
    return ask(PRODUCER, "enqueue", {"type": "sum", "payload": {"n": 1}, **said})


def claimed(ask: Asking, **said: Any) -> Said:
    return ask(WORKER, "claim", said)


def failed(ask: Asking, job: Said, **said: Any) -> Said:
    body = {"lease_token": job["lease_token"], "error": "it broke", "retry_in": 0, **said}
    return ask(WORKER, "fail", body, id=job["id"])


def shown(ask: Asking, job_id: str) -> Said:
    return ask(PRODUCER, "show_job", id=job_id)


def test_the_same_key_is_created_once_and_then_answered(ask: Asking) -> None:
    first = enqueued(ask, idempotency_key="k")
    again = enqueued(ask, idempotency_key="k")
    assert (first.status, first["created"]) == (201, True)
    assert (again.status, again["created"], again["id"]) == (200, False, first["id"])


def test_the_same_key_with_other_arguments_is_refused_and_names_the_job(ask: Asking) -> None:
    first = enqueued(ask, idempotency_key="k")
    other = enqueued(ask, idempotency_key="k", payload={"n": 2})
    assert (other.status, other["code"], other["job_id"]) == (409, "idempotency_key_reused", first["id"])


def test_a_job_has_the_fields_of_the_contract(ask: Asking) -> None:
    job = enqueued(ask, priority="medium")
    assert job.body.keys() >= FIELDS
    assert (job["status"], job["priority"], job["max_retries"], job["retry_count"]) == ("pending", "medium", 3, 0)
    assert job["payload"] == {"n": 1}
    assert job["worker_id"] is None
    assert job["claimed_at"] is None


def test_claims_come_by_priority_and_then_by_age(ask: Asking, clock: FakeClock) -> None:
    ids = {}
    for name, priority in (("old", "low"), ("young", "low"), ("urgent", "medium")):
        ids[enqueued(ask, priority=priority)["id"]] = name
        clock.advance(1)
    assert [ids[claimed(ask)["id"]] for _ in range(3)] == ["urgent", "old", "young"]
    assert claimed(ask).status == 204


def test_a_claimed_job_carries_what_its_worker_needs(ask: Asking) -> None:
    enqueued(ask)
    job = claimed(ask)
    assert (job.status, job["status"], job["worker_id"], job["attempt"]) == (200, "running", "w1", 1)
    assert job["fencing_token"] > 0
    assert job["lease_seconds"] == 60
    assert job["claimed_at"] is not None
    assert job["tries_left"] == 4


def test_a_completed_job_keeps_its_result(ask: Asking) -> None:
    enqueued(ask)
    job = claimed(ask)
    done = ask(
        WORKER, "complete", {"lease_token": job["lease_token"], "result": {"sum": 9007199254740993}}, id=job["id"]
    )
    assert (done.status, done["status"], done["outcome"], done["repeated"]) == (200, "completed", "succeeded", False)
    assert shown(ask, job["id"])["result"] == {"sum": 9007199254740993}


def test_a_failed_attempt_goes_back_while_retries_remain(ask: Asking) -> None:
    enqueued(ask, max_retries=2)
    for count in (1, 2):
        told = failed(ask, claimed(ask))
        assert (told.status, told["status"], told["retry_count"]) == (200, "pending", count)
        assert (told["worker_id"], told["claimed_at"], told["error"]) == (None, None, "it broke")
    last = failed(ask, claimed(ask))
    assert (last["status"], last["retry_count"], last["error"]) == ("failed", 2, "it broke")
    assert claimed(ask).status == 204


def test_an_error_alone_is_retryable_and_unclassified(ask: Asking) -> None:
    enqueued(ask)
    job = claimed(ask)
    told = ask(WORKER, "fail", {"lease_token": job["lease_token"], "error": "x"}, id=job["id"])
    assert (told["status"], told["error_code"]) == ("pending", "unclassified")
    attempts = ask(WORKER, "list_attempts", id=job["id"])["attempts"]
    assert [(one["number"], one["error_class"], one["error"]) for one in attempts] == [(1, "retryable", "x")]


def test_no_retries_means_that_the_first_failure_is_the_last(ask: Asking) -> None:
    assert enqueued(ask, max_retries=0)["max_retries"] == 0
    told = failed(ask, claimed(ask))
    assert (told["status"], told["retry_count"]) == ("failed", 0)


@pytest.mark.parametrize(("verb", "more"), [("complete", {}), ("fail", {}), ("release", {}), ("snooze", {"delay": 1})])
def test_a_verb_on_a_job_that_is_not_yours_or_does_not_run_is_stale(
    ask: Asking, verb: str, more: dict[str, Any]
) -> None:
    enqueued(ask)
    job = claimed(ask)
    body = {"lease_token": job["lease_token"], **more}
    other = ask(OTHER_WORKER, verb, body, id=job["id"])
    assert (other.status, other["code"]) == (409, "stale_lease")
    assert ask(WORKER, verb, {**body, "lease_token": "x.y"}, id=job["id"]).status == 409
    waiting = enqueued(ask)
    assert ask(WORKER, verb, body, id=waiting["id"]).status == 409
    assert shown(ask, job["id"])["status"] == "running"
    assert ask(WORKER, verb, body, id=job["id"]).status == 200


def test_a_report_of_an_unknown_job_is_404(ask: Asking) -> None:
    enqueued(ask)
    job = claimed(ask)
    body = {"lease_token": job["lease_token"]}
    assert ask(WORKER, "complete", body, id="0190a000-0000-7000-8000-000000000000").status == 404


def test_the_same_report_again_is_answered_again(ask: Asking) -> None:
    enqueued(ask)
    job = claimed(ask)
    first = ask(WORKER, "complete", {"lease_token": job["lease_token"], "result": 1}, id=job["id"])
    again = ask(WORKER, "complete", {"lease_token": job["lease_token"], "result": 1}, id=job["id"])
    assert (first["repeated"], again["repeated"], again["outcome"]) == (False, True, "succeeded")
    other = ask(WORKER, "fail", {"lease_token": job["lease_token"]}, id=job["id"])
    assert (other.status, other["code"]) == (409, "stale_lease")


def test_jobs_are_listed_by_status(ask: Asking) -> None:
    enqueued(ask)
    running, waiting = claimed(ask)["id"], enqueued(ask)["id"]
    for status, expected in (
        ("running", [running]),
        ("pending", [waiting]),
        ("failed", []),
        (None, [waiting, running]),
    ):
        found = ask(VIEWER, "list_jobs", query={"status": status})
        assert [job["id"] for job in found["jobs"]] == expected


def test_lists_go_on_by_cursor(memory: Asking) -> None:
    ids = [enqueued(memory)["id"] for _ in range(5)][::-1]
    first = memory(VIEWER, "list_jobs", query={"limit": 3})
    rest = memory(VIEWER, "list_jobs", query={"limit": 3, "cursor": first["next"]})
    assert [job["id"] for job in first["jobs"] + rest["jobs"]] == ids
    assert rest["next"] is None


def test_a_cursor_that_is_none_is_refused(ask: Asking) -> None:
    assert ask(VIEWER, "list_jobs", query={"cursor": "nonsense"})["field"] == "cursor"


def test_status_and_state_that_exclude_each_other_list_nothing(memory: Asking) -> None:
    enqueued(memory)
    assert memory(VIEWER, "list_jobs", query={"status": "running", "state": "ready"})["jobs"] == []
    assert len(memory(VIEWER, "list_jobs", query={"status": "pending", "state": "ready"})["jobs"]) == 1


def test_a_stalled_job_is_requeued_and_its_token_is_stale(ask: Asking, clock: FakeClock) -> None:
    enqueued(ask)
    job = claimed(ask)
    clock.advance(61)
    Reaper(ask.service.store, 5).tick()
    assert (shown(ask, job["id"])["status"], shown(ask, job["id"])["worker_id"]) == ("pending", None)
    again = claimed(ask)
    assert (again["id"], again["attempt"]) == (job["id"], 2)
    assert ask(WORKER, "complete", {"lease_token": job["lease_token"]}, id=job["id"]).status == 409
    assert ask(WORKER, "complete", {"lease_token": again["lease_token"]}, id=job["id"]).status == 200


def test_a_released_job_is_due_at_once_and_a_snoozed_one_later(ask: Asking, clock: FakeClock) -> None:
    enqueued(ask)
    job = claimed(ask)
    released = ask(WORKER, "release", {"lease_token": job["lease_token"]}, id=job["id"])
    assert (released["status"], released["retry_count"], released["outcome"]) == ("pending", 0, "released")
    job = claimed(ask)
    snoozed = ask(WORKER, "snooze", {"lease_token": job["lease_token"], "delay": 30}, id=job["id"])
    assert (snoozed["state"], snoozed["outcome"]) == ("scheduled", "snoozed")
    assert claimed(ask).status == 204
