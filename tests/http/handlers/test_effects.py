"""The ledger of effects: what a worker hears of a call that is known already, and of one under other arguments."""

from typing import Any

from tests.http.handlers.asking import ADMIN, WORKER, Asking, Said, principal


def running(ask: Asking) -> dict[str, Any]:
    assert ask(ADMIN, "enqueue", {"type": "sum"}).status == 201
    job: dict[str, Any] = ask(WORKER, "claim").body
    return job


def begin(ask: Asking, job: dict[str, Any], request_id: str, **said: Any) -> Said:
    body = {"lease_token": job["lease_token"], "request_id": request_id, **said}
    return ask(WORKER, "begin_effect", body, id=job["id"], name="charge")


def finish(ask: Asking, job: dict[str, Any], request_id: str, state: str) -> Said:
    body = {"lease_token": job["lease_token"], "request_id": request_id, "state": state}
    return ask(WORKER, "finish_effect", body, id=job["id"], name="charge")


def test_a_call_that_was_reported_otherwise_has_a_code_of_its_own(ask: Asking) -> None:
    job = running(ask)
    assert begin(ask, job, "r1")["what"] == "call"
    assert finish(ask, job, "r1", "confirmed")["state"] == "confirmed"
    told = finish(ask, job, "r1", "absent")
    assert (told.status, told["code"]) == (409, "effect_already_finished")
    assert told["detail"] == "this call was already reported confirmed"
    assert "stands" in told["hint"]
    assert finish(ask, job, "r1", "confirmed").status == 200


def test_a_call_that_somebody_settled_meanwhile_says_who_did(ask: Asking, clock: Any) -> None:
    job = running(ask)
    begin(ask, job, "r1", timeout=1)
    clock.advance(10)
    settled = ask(ADMIN, "settle_effect", {"state": "absent"}, id=job["id"], name="charge")
    assert settled["state"] == "absent"
    told = finish(ask, job, "r1", "confirmed")
    assert (told.status, told["code"]) == (409, "effect_already_finished")
    assert told["detail"] == "this call was already settled as absent by admin"


def test_a_call_of_another_attempt_stays_a_stale_lease(ask: Asking) -> None:
    job = running(ask)
    assert begin(ask, job, "r1", idempotent=True)["what"] == "call"
    gone = {"lease_token": job["lease_token"], "error": "x", "retry_in": 0}
    assert ask(WORKER, "fail", gone, id=job["id"]).status == 200
    again = ask(WORKER, "claim").body
    assert begin(ask, again, "r2", idempotent=True)["what"] == "call"
    told = finish(ask, job, "r1", "confirmed")
    assert (told.status, told["code"]) == (409, "stale_lease")


def test_other_arguments_under_the_key_come_with_what_to_do_next(ask: Asking) -> None:
    job = running(ask)
    begin(ask, job, "r1", args=1)
    told = begin(ask, job, "r2", args=2)
    assert (told.status, told["code"]) == (409, "effect_conflict")
    assert told["hint"] == (
        "The job is still yours: fail it with class terminal, or begin with the arguments of the first call."
    )


def test_what_another_job_did_under_a_business_key_is_told_without_its_result_to_who_may_not_see_that_job(
    ask: Asking,
) -> None:
    """A matched key shows only what that principal may read: that it happened, and not what came of it."""
    first, secret = ask(ADMIN, "enqueue", {"type": "mail"}), {"secret": "of mail"}
    lease = ask(WORKER, "claim", {"types": ["mail"]}).body
    begin(ask, lease, "r1", effect_key="order-7", args=1)
    body = {"lease_token": lease["lease_token"], "request_id": "r1", "state": "confirmed", "result": secret}
    assert ask(WORKER, "finish_effect", body, id=first["id"], name="charge")["result"] == secret
    ask(ADMIN, "enqueue", {"type": "sum"})
    narrow = principal("worker", "narrow", kinds=["sum"])
    second = ask(narrow, "claim").body
    wish = {"lease_token": second["lease_token"], "effect_key": "order-7", "args": 1}
    told = ask(narrow, "begin_effect", wish | {"request_id": "r2"}, id=second["id"], name="charge")
    assert (told.status, told["what"], told["effect"]["state"]) == (200, "stored", "confirmed")
    assert not {"result", "error"} & told["effect"].keys()
    assert "of mail" not in str(told.body)
    assert "of mail" not in str(ask(narrow, "list_effects", id=second["id"]).body)
    other = ask(narrow, "begin_effect", wish | {"request_id": "r3", "args": 2}, id=second["id"], name="charge")
    assert (other.status, other["code"]) == (409, "effect_conflict")
    assert first["id"] not in str(other.body)


def test_what_another_job_did_under_a_business_key_is_told_whole_to_who_may_see_that_job(ask: Asking) -> None:
    first = running(ask)
    begin(ask, first, "r1", effect_key="order-7")
    body = {"lease_token": first["lease_token"], "request_id": "r1", "state": "confirmed", "result": [7]}
    assert ask(WORKER, "finish_effect", body, id=first["id"], name="charge").status == 200
    told = begin(ask, running(ask), "r2", effect_key="order-7")
    assert (told["what"], told["effect"]["result"]) == ("stored", [7])
