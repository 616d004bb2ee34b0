"""Order keys on the command line: what is stopped, what waits behind whom."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import Result

from tenure import Tenure, Terminal
from tenure.core.errors import InvalidInput, Misconfigured, TooLarge
from tenure.testing import drain

Run = Callable[..., Result]


@pytest.fixture
def pay(shop: Tenure) -> Any:
    @shop.task(kind="pay")
    def pay(cents: int) -> int:
        if cents < 0:
            raise Terminal("card_declined", "no")
        return cents

    return pay


def test_a_stopped_key_is_listed_until_its_job_is_cancelled(tenure: Run, shop: Tenure, pay: Any) -> None:
    assert "no order key is stopped" in tenure("orders").output
    bad, good = (pay.using(order_key="account 91").enqueue(cents=cents) for cents in (-1, 5))
    drain(shop)
    said = json.loads(tenure("orders", "--json").output)["stopped"]
    assert [(one["order_key"], one["job_id"], one["code"]) for one in said] == [("account 91", bad.id, "card_declined")]
    assert bad.id in tenure("orders", "--tenant", "default").output
    assert json.loads(tenure("orders", "--tenant", "other", "--json").output)["stopped"] == []
    doctor = json.loads(tenure("doctor", "--json").output)["findings"]
    assert [one["level"] for one in doctor if one["check"] == "orders"] == ["note"]
    assert tenure("jobs", "cancel", bad.id).exit_code == 0
    assert json.loads(tenure("orders", "--json").output)["stopped"] == []
    assert [ran.job_id for ran in drain(shop)] == [good.id]


def test_a_blocked_job_says_behind_whom_it_waits_and_why(tenure: Run, shop: Tenure, pay: Any) -> None:
    bad, good = (pay.using(order_key="account 91").enqueue(cents=cents) for cents in (-1, 5))
    assert (
        f"waits behind job {bad.id} of order key 'account 91', which is ready" in tenure("jobs", "show", good.id).output
    )
    drain(shop)
    shown = tenure("jobs", "show", good.id).output
    assert f"is stopped by job {bad.id}, which failed with card_declined" in shown
    assert "order key account 91 (on failure: stop)" in " ".join(shown.split())
    said = json.loads(tenure("jobs", "show", good.id, "--json").output)
    assert said["behind"] == {"id": bad.id, "state": "failed", "error_code": "card_declined"}
    assert "stops its order key" in tenure("jobs", "show", bad.id).output


def test_jobs_are_enqueued_and_listed_by_their_key(tenure: Run, shop: Tenure, pay: Any) -> None:
    options = ("--order-key", "a", "--on-failure", "continue", "--json")
    pay.enqueue(cents=0)
    ids = [json.loads(tenure("enqueue", "pay", '{"cents": 1}', *options).output)["id"] for _ in range(2)]
    lines = [
        json.dumps({"kind": "pay", "payload": {"cents": n}, "order_key": "b", "on_failure": "stop"}) for n in (1, 2)
    ]
    assert tenure("enqueue-file", "-", input="\n".join(lines)).exit_code == 0
    listed = json.loads(tenure("jobs", "list", "--order-key", "a", "--json").output)["jobs"]
    assert [(job["id"], job["on_failure"]) for job in listed] == [(job_id, "continue") for job_id in ids[::-1]]
    others = json.loads(tenure("jobs", "list", "--order-key", "b", "--json").output)["jobs"]
    assert [job["state"] for job in others] == ["blocked", "ready"]


def test_a_whole_key_is_cancelled(tenure: Run, shop: Tenure, pay: Any) -> None:
    jobs = [pay.using(order_key=key).enqueue(cents=1) for key in ("a", "a", "b")]
    assert tenure("jobs", "cancel", "--order-key", "a", "--yes").exit_code == 0
    assert [shop.get(job.id).state for job in jobs] == ["cancelled", "cancelled", "ready"]  # type: ignore[union-attr]


def test_a_kind_declared_as_data_says_what_becomes_of_its_keys(tenure: Run, shop: Tenure) -> None:
    assert tenure("kinds", "set", "--name", "data", "--on-failure", "continue").exit_code == 0
    assert "on-failure continue → stop" in tenure("kinds", "set", "--name", "data", "--on-failure", "stop").output


def test_what_cannot_be_is_refused_by_its_name(shop: Tenure, pay: Any) -> None:
    with pytest.raises(TooLarge, match="order_key: is 600 bytes"):
        pay.using(order_key="ü" * 300)
    with pytest.raises(InvalidInput, match="order_key: is blank"):
        pay.using(order_key=" ")
    with pytest.raises(InvalidInput, match="on_failure: must be stop or continue"):
        pay.using(on_failure="wait")
    with pytest.raises(InvalidInput, match="on_failure: is said without an order key"):
        pay.using(on_failure="stop").enqueue(cents=1)
    with pytest.raises(Misconfigured, match="on_failure: must be stop or continue"):
        shop.task(kind="other", on_failure="wait")(lambda: None)  # type: ignore[arg-type]
