"""`tenure jobs show`: one job with its attempts, effects and checkpoints."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import Result

from tenure import Context, JobFailed, Retry, Tenure, Terminal
from tenure.testing import drain

Run = Callable[..., Result]


def test_a_job_is_shown_with_its_attempts_as_a_time_line(tenure: Run, shop: Tenure, letter: Any) -> None:
    job = letter.using(max_attempts=2).enqueue(to="busy")
    drain(shop)
    drain(shop)
    shown = tenure("jobs", "show", job.id).output
    assert "no_stamps; 2 of 2 tries spent" in shown
    lines = [line.split() for line in shown.splitlines() if "the drawer is empty" in line and "drain" in line]
    assert [(line[0], line[3]) for line in lines] == [("1", "failed"), ("2", "failed")]
    said = json.loads(tenure("jobs", "show", job.id, "--json").output)
    assert [(a["number"], a["outcome"], a["error_code"]) for a in said["attempts"]] == [
        (1, "failed", "no_stamps"), (2, "failed", "no_stamps"),
    ]  # fmt: skip
    assert said["job"]["payload"] == {"to": "busy"}


def test_every_digit_and_character_of_a_payload_is_shown_as_it_is(tenure: Run, shop: Tenure) -> None:
    @shop.task(kind="exact")
    def exact(value: Any) -> Any:
        return value

    text = r'{"value":{"id":1970670598291982290,"n":9007199254740993,"d":0.1,"big":1' + "0" * 300 + r',"t":"\\u0000"}}'
    exact.enqueue(value=0)
    done = tenure("enqueue", "exact", text, "--json")
    job_id = json.loads(done.output)["id"]
    drain(shop)
    said = json.loads(tenure("jobs", "show", job_id, "--json").output)["job"]
    assert said["payload"] == json.loads(text)
    assert said["result"] == json.loads(text)["value"]
    assert text in tenure("jobs", "show", job_id).output


def test_no_secret_of_a_lease_is_shown(tenure: Run, shop: Tenure, letter: Any) -> None:
    job = letter.enqueue(to="ada")
    store = shop.opened()
    token = "the-secret-token"
    from tenure.core.claim import Ability, ClaimRequest

    request = ClaimRequest(
        claim_id="c",
        worker="w",
        holder=None,
        queue="post",
        abilities=(Ability("letter", 1, 1),),
        limit=1,
        tokens=[token],
    )
    assert store.run(store.verbs.claim(request)).leases
    for arguments in (["show", job.id], ["show", job.id, "--json"], ["list"], ["list", "--json"]):
        shown = tenure("jobs", *arguments).output
        assert job.id in shown
        assert token not in shown
        assert "lease_token" not in shown
    assert "running since" in tenure("jobs", "show", job.id).output


def test_the_error_of_a_job_that_succeeded_in_the_end_is_told_as_that_of_an_attempt(tenure: Run, shop: Tenure) -> None:
    @shop.task(kind="second", backoff=(0, 0))
    def second(ctx: Context) -> None:
        if ctx.attempt.number == 1:
            raise Retry("no_stamps", "the drawer is empty")

    job = second.enqueue()
    drain(shop)
    drain(shop)
    told = tenure("jobs", "show", job.id).output
    assert "last error of attempt 1: no_stamps: the drawer is empty\n" in told


def test_a_job_that_failed_shows_its_error_once(tenure: Run, shop: Tenure) -> None:
    @shop.task(kind="bare")
    def bare() -> None:
        raise Terminal("nope")

    job = bare.enqueue()
    drain(shop)
    told = tenure("jobs", "show", job.id).output
    assert "failed at" in told
    assert "Terminal" not in told + tenure("failures").output
    with pytest.raises(JobFailed, match=rf"^job {job.id} failed: nope \("):
        job.result()


def test_a_cancel_that_came_too_late_is_shown_with_the_job(tenure: Run, shop: Tenure) -> None:
    @shop.task(kind="stubborn")
    def stubborn(ctx: Context) -> None:
        shop.get(ctx.job.id).cancel()  # type: ignore[union-attr]

    job = stubborn.enqueue()
    drain(shop)
    told = tenure("jobs", "show", job.id).output
    assert "cancel    asked for while attempt 1 ran, and too late: it ended by itself" in told
    assert "succeeded (after cancel)" in told


def test_effects_are_shown_in_the_order_of_events_and_checkpoints_with_their_attempts(
    tenure: Run, shop: Tenure
) -> None:
    @shop.task(kind="steps", backoff=(0, 0))
    def steps(ctx: Context) -> None:
        for name in ("zeal", "alpha"):
            ctx.effect(name, lambda call: None)
        ctx.checkpoint(f"page {ctx.attempt.number}", {"card": "4111"})
        if ctx.attempt.number == 1:
            raise ConnectionError

    job = steps.enqueue()
    drain(shop)
    drain(shop)
    said = json.loads(tenure("jobs", "show", job.id, "--json").output)
    assert [effect["name"] for effect in said["effects"]] == ["zeal", "alpha"]
    assert [(kept["name"], kept["attempt"]) for kept in said["checkpoints"]] == [("page 1", 1), ("page 2", 2)]
    told = tenure("jobs", "show", job.id).output
    assert told.index("zeal") < told.index("alpha")
    assert "page 1      1" in told
    assert "4111" not in told
