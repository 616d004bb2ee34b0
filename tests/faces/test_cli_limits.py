"""`tenure limits` and `tenure tenants set`."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import Result

from tenure import InvalidInput, Tenure
from tenure.cli import exit_codes
from tenure.core.flow.limits import Rate
from tenure.core.flow.place import Place
from tenure.testing import drain

Run = Callable[..., Result]


@pytest.mark.parametrize(
    "said",
    [
        ("limits", "set", "--queue", ""),
        ("limits", "set", "--kind", "letter", "--tenant", ""),
        ("resources", "set", ""),
        ("capacities", "set", "--queue", "post", "--tenant", "", "--jobs", "3"),
    ],
)
def test_a_blank_name_makes_no_rule_of_a_wider_place(tenure: Run, shop: Tenure, said: tuple[str, ...]) -> None:
    """As of a variable of a script that nothing was given to."""
    shop.set_limit(concurrency=500)
    refused = tenure(*said)
    assert (refused.exit_code, "is blank" in refused.output) == (exit_codes.USAGE, True)
    assert [use.limit.concurrency for use in shop.limits()] == [500]
    assert shop.capacities() == []


def test_limits_are_set_listed_and_taken_away(tenure: Run, shop: Tenure) -> None:
    shop.opened()
    assert tenure("limits", "list").output == "no limits\n"
    said = ("--kind", "letter", "--tenant", "acme", "--concurrency", "2", "--rate", "100/min")
    done = tenure("limits", "set", *said, "--why", "they asked")
    assert (done.exit_code, done.stdout) == (0, "kind letter of tenant acme: 2 at once, 100 a minute, 4 together\n")
    assert tenure("limits", "set", "--concurrency", "500").output == "store: 500 at once\n"
    assert tenure("limits", "set", "--queue", "post", "--rate", "1/s", "--burst", "7").exit_code == 0
    assert tenure("limits", "set", "--concurrency", "500").output == "store: unchanged, 500 at once\n"
    listed = json.loads(tenure("limits", "list", "--json").output)["limits"]
    assert [(one["queue"], one["kind"], one["tenant"], one["concurrency"]) for one in listed] == [
        (None, None, None, 500), (None, "letter", "acme", 2), ("post", None, None, None),
    ]  # fmt: skip
    assert listed[2]["rate"] == {"starts": 1, "seconds": 1.0, "burst": 7}
    assert "1 a second, 7 together" in tenure("limits", "list").output
    assert tenure("limits", "set", "--queue", "post").output == "queue post: no limit\n"
    line = shop.store.run(shop.store.verbs.audit_lines(10))[-1]
    assert (line.verb, line.kind, line.tenant, line.why) == ("set_limit", "letter", "acme", "they asked")


@pytest.mark.parametrize(
    "said",
    [
        ("--queue=post", "--tenant=acme", "--concurrency=1"), ("--concurrency=0",), ("--rate=often",), ("--rate=0/s",),
        ("--burst=3",), ("--rate=1/s", "--burst=0"),
    ],
)  # fmt: skip
def test_a_limit_that_cannot_be_is_refused(tenure: Run, shop: Tenure, said: tuple[str, ...]) -> None:
    shop.opened()
    assert tenure("limits", "set", *said).exit_code == exit_codes.USAGE


def test_a_tenant_is_weighed(tenure: Run, shop: Tenure) -> None:
    shop.task(kind="letter")(lambda: None)
    shop.enqueue("letter", tenant="acme")
    assert tenure("tenants", "set", "acme", "--weight", "3").output == "acme: weight 3\n"
    assert tenure("tenants", "set", "acme", "--weight", "3").output == "acme: unchanged, weight 3\n"
    (listed,) = json.loads(tenure("tenants", "list", "--json").output)["tenants"]
    assert (listed["name"], listed["weight"]) == ("acme", 3)
    assert tenure("tenants", "list").output.splitlines()[1].split()[:2] == ["acme", "3"]
    assert tenure("tenants", "set", "acme", "--weight", "0").exit_code == exit_codes.USAGE


def test_a_tenant_is_shown_and_listed_whether_it_has_jobs_or_not(tenure: Run, shop: Tenure) -> None:
    shop.task(kind="letter")(lambda: None)
    shop.enqueue("letter", tenant="acme")
    shop.set_weight("later", 5)
    shop.pause("unpaid", tenant="acme")
    shown = tenure("tenants", "show", "acme").output.splitlines()
    assert (shown[0], shown[1].split()) == ("tenant acme", ["ready", "1"])
    assert "  weight         1" in shown
    assert shown[-1].endswith(": unpaid")
    empty = json.loads(tenure("tenants", "show", "later", "--json").output)
    assert empty.items() >= {"name": "later", "jobs": {}, "oldest_run_at": None, "pause": None, "weight": 5}.items()
    listed = json.loads(tenure("tenants", "list", "--json").output)["tenants"]
    assert [(one["name"], one["weight"]) for one in listed] == [("acme", 1), ("later", 5)]
    assert tenure("tenants", "show", "").exit_code == exit_codes.USAGE


def test_queues_and_tenants_are_shown_and_listed_from_python(shop: Tenure) -> None:
    shop.task(kind="letter", queue="post")(lambda: None)
    shop.enqueue("letter", tenant="acme")
    shop.set_relief("slow", aging=60)
    shop.set_weight("acme", 3)
    assert (shop.show_tenant("acme").jobs, shop.show_tenant("acme").weight) == ({"ready": 1}, 3)
    assert (shop.show_queue("slow").jobs, shop.show_queue("slow").relief.aging) == ({}, 60)
    assert [one.name for one in shop.list_queues()] == ["post", "slow"]
    assert [one.name for one in shop.list_queues("post")] == ["slow"]
    assert [one.name for one in shop.list_tenants(limit=1)] == ["acme"]
    assert asyncio.run(shop.ashow_queue("post")) == shop.show_queue("post")
    assert asyncio.run(shop.ashow_tenant("acme")) == shop.show_tenant("acme")
    assert asyncio.run(shop.alist_queues()) == shop.list_queues()
    assert asyncio.run(shop.alist_tenants()) == shop.list_tenants()


def test_a_job_tells_which_limit_keeps_it_waiting(tenure: Run, shop: Tenure) -> None:
    shop.task(kind="letter")(lambda: None)
    first, second = shop.enqueue("letter"), shop.enqueue("letter")
    shop.set_limit(kind="letter", rate="1/d", burst=1)
    assert len(drain(shop)) == 1
    waiting = second if shop.get(first.id).state == "succeeded" else first
    shown = tenure("jobs", "show", waiting.id).output
    assert "waits: kind letter is at its limit: 1 a day, 1 together, the next start is free in 86," in shown
    assert "kind letter is at its limit" in tenure("doctor").output


def test_limits_and_weights_from_python(shop: Tenure) -> None:
    assert shop.set_limit(why="they asked", kind="letter", concurrency=2, rate="5/2h")
    assert not shop.set_limit(kind="letter", concurrency=2, rate="5/2h")
    (use,) = shop.limits()
    assert (use.limit.place, use.limit.concurrency, use.limit.rate) == (Place(kind="letter"), 2, Rate(5, 7200.0, 1))
    assert shop.set_limit(kind="letter")
    assert shop.set_weight("acme", 2)
    assert not shop.set_weight("acme", 2)
    with pytest.raises(InvalidInput, match="goes with a rate"):
        shop.set_limit(burst=3)


def test_a_name_that_is_not_said_what_of_limits_nothing(shop: Tenure) -> None:
    limit: Any = shop.set_limit
    with pytest.raises(TypeError):
        limit("post", concurrency=1)
    assert shop.limits() == []
