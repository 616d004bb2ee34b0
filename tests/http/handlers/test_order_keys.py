"""Order keys over HTTP: said, shown, listed, and why a job waits."""

from typing import Any

import pytest

from tests.http.handlers.asking import ADMIN, PRODUCER, WORKER, Asking, principal


def enqueued(ask: Asking, **said: Any) -> Any:
    return ask(PRODUCER, "enqueue", {"type": "sum", "order_key": "account-91", **said})


def test_jobs_of_one_key_are_blocked_behind_its_head(ask: Asking) -> None:
    first, second = enqueued(ask), enqueued(ask, on_failure="continue")
    assert [(job["state"], job["order_key"], job["on_failure"]) for job in (first, second)] == [
        ("ready", "account-91", "stop"),
        ("blocked", "account-91", "continue"),
    ]
    assert second["status"] == "pending"
    assert ask(PRODUCER, "enqueue", {"type": "sum"})["order_key"] is None


def test_a_batch_keeps_its_order(ask: Asking) -> None:
    told = ask(PRODUCER, "enqueue_many", {"jobs": [{"type": "sum", "order_key": "k"}] * 3})
    assert [one["job"]["state"] for one in told["jobs"]] == ["ready", "blocked", "blocked"]


def test_a_blocked_job_tells_for_whom_it_waits(ask: Asking) -> None:
    first, second = enqueued(ask), enqueued(ask)
    assert ask(PRODUCER, "show_job", id=second["id"])["behind"] == {
        "id": first["id"], "state": "ready", "error_code": None,
    }  # fmt: skip
    assert "behind" not in ask(PRODUCER, "show_job", id=first["id"]).body
    claimed = ask(WORKER, "claim", {"types": ["sum"]})
    said = {"lease_token": claimed["lease_token"], "error": "no", "class": "terminal", "code": "card_declined"}
    ask(WORKER, "fail", said, id=first["id"])
    assert ask(PRODUCER, "show_job", id=second["id"])["behind"] == {
        "id": first["id"], "state": "failed", "error_code": "card_declined",
    }  # fmt: skip
    assert ask(ADMIN, "cancel", {}, id=first["id"])["happened"] == "cancelled"
    assert ask(PRODUCER, "show_job", id=second["id"])["state"] == "ready"


def test_a_job_out_of_sight_is_not_named_by_the_one_that_waits_for_it(ask: Asking) -> None:
    ask(PRODUCER, "enqueue", {"type": "mail", "order_key": "account-91"})
    second = enqueued(ask)
    narrow = principal("viewer", kinds=["sum"])
    assert ask(narrow, "show_job", id=second["id"])["behind"]["id"] is None


def test_a_job_out_of_sight_that_stops_a_key_keeps_its_code_to_itself(ask: Asking) -> None:
    first = ask(PRODUCER, "enqueue", {"type": "mail", "order_key": "account-91"})["id"]
    second = enqueued(ask)["id"]
    token = ask(WORKER, "claim")["lease_token"]
    ask(WORKER, "fail", {"lease_token": token, "class": "terminal", "code": "card_declined"}, id=first)
    for scope, holders in (({}, [first]), ({"kinds": ["sum"]}, [])):
        seer = principal("viewer", **scope)
        behind, (one,) = ask(seer, "show_job", id=second)["behind"], ask(seer, "explain_job", id=second)["obstacles"]
        assert (behind["state"], one["cause"], one["holders"]) == ("failed", "blocked", holders)
        assert behind["error_code"] == ("card_declined" if holders else None)
        assert ("card_declined" in one["words"]) == bool(holders)


def test_the_jobs_of_one_key_are_listed(ask: Asking) -> None:
    ids = [enqueued(ask)["id"] for _ in range(2)]
    enqueued(ask, order_key="another")
    ask(PRODUCER, "enqueue", {"type": "sum"})
    told = ask(PRODUCER, "list_jobs", query={"order_key": "account-91"})
    assert [job["id"] for job in told["jobs"]] == ids[::-1]


def test_a_kind_says_what_becomes_of_its_keys(ask: Asking) -> None:
    assert ask(ADMIN, "set_kind", {"on_failure": "continue"}, name="pay")["on_failure"] == "continue"
    job = ask(PRODUCER, "enqueue", {"type": "pay", "order_key": "k"})
    assert job["on_failure"] == "continue"


@pytest.mark.parametrize(
    ("said", "field"),
    [({"order_key": "ü" * 300}, "order_key"), ({"on_failure": "stop", "order_key": None}, "on_failure")],
)
def test_what_cannot_be_is_refused_by_its_name(memory: Asking, said: dict[str, Any], field: str) -> None:
    told = memory(PRODUCER, "enqueue", {"type": "sum", **said})
    assert (told.status, told["field"]) == (422, field)
