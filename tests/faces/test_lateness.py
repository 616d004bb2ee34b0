"""`tenure lateness`, what `tenure doctor` finds of it, and the same from Python."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from click.testing import Result

from tenure import Tenure
from tenure.core.flow.lateness import Objective
from tenure.testing import drain

Run = Callable[..., Result]


def found(tenure: Run, check: str) -> list[tuple[str, str]]:
    findings = json.loads(tenure("doctor", "--json").output)["findings"]
    return [(one["level"], one["words"]) for one in findings if one["check"] == check]


def test_lateness_is_listed_and_an_objective_set(tenure: Run, shop: Tenure, letter: Any) -> None:
    assert tenure("lateness", "list").output == "no queues\n"
    done = tenure("lateness", "set", "post", "--within", "30", "--share", "0.9", "--why", "we promise it")
    assert (done.exit_code, done.output) == (0, "queue post: objective 0.9 within 30 s\n")
    assert tenure("lateness", "set", "post", "--within", "30", "--share", "0.9").output.startswith(
        "queue post: unchanged"
    )
    letter.enqueue(to="ada")
    drain(shop)
    letter.enqueue(to="bob")
    (post,) = json.loads(tenure("lateness", "list", "--json").output)["queues"]
    assert (post["queue"], post["waiting"], post["started"], post["is_met"]) == ("post", 1, 1, True)
    assert "0.9 within 30 s" in tenure("lateness", "list", "--queue", "post").output
    shown = tenure("queues", "show", "post").output
    assert "objective" in shown
    assert "0.9 within 30 s, met" in shown
    assert json.loads(tenure("queues", "show", "post", "--json").output)["lateness"]["started"] == 1
    assert tenure("lateness", "set", "post").output == "queue post: objective none\n"


def test_the_doctor_names_missed_objectives_and_full_queues(tenure: Run, shop: Tenure, letter: Any) -> None:
    assert [level for check in ("capacities", "objectives", "starvation") for level, _ in found(tenure, check)] == [
        "ok"
    ] * 3
    letter.enqueue(to="ada")
    drain(shop)
    shop.set_objective("post", within=0.001, share=1.0)
    shop.set_capacity(1, queue="post")
    letter.enqueue(to="bob")
    ((level, words),) = found(tenure, "objectives")
    assert level == "wrong"
    assert words.startswith("queue post misses its objective, 1 within 0.001 s")
    ((level, words),) = found(tenure, "capacities")
    assert level == "note"
    assert words.startswith("queue post is full: 1 jobs wait")


def test_python_tells_it_too(shop: Tenure, letter: Any) -> None:
    assert shop.set_objective("post", within=30)
    assert not shop.set_objective("post", within=30)
    letter.enqueue(to="ada")
    (post,) = shop.lateness()
    assert (post.queue, post.waiting, post.objective) == ("post", 1, Objective(30.0, 0.95))
    assert asyncio.run(shop.alateness(["post"])) == shop.lateness(["post"]) or post.oldest is not None
    assert asyncio.run(shop.aset_objective("post", within=None))
    assert shop.lateness()[0].objective is None
