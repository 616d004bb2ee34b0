"""Resources, jobs of several slots, and what keeps jobs waiting, over HTTP."""

import asyncio
from typing import Any

import pytest

from tests.http.handlers.asking import ADMIN, PRODUCER, VIEWER, WORKER, Asking, Said, principal, until


def declared(ask: Asking, **said: Any) -> None:
    assert ask(ADMIN, "set_kind", said, name="sum").status == 200


def test_a_resource_is_limited_listed_paused_and_resumed(ask: Asking) -> None:
    declared(ask, uses=["smtp", "db"])
    assert ask(ADMIN, "show_kind", name="sum")["uses"] == ["db", "smtp"]
    assert ask(ADMIN, "set_limit", {"resource": "smtp", "concurrency": 1})["limit"]["resource"] == "smtp"
    ask(PRODUCER, "enqueue_many", {"jobs": [{"type": "sum"}] * 3})
    told = ask(WORKER, "claim", {"limit": 3})
    assert (len(told["jobs"]), told["held_back"]) == (1, True)
    assert ask(ADMIN, "pause_resource", {"why": "it is down"}, name="smtp")["changed"]
    db, smtp = ask(VIEWER, "list_resources")["resources"]
    assert (db["name"], db["limit"], db["pause"]) == ("db", None, None)
    assert (smtp["kinds"], smtp["limit"]["running"], smtp["pause"] is None) == (["sum"], 1, False)
    assert ask(ADMIN, "resume_resource", name="smtp")["changed"]


def test_a_resource_is_for_who_has_the_whole_store(memory: Asking) -> None:
    declared(memory, uses=["smtp"])
    narrow = principal("operator", tenants=["a"])
    assert memory(narrow, "set_limit", {"resource": "smtp", "concurrency": 1}).status == 403
    assert memory(narrow, "pause_resource", name="smtp").status == 403
    assert memory(narrow, "list_resources")["resources"] == []


def test_a_claim_counts_slots_and_says_what_each_job_takes(ask: Asking) -> None:
    declared(ask, slots=3)
    ask(PRODUCER, "enqueue_many", {"jobs": [{"type": "sum"}] * 4})
    assert [job["slots"] for job in ask(WORKER, "claim", {"limit": 7})["jobs"]] == [3, 3]
    short = ask(WORKER, "claim", {"limit": 2, "slots": 10})
    assert (short["jobs"], short["waits_for"]) == ([], 3)
    passed_over = ask(WORKER, "claim", {"limit": 2})
    assert (passed_over["jobs"], passed_over["waits_for"]) == ([], 0)
    assert ask(WORKER, "claim")["slots"] == 3


def test_an_empty_answer_of_one_says_in_its_status_alone_that_nothing_came(ask: Asking) -> None:
    ask(ADMIN, "set_limit", {"type": "sum", "concurrency": 1})
    ask(PRODUCER, "enqueue_many", {"jobs": [{"type": "sum"}] * 2})
    ask(WORKER, "claim")
    assert ask(WORKER, "claim") == Said(204, None)


def test_a_poll_is_answered_at_once_where_slots_are_to_be_kept(memory: Asking) -> None:
    declared(memory, slots=3)
    memory(PRODUCER, "enqueue", {"type": "sum"})
    told = memory(WORKER, "claim", {"limit": 1, "slots": 4, "wait": 30})
    assert (told["jobs"], told["waits_for"]) == ([], 3)


def test_a_poll_goes_on_as_soon_as_a_limit_has_room(memory: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    """No tick comes in the way: what wakes it is the end of the job that held the limit."""
    monkeypatch.setattr("tenure.http.work.waiting.TICK", 3600.0)
    memory(ADMIN, "set_limit", {"type": "sum", "concurrency": 1})
    memory(PRODUCER, "enqueue_many", {"jobs": [{"type": "sum"}] * 2})
    first = memory(WORKER, "claim")

    async def work() -> Said:
        poll = asyncio.create_task(memory.asked(principal("worker", "other"), "claim", {"wait": 30}))
        await until(lambda: memory.service.long_polls == 1)
        await memory.asked(WORKER, "complete", {"lease_token": first["lease_token"]}, id=first["id"])
        return await poll

    assert memory.run(work())["id"] != first["id"]


@pytest.mark.parametrize(("scope", "is_told"), [({}, True), ({"tenants": ["a"]}, False), ({"kinds": ["sum"]}, False)])
def test_how_much_runs_under_a_limit_is_for_whoever_has_all_of_it(
    ask: Asking, scope: dict[str, Any], is_told: bool
) -> None:
    ask(ADMIN, "set_limit", {"concurrency": 1})
    ask(PRODUCER, "enqueue", {"type": "sum", "tenant": "b"})
    ask(WORKER, "claim")
    waiting = ask(PRODUCER, "enqueue", {"type": "sum", "tenant": "a"})["id"]
    (one,) = ask(principal("viewer", **scope), "explain_job", id=waiting)["obstacles"]
    assert one["cause"] == "limit_full"
    assert ("1 run" in one["words"]) == is_told


def test_what_keeps_a_job_waiting_is_told_within_the_scope(ask: Asking) -> None:
    ask(ADMIN, "set_limit", {"concurrency": 1})
    running = ask(PRODUCER, "enqueue", {"type": "sum"})["id"]
    ask(WORKER, "claim")
    waiting = ask(PRODUCER, "enqueue", {"type": "sum"})["id"]
    assert ask(VIEWER, "explain_job", id=running)["obstacles"] == []
    (one,) = ask(VIEWER, "explain_job", id=waiting)["obstacles"]
    assert (one["cause"], one["holders"]) == ("limit_full", [running])
    ask(ADMIN, "pause_kind", {"why": "a secret"}, name="sum")
    codes = {one["cause"]: one for one in ask(PRODUCER, "explain_job", id=waiting)["obstacles"]}
    assert (codes["paused"]["who"], codes["paused"]["why"]) == (None, None)
    assert ask(VIEWER, "explain_job", id="019b3f0c-5a00-7000-8000-000000000001").status == 404
