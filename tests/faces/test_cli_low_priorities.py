"""`tenure queues set` and `show`: aging and reserved capacity."""

import asyncio
import json
from collections.abc import Callable

import pytest
from click.testing import Result

from tenure import InvalidInput, Tenure
from tenure.cli import exit_codes
from tenure.core.flow.relief import Relief, Reserve
from tenure.testing import drain

Run = Callable[..., Result]


def test_a_queue_is_given_aging_and_a_reserve_and_tells_them(tenure: Run, shop: Tenure) -> None:
    shop.task(kind="letter")(lambda: None)
    shop.enqueue("letter", queue="post")
    done = tenure("queues", "set", "post", "--aging", "300", "--reserve", "10%:medium", "--why", "exports are late")
    assert (done.exit_code, done.output) == (0, "post: aging 300 s a step, reserve 10 % up to medium\n")
    again = tenure("queues", "set", "post", "--aging", "300", "--reserve", "10%:medium")
    assert again.output == "post: unchanged, aging 300 s a step, reserve 10 % up to medium\n"
    shown = tenure("queues", "show", "post").output.splitlines()
    assert shown[:2] == ["queue post", "  ready          1"]
    assert shown[3] == "  low priorities aging 300 s a step, reserve 10 % up to medium"
    assert shown[4:7] == ["  limit          none", "  capacity       none", "  paused         no"]
    told = json.loads(tenure("queues", "show", "post", "--json").output)
    assert (told["aging"], told["reserve"]) == (300.0, {"percent": 10, "priority": "medium"})
    line = shop.store.run(shop.store.verbs.audit_lines(1))[0]
    assert (line.verb, line.queue, line.why) == ("set_relief", "post", "exports are late")
    assert tenure("queues", "set", "post").output == "post: none\n"
    assert json.loads(tenure("queues", "show", "post", "--json").output)["reserve"] is None


def test_queues_with_a_rule_are_listed_before_they_hold_jobs(tenure: Run, shop: Tenure) -> None:
    shop.opened()
    tenure("queues", "set", "later", "--reserve", "5%")
    (listed,) = json.loads(tenure("queues", "list", "--json").output)["queues"]
    assert (listed["name"], listed["jobs"], listed["aging"]) == ("later", {}, None)
    assert listed["reserve"] == {"percent": 5, "priority": "low"}
    assert "reserve 5 % up to low" in tenure("queues", "list").output
    assert "low priorities" not in tenure("tenants", "list").output


@pytest.mark.parametrize(
    "said", [("--aging=0",), ("--aging=often",), ("--reserve=0%",), ("--reserve=many",), ("--reserve=5%:x",)]
)
def test_what_cannot_be_is_refused(tenure: Run, shop: Tenure, said: tuple[str, ...]) -> None:
    shop.opened()
    assert tenure("queues", "set", "post", *said).exit_code == exit_codes.USAGE


def test_from_python_it_holds_from_the_next_claim_on(shop: Tenure) -> None:
    shop.task(kind="letter")(lambda: None)
    assert shop.set_relief("post", reserve="50%", why="exports are late")
    assert not shop.set_relief("post", reserve="50%")
    assert shop.reliefs() == {"post": Relief(reserve=Reserve(50, 0))}
    jobs = {shop.enqueue("letter", queue="post", priority=label).id: label for label in ("low", "high") * 3}
    assert [jobs[ran.job_id] for ran in drain(shop)] == ["high", "low"] * 3
    assert shop.set_relief("post")
    assert shop.reliefs() == {}
    with pytest.raises(InvalidInput, match="reserve"):
        shop.set_relief("post", reserve="all of it")


def test_a_relief_is_set_and_shown_from_async_python(shop: Tenure) -> None:
    async def set_and_shown() -> dict[str, Relief]:
        assert await shop.aset_relief("post", aging=60)
        found = await shop.areliefs()
        assert await shop.aset_relief("post", why="enough")
        return found

    assert asyncio.run(set_and_shown()) == {"post": Relief(60.0)}
