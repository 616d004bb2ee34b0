"""What low priorities get, over HTTP."""

from collections import Counter
from typing import Any

import pytest

from tenure.core.errors import InvalidInput
from tenure.edge.reliefs import SetQueue
from tenure.http.bodies.converting import converted
from tests.http.handlers.asking import ADMIN, PRODUCER, VIEWER, WORKER, Asking, principal


def test_a_reserve_holds_for_all_callers_of_the_service_over_claims_of_one_job(ask: Asking) -> None:
    said = {"reserve": {"percent": 25, "priority": "low"}, "why": "the exports are late"}
    told = ask(ADMIN, "set_queue", said, name="default").body
    assert told == {
        "name": "default", "changed": True, "aging": None, "reserve": {"percent": 25, "priority": "low"},
    }  # fmt: skip
    ask(ADMIN, "enqueue_many", {"jobs": [{"type": "sum", "priority": label} for label in ["low", "high"] * 12]})
    started = Counter(ask(WORKER, "claim")["priority"] for _ in range(12))
    assert started == {"high": 9, "low": 3}
    assert not ask(ADMIN, "set_queue", said, name="default")["changed"]
    assert ask(ADMIN, "set_queue", {}, name="default")["reserve"] is None
    assert {ask(WORKER, "claim")["priority"] for _ in range(3)} == {"high"}


def test_a_repeated_claim_gets_its_own_leases_and_deals_out_nothing(ask: Asking) -> None:
    ask(ADMIN, "set_queue", {"reserve": {"percent": 50}}, name="default")
    ask(PRODUCER, "enqueue_many", {"jobs": [{"type": "sum", "priority": label} for label in ["low", "medium"] * 9]})
    claim = {"claim_id": "c1", "limit": 2}
    first = ask(WORKER, "claim", claim)["jobs"]
    assert [job["id"] for job in ask(WORKER, "claim", claim)["jobs"]] == [job["id"] for job in first]
    more = Counter(job["priority"] for _ in range(4) for job in ask(WORKER, "claim", {"limit": 1})["jobs"])
    assert more == {"low": 2, "medium": 2}


def test_a_queue_tells_what_low_priorities_get_also_before_it_has_jobs(ask: Asking) -> None:
    ask(ADMIN, "set_queue", {"aging": 300, "reserve": {"percent": 5, "priority": 7}}, name="later")
    ask(PRODUCER, "enqueue", {"type": "sum"})
    plain, later = ask(VIEWER, "list_queues")["queues"]
    assert (plain["name"], plain["aging"], plain["reserve"]) == ("default", None, None)
    assert (later["name"], later["jobs"], later["aging"]) == ("later", {}, 300.0)
    assert later["reserve"] == {"percent": 5, "priority": 7}
    assert [one["name"] for one in ask(principal("viewer", queues=["default"]), "list_queues")["queues"]] == ["default"]
    assert ask(VIEWER, "list_tenants")["tenants"][0]["reserve"] is None


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"aging": 0}, "aging"), ({"aging": "5"}, "aging"), ({"reserve": {"percent": 91}}, "reserve.percent"),
        ({"reserve": {}}, "reserve.percent"), ({"reserve": {"percent": 5, "priority": "urgent"}}, "reserve.priority"),
        ({"reserve": {"percent": 5, "priority": 99_999}}, "reserve.priority"), ({"share": 5}, "share"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_by_its_member(said: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        converted(SetQueue, said)
    assert refusal.value.field == field


@pytest.mark.parametrize(
    ("scope", "status"),
    [({}, 200), ({"queues": ["q"]}, 200), ({"queues": ["p"]}, 403), ({"queues": ["q"], "tenants": ["a"]}, 403)],
)
def test_who_sets_it_has_the_whole_queue(memory: Asking, scope: dict[str, Any], status: int) -> None:
    assert memory(principal("operator", **scope), "set_queue", {"aging": 5}, name="q").status == status
