"""Capacities over HTTP: set and listed, and what a producer hears of one that is full."""

from typing import Any

import pytest

from tenure.core.job import Policy
from tenure.core.kind import Kind
from tests.http.handlers.asking import ADMIN, PRODUCER, VIEWER, Asking, principal

SUM = {"type": "sum", "queue": "q"}


def bounded(ask: Asking, capacity: int | None = 2, **said: Any) -> Any:
    return ask(ADMIN, "set_capacity", {"queue": "q", "capacity": capacity, "why": "the disk is small", **said})


def test_a_capacity_is_set_shown_and_taken_away(ask: Asking) -> None:
    ask(PRODUCER, "enqueue", SUM)
    stands = {"queue": "q", "tenant": None, "capacity": 2, "waiting": 1}
    assert bounded(ask).body == {"changed": True, "capacity": stands}
    assert ask(VIEWER, "list_capacities")["capacities"] == [stands]
    assert not bounded(ask)["changed"]
    assert bounded(ask, None).body == {"changed": True, "capacity": None}
    assert ask(VIEWER, "list_capacities").body == {"capacities": [], "next": None}


def test_a_full_queue_answers_429_with_how_full_it_is_and_when_to_come_back(ask: Asking) -> None:
    bounded(ask)
    for _ in range(2):
        assert ask(PRODUCER, "enqueue", SUM).status == 201
    told = ask(PRODUCER, "enqueue", SUM)
    assert (told.status, told["code"], told["retry_after"]) == (429, "queue_full", 10.0)
    assert told["detail"] == "queue q is full: about 2 jobs wait, 2 may"
    assert {name: told[name] for name in ("queue", "tenant", "waiting", "capacity", "drain_seconds")} == {
        "queue": "q", "tenant": None, "waiting": 2, "capacity": 2, "drain_seconds": None,
    }  # fmt: skip


def test_a_batch_tells_it_of_each_that_has_no_room(ask: Asking) -> None:
    bounded(ask)
    jobs = [SUM, {**SUM, "queue": "r"}, SUM, SUM, {**SUM, "when_full": "delay"}]
    told = ask(PRODUCER, "enqueue_many", {"jobs": jobs})["jobs"]
    assert [one["status"] for one in told] == [201, 201, 201, 429, 201]
    assert told[3]["problem"]["code"] == "queue_full"
    assert [told[place]["job"]["state"] for place in (2, 4)] == ["ready", "scheduled"]


def test_a_known_key_is_answered_though_the_queue_is_full(ask: Asking) -> None:
    bounded(ask, 1)
    first = ask(PRODUCER, "enqueue", {**SUM, "idempotency_key": "x"})
    assert ask(PRODUCER, "enqueue", SUM).status == 429
    again = ask(PRODUCER, "enqueue", {**SUM, "idempotency_key": "x"})
    assert (again.status, again["id"]) == (200, first["id"])
    assert ask(PRODUCER, "enqueue", {**SUM, "payload": {"a": 1}, "idempotency_key": "x"}).status == 409


def test_only_a_kind_or_an_admin_says_that_work_must_be_done(memory: Asking) -> None:
    bounded(memory, 0)
    must = {**SUM, "when_full": "accept"}
    refused = memory(PRODUCER, "enqueue", must)
    assert (refused.status, refused["code"], refused["field"]) == (403, "when_full_forbidden", "when_full")
    assert memory(ADMIN, "enqueue", must).status == 201
    memory.declare(Kind(name="vital", policy=Policy(when_full="accept")))
    assert memory(PRODUCER, "enqueue", {"type": "vital", "queue": "q"}).status == 201
    assert memory(PRODUCER, "enqueue", {"type": "vital", "queue": "q", "when_full": "accept"}).status == 201
    assert memory(PRODUCER, "enqueue", {"type": "vital", "queue": "q", "when_full": "refuse"}).status == 429


def test_a_kind_that_is_declared_as_data_says_it_too(memory: Asking) -> None:
    assert memory(ADMIN, "set_kind", {"when_full": "accept"}, name="vital")["when_full"] == "accept"
    bounded(memory, 0)
    assert memory(PRODUCER, "enqueue", {"type": "vital", "queue": "q"}).status == 201


def test_who_has_a_part_of_a_queue_is_not_told_how_much_waits_there(memory: Asking) -> None:
    bounded(memory, 1)
    bounded(memory, 1, queue=None, tenant="b")
    memory(ADMIN, "enqueue", {**SUM, "tenant": "a"})
    of_b = principal("producer", tenants=["b"])
    told = memory(of_b, "enqueue", SUM)
    assert (told.status, told["detail"], told["queue"]) == (429, "queue q is full", "q")
    assert not {"waiting", "capacity"} & told.body.keys()
    assert memory(of_b, "enqueue", {"type": "sum"}).status == 201
    assert memory(of_b, "enqueue", {"type": "sum"})["waiting"] == 1
    assert [one["tenant"] for one in memory(of_b, "list_capacities")["capacities"]] == ["b"]


@pytest.mark.parametrize(
    ("said", "scope", "status"),
    [
        ({"queue": "q"}, {}, 200), ({"tenant": "a"}, {"tenants": ["a"]}, 200), ({"queue": "q"}, {"tenants": ["a"]}, 403),
        ({"queue": "q", "tenant": "a"}, {"tenants": ["a"], "queues": ["q"]}, 200), ({"queue": "q"}, {"kinds": ["sum"]}, 403),
        ({"queue": "r", "tenant": "a"}, {"tenants": ["a"], "queues": ["q"]}, 403), ({}, {}, 422),
    ],
)  # fmt: skip
def test_who_bounds_has_all_of_it(memory: Asking, said: dict[str, Any], scope: dict[str, Any], status: int) -> None:
    assert memory(principal("operator", **scope), "set_capacity", {**said, "capacity": 3}).status == status


def test_capacities_come_in_pages(memory: Asking) -> None:
    for name in "abcde":
        bounded(memory, 3, queue=None, tenant=name)
    first = memory(ADMIN, "list_capacities", query={"limit": 3})
    rest = memory(ADMIN, "list_capacities", query={"limit": 3, "cursor": first["next"]})
    assert [one["tenant"] for one in [*first["capacities"], *rest["capacities"]]] == list("abcde")
    assert rest["next"] is None
