"""Limits and weights over HTTP."""

from typing import Any

import pytest

from tests.http.handlers.asking import ADMIN, PRODUCER, VIEWER, WORKER, Asking, principal


def test_a_limit_is_set_shown_and_taken_away(ask: Asking) -> None:
    said = {"type": "sum", "concurrency": 1, "rate": {"starts": 10}, "why": "the bank asks for it"}
    told = ask(ADMIN, "set_limit", said)
    assert (told["changed"], told["limit"]["type"], told["limit"]["queue"]) == (True, "sum", None)
    assert told["limit"]["rate"] == {"starts": 10, "seconds": 1.0, "burst": 20}
    ask(PRODUCER, "enqueue_many", {"jobs": [{"type": "sum"}] * 3})
    assert len(ask(WORKER, "claim", {"limit": 3})["jobs"]) == 1
    assert len(ask(WORKER, "claim", {"limit": 3})["jobs"]) == 0
    (limit,) = ask(VIEWER, "list_limits")["limits"]
    assert (limit["type"], limit["concurrency"], limit["running"]) == ("sum", 1, 1)
    assert not ask(ADMIN, "set_limit", said)["changed"]
    gone = ask(ADMIN, "set_limit", {"type": "sum"})
    assert (gone["changed"], gone["limit"]) == (True, None)
    assert len(ask(WORKER, "claim", {"limit": 3})["jobs"]) == 2


def test_a_place_that_no_limit_can_have_is_refused_by_its_member(memory: Asking) -> None:
    told = memory(ADMIN, "set_limit", {"queue": "q", "tenant": "t", "concurrency": 1})
    assert (told.status, told["field"]) == (422, "queue")


@pytest.mark.parametrize(
    ("said", "scope", "status"),
    [
        ({}, {}, 200), ({}, {"tenants": ["a"]}, 403), ({}, {"kinds": ["sum"]}, 403),
        ({"tenant": "a"}, {"tenants": ["a"]}, 200), ({"tenant": "b"}, {"tenants": ["a"]}, 403),
        ({"tenant": "a"}, {"tenants": ["a"], "kinds": ["sum"]}, 403),
        ({"tenant": "a", "type": "sum"}, {"tenants": ["a"], "kinds": ["sum"]}, 200),
        ({"type": "sum"}, {"tenants": ["a"]}, 403), ({"queue": "q"}, {"queues": ["q"]}, 200),
        ({"queue": "q"}, {"queues": ["q"], "tenants": ["a"]}, 403),
    ],
)  # fmt: skip
def test_who_limits_has_all_of_it(memory: Asking, said: dict[str, Any], scope: dict[str, Any], status: int) -> None:
    assert memory(principal("operator", **scope), "set_limit", {**said, "concurrency": 3}).status == status
    seen = memory(principal("viewer", **scope), "list_limits")["limits"]
    assert len(seen) == (1 if status == 200 else 0)


def test_limits_come_in_pages(memory: Asking) -> None:
    for name in "abcde":
        memory(ADMIN, "set_limit", {"tenant": name, "concurrency": 3})
    first = memory(ADMIN, "list_limits", query={"limit": 3})
    rest = memory(ADMIN, "list_limits", query={"limit": 3, "cursor": first["next"]})
    assert [one["tenant"] for one in [*first["limits"], *rest["limits"]]] == list("abcde")
    assert rest["next"] is None


def test_a_weight_holds_for_all_callers_of_the_service(ask: Asking) -> None:
    assert ask(ADMIN, "set_tenant", {"weight": 3}, name="b").body == {"name": "b", "weight": 3, "changed": True}
    ask(ADMIN, "enqueue_many", {"jobs": [{"type": "sum", "tenant": tenant} for tenant in "aaaabbbb"]})
    served = "".join(ask(WORKER, "claim")["tenant"] for _ in range(5))
    assert served in ("abbba", "bbbab")
    weights = {one["name"]: one["weight"] for one in ask(VIEWER, "list_tenants")["tenants"]}
    assert weights == {"a": 1, "b": 3}


@pytest.mark.parametrize("name", ["a", "b"])
def test_a_tenants_own_operator_cannot_outweigh_the_others(memory: Asking, name: str) -> None:
    refused = memory(principal("operator", tenants=["a"]), "set_tenant", {"weight": 1000}, name=name)
    assert (refused.status, refused["code"]) == (403, "tenant_forbidden")
