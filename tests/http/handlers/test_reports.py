"""What workers say of their attempts: tokens, heartbeats, results, errors, and several ends in one call."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from tenure.edge import tokens
from tenure.testing import FakeClock
from tests.http.handlers.asking import ADMIN, OTHER_WORKER, PRODUCER, WORKER, Asking, Said, principal


def claimed(ask: Asking, count: int = 1, **said: Any) -> list[dict[str, Any]]:
    for _ in range(count):
        assert ask(ADMIN, "enqueue", {"type": "sum", **said}).status == 201
    jobs = ask(WORKER, "claim", {"limit": count})["jobs"]
    assert len(jobs) == count
    return list(jobs)


def fail(ask: Asking, job: dict[str, Any], **said: Any) -> Said:
    return ask(WORKER, "fail", {"lease_token": job["lease_token"], **said}, id=job["id"])


def test_what_the_database_holds_is_no_token(memory: Asking) -> None:
    [job] = claimed(memory)
    row = memory.service.app.read(job["id"])
    assert row is not None
    assert row.lease_token
    assert row.lease_token != job["lease_token"]
    assert memory(WORKER, "complete", {"lease_token": row.lease_token}, id=job["id"]).status == 409
    others = tokens.sealed(row.lease_token, OTHER_WORKER, memory.service.digest_key)
    assert memory(WORKER, "complete", {"lease_token": others}, id=job["id"]).status == 409
    assert memory(OTHER_WORKER, "complete", {"lease_token": job["lease_token"]}, id=job["id"]).status == 409


def test_a_heartbeat_renews_the_lease_and_brings_back_a_cancellation(ask: Asking, clock: FakeClock) -> None:
    [job] = claimed(ask)
    clock.advance(30)
    beat = ask(WORKER, "heartbeat", {"lease_token": job["lease_token"], "progress": {"done": 1}}, id=job["id"])
    assert (beat["held"], beat["cancel_requested"]) == (True, False)
    assert beat["lease_expires_at"] > job["lease_expires_at"]
    assert ask(PRODUCER, "show_job", id=job["id"])["progress"] == {"done": 1}
    asked = ask(PRODUCER, "cancel", {"why": "a mistake"}, id=job["id"])
    assert (asked["happened"], asked["status"]) == ("requested", "running")
    assert ask(WORKER, "heartbeat", {"lease_token": job["lease_token"]}, id=job["id"])["cancel_requested"]


def test_a_heartbeat_of_a_lost_lease_is_stale(ask: Asking, clock: FakeClock) -> None:
    [job] = claimed(ask)
    clock.advance(61)
    told = ask(WORKER, "heartbeat", {"lease_token": job["lease_token"]}, id=job["id"])
    assert (told.status, told["code"]) == (409, "stale_lease")
    assert ask(WORKER, "complete", {"lease_token": job["lease_token"]}, id=job["id"]).status == 200


def test_heartbeats_answer_each_lease_in_order(ask: Asking) -> None:
    jobs = claimed(ask, 3)
    beats = [{"id": job["id"], "lease_token": job["lease_token"]} for job in jobs]
    beats[1]["lease_token"] = "not.mine"
    told = ask(WORKER, "heartbeats", {"beats": beats})["beats"]
    assert [one["id"] for one in told] == [job["id"] for job in jobs]
    assert [one["held"] for one in told] == [True, False, True]
    assert ask(WORKER, "heartbeats", {"beats": [beats[0], beats[0]]}).status == 422


def test_a_result_that_cannot_be_stored_ends_the_job_with_its_own_code(ask: Asking) -> None:
    [job] = claimed(ask)
    body = {"lease_token": job["lease_token"], "result": "x" * 70_000}
    told = ask(WORKER, "complete", body, id=job["id"])
    assert (told["status"], told["error_code"], told["outcome"]) == ("failed", "result_too_large", "failed")
    assert ask(WORKER, "complete", body, id=job["id"])["repeated"]


def test_a_note_that_cannot_be_stored_changes_nothing(memory: Asking) -> None:
    [job] = claimed(memory)
    for verb in ("heartbeat", "complete", "fail"):
        told = memory(WORKER, verb, {"lease_token": job["lease_token"], "progress": "x" * 2000}, id=job["id"])
        assert (told.status, told["field"], told["code"]) == (422, "progress", "too_large")
    assert memory(PRODUCER, "show_job", id=job["id"])["status"] == "running"


@pytest.mark.parametrize(
    ("said", "status", "code"),
    [
        ({"class": "retryable", "code": "smtp_down"}, "pending", "smtp_down"),
        ({"class": "throttled"}, "pending", "throttled"),
        ({"class": "terminal"}, "failed", "terminal"),
        ({"class": "uncertain"}, "failed", "effect_uncertain"),
        ({"class": "unknown"}, "pending", "unclassified"),
        ({"class": "cancel"}, "cancelled", "cancelled_by_handler"),
        ({"outcome": "timed_out", "code": "timed_out"}, "pending", "timed_out"),
    ],
)
def test_each_class_of_failure_goes_its_own_way(ask: Asking, said: dict[str, Any], status: str, code: str) -> None:
    [job] = claimed(ask)
    told = fail(ask, job, error="it broke", **said)
    assert (told["status"], told["error_code"]) == (status, code)


def test_retry_in_says_when_it_is_due(memory: Asking, clock: FakeClock) -> None:
    [job] = claimed(memory)
    assert fail(memory, job, retry_in=120)["state"] == "scheduled"
    [job] = claimed(memory)
    assert fail(memory, job, retry_in=0)["state"] == "ready"


def test_what_went_back_is_announced(memory: Asking) -> None:
    [job] = claimed(memory)
    listener = memory.service.store.listen(["default"])
    fail(memory, job, retry_in=0)
    assert listener.wait(0)
    listener.close()


def test_several_ends_go_in_one_call_and_the_next_claim_with_them(ask: Asking) -> None:
    jobs = claimed(ask, 4)
    ends: list[dict[str, Any]] = [{"id": job["id"], "lease_token": job["lease_token"]} for job in jobs]
    ends[0] |= {"verb": "complete", "result": 1}
    ends[1] |= {"verb": "fail", "error": "x", "class": "terminal"}
    ends[2] |= {"verb": "release"}
    ends[3] |= {"verb": "complete", "lease_token": "not.mine"}
    ghost = {"verb": "complete", "id": "0190a000-0000-7000-8000-000000000000", "lease_token": "not.mine"}
    told = ask(WORKER, "reports", {"reports": [*ends, ghost], "claim": {"limit": 5}})
    assert [one["standing"] for one in told["reports"]] == ["done", "done", "done", "stale", "unknown"]
    assert [one["status"] for one in told["reports"]] == ["completed", "failed", "pending", "running", None]
    assert [job["id"] for job in told["claimed"]["jobs"]] == [jobs[2]["id"]]


def test_completions_and_a_claim_on_one_queue_are_one_round_trip_that_can_be_repeated(ask: Asking) -> None:
    first, second = claimed(ask, 2)
    for _ in range(3):
        ask(ADMIN, "enqueue", {"type": "sum"})
    ends = [{"verb": "complete", "id": one["id"], "lease_token": one["lease_token"]} for one in (first, second)]
    body = {"reports": ends, "claim": {"claim_id": "c", "limit": 2, "queues": ["default"]}}
    told, again = ask(WORKER, "reports", body), ask(WORKER, "reports", body)
    assert [one["standing"] for one in told["reports"]] == ["done"] * 2
    assert [one["standing"] for one in again["reports"]] == ["repeated"] * 2
    leases = [{job["id"]: job["lease_token"] for job in one["claimed"]["jobs"]} for one in (told, again)]
    assert len(leases[0]) == 2
    assert leases[0] == leases[1]


def test_a_report_in_a_call_is_refused_by_its_place_and_nothing_is_written(memory: Asking) -> None:
    jobs = claimed(memory, 2)
    ends = [{"verb": "complete", "id": job["id"], "lease_token": job["lease_token"]} for job in jobs]
    ends[1]["progress"] = "x" * 2000
    told = memory(WORKER, "reports", {"reports": ends})
    assert (told.status, told["pointer"]) == (422, "/reports/1/progress")
    ends[1] = {**ends[0], "id": "no uuid"}
    assert memory(WORKER, "reports", {"reports": ends})["pointer"] == "/reports/1/id"
    assert memory(PRODUCER, "show_job", id=jobs[0]["id"])["status"] == "running"


def test_a_stale_report_on_a_job_outside_the_scope_tells_nothing(memory: Asking) -> None:
    job = memory(ADMIN, "enqueue", {"type": "mail"})
    narrow = principal("worker", "n", kinds=["sum"])
    mine = memory(ADMIN, "enqueue", {"type": "sum"})
    lease = memory(narrow, "claim")
    assert lease["id"] == mine["id"]
    ends = [{"verb": "complete", "id": job["id"], "lease_token": lease["lease_token"]}]
    [told] = memory(narrow, "reports", {"reports": ends})["reports"]
    assert (told["standing"], told["state"]) == ("unknown", None)
    assert memory(narrow, "complete", {"lease_token": lease["lease_token"]}, id=job["id"]).status == 404


def test_what_a_worker_makes_of_a_storm_holds_up_the_retry_and_its_kind(ask: Asking, clock: FakeClock) -> None:
    [job] = claimed(ask)
    fail(ask, job, error="down", least_wait=45, rest=9_000)
    waiting = datetime.fromisoformat(ask(ADMIN, "show_job", id=job["id"])["run_at"])
    assert waiting == clock() + timedelta(seconds=45)
    (slowdown,) = ask(ADMIN, "show_kind", name="sum")["slowdowns"]
    assert datetime.fromisoformat(slowdown["until"]) == clock() + timedelta(seconds=300)
