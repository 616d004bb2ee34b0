"""Claims: of which kinds and versions, from which queues, repeated, and in turns between tenants."""

import asyncio
from typing import Any

import pytest

from tenure.core.kind import Kind
from tests.http.handlers.asking import (
    ADMIN,
    OTHER_WORKER,
    WORKER,
    Asking,
    Said,
    gone_once_it_has_claimed,
    principal,
    until,
)


def enqueued(ask: Asking, **said: Any) -> str:
    told = ask(ADMIN, "enqueue", {"type": "sum", **said})
    assert told.status == 201
    return str(told["id"])


def ids(said: Said) -> list[str]:
    return [job["id"] for job in said["jobs"]]


def test_nothing_to_do_is_204_and_with_a_limit_an_empty_list(ask: Asking) -> None:
    assert ask(WORKER, "claim") == Said(204, None)
    told = ask(WORKER, "claim", {"limit": 5, "claim_id": "c"})
    assert (told.status, told.body) == (200, {"claim_id": "c", "jobs": [], "held_back": False, "waits_for": 0})


def test_a_limit_claims_over_all_queues_of_the_kinds(ask: Asking) -> None:
    mine = {enqueued(ask), enqueued(ask, type="mail"), enqueued(ask, type="mail")}
    told = ask(WORKER, "claim", {"limit": 5})
    assert set(ids(told)) == mine
    assert told["claim_id"]


def test_a_queue_that_no_kind_names_is_claimed_from_when_it_is_said(memory: Asking) -> None:
    job = enqueued(memory, queue="side")
    assert memory(WORKER, "claim").status == 204
    assert memory(WORKER, "claim", {"queues": ["side"]})["id"] == job


def test_a_scope_of_queues_that_no_kind_names_is_what_is_claimed_from(memory: Asking) -> None:
    job = enqueued(memory, queue="side")
    assert memory(principal("worker", "side", queues=["side"]), "claim")["id"] == job


def test_queues_take_turns(ask: Asking) -> None:
    for _ in range(3):
        enqueued(ask, queue="a")
        enqueued(ask, queue="b")
    told = [ask(WORKER, "claim", {"queues": ["a", "b"]})["queue"] for _ in range(6)]
    assert told == ["a", "b"] * 3


def test_tenants_take_turns_between_callers(ask: Asking) -> None:
    for tenant in ("a", "b"):
        for _ in range(2):
            enqueued(ask, tenant=tenant)
    told = [ask(who, "claim")["tenant"] for who in (WORKER, OTHER_WORKER, WORKER, OTHER_WORKER)]
    assert told == ["a", "b", "a", "b"]


def test_only_the_types_and_versions_that_are_listed_are_claimed(ask: Asking) -> None:
    mail, newest = enqueued(ask, type="mail"), enqueued(ask)
    assert ask(WORKER, "claim", {"types": ["sum"], "versions": {"sum": [1]}}).status == 204
    assert ask(WORKER, "claim", {"types": ["sum"], "versions": {"sum": [1, 2]}})["id"] == newest
    assert ask(WORKER, "claim", {"types": ["mail"]})["id"] == mail


def test_an_unknown_type_is_refused_by_its_place(memory: Asking) -> None:
    told = memory(WORKER, "claim", {"types": ["sum", "nobody knows it"]})
    assert (told.status, told["code"], told["pointer"]) == (422, "unknown_kind", "/types/1")
    told = memory(WORKER, "claim", {"types": ["sum"], "versions": {"mail": [1]}})
    assert (told.status, told["field"]) == (422, "versions.mail")


def test_a_kind_that_another_process_declares_can_be_claimed_by_name_at_once(memory: Asking) -> None:
    assert memory(WORKER, "claim").status == 204
    memory.declare(Kind(name="new"))
    job = enqueued(memory, type="new")
    assert memory(WORKER, "claim", {"types": ["new"]})["id"] == job


def test_a_claim_with_the_same_id_answers_the_same_leases(ask: Asking) -> None:
    for _ in range(3):
        enqueued(ask)
        enqueued(ask, type="mail")
    first = ask(WORKER, "claim", {"claim_id": "c", "limit": 4})
    again = ask(WORKER, "claim", {"claim_id": "c", "limit": 4})
    assert len(ids(first)) == 4
    assert {job["id"]: job["lease_token"] for job in again["jobs"]} == {
        job["id"]: job["lease_token"] for job in first["jobs"]
    }
    other = ask(OTHER_WORKER, "claim", {"claim_id": "c", "limit": 4})
    assert not set(ids(other)) & set(ids(first))


def test_a_limit_of_none_answers_what_the_claim_holds_and_takes_nothing(ask: Asking) -> None:
    for _ in range(3):
        enqueued(ask)
    assert ids(ask(WORKER, "claim", {"claim_id": "c", "limit": 0, "wait": 20})) == []
    first = ask(WORKER, "claim", {"claim_id": "c", "limit": 2})
    assert ids(ask(WORKER, "claim", {"claim_id": "c", "limit": 0})) == ids(first)
    beside = ask(WORKER, "reports", {"reports": [], "claim": {"claim_id": "c", "limit": 0}})
    assert [job["id"] for job in beside["claimed"]["jobs"]] == ids(first)


def test_a_claim_whose_leases_have_ended_claims_afresh(ask: Asking) -> None:
    enqueued(ask)
    second = enqueued(ask)
    job = ask(WORKER, "claim", {"claim_id": "c"})
    ask(WORKER, "complete", {"lease_token": job["lease_token"]}, id=job["id"])
    assert ask(WORKER, "claim", {"claim_id": "c"})["id"] == second


def test_the_same_claim_twice_at_once_takes_one_job(ask: Asking) -> None:
    for _ in range(4):
        enqueued(ask)

    async def twice() -> list[Said]:
        return await asyncio.gather(*(ask.asked(WORKER, "claim", {"claim_id": "c"}) for _ in range(2)))

    first, second = ask.run(twice())
    assert first["id"] == second["id"]
    assert first["lease_token"] == second["lease_token"]


def test_many_claims_at_once_never_take_the_same_job(ask: Asking) -> None:
    jobs = {enqueued(ask) for _ in range(40)}

    async def all_of_them() -> list[Said]:
        claims = (ask.asked(principal("worker", f"w{n}"), "claim") for n in range(50))
        return await asyncio.gather(*claims)

    told = ask.run(all_of_them())
    taken = [one["id"] for one in told if one.status == 200]
    assert sorted(taken) == sorted(jobs)


def test_what_was_claimed_for_a_client_that_has_gone_goes_back_unharmed(
    ask: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = enqueued(ask)
    gone = gone_once_it_has_claimed(ask, monkeypatch)
    assert ask(WORKER, "claim", left=gone).status == 204
    row = ask.service.app.read(job)
    assert row is not None
    assert (row.state.value, row.tries, row.releases, row.returns) == ("ready", 0, 0, 1)
    assert ask(OTHER_WORKER, "claim")["id"] == job


def test_what_was_claimed_for_a_request_that_was_given_up_goes_back(ask: Asking) -> None:
    job = enqueued(ask)

    async def given_up() -> None:
        task = asyncio.create_task(ask.asked(WORKER, "claim"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        await until(lambda: (row := ask.service.app.read(job)) is not None and row.returns == 1)

    ask.run(given_up())
    row = ask.service.app.read(job)
    assert row is not None
    assert row.state.value == "ready"


def test_a_poll_takes_a_kind_that_is_declared_while_it_waits(memory: Asking) -> None:
    assert memory(WORKER, "claim").status == 204

    async def work() -> tuple[Said, Said]:
        poll = asyncio.create_task(memory.asked(WORKER, "claim", {"wait": 30}))
        await until(lambda: memory.service.long_polls == 1)
        await memory.asked(ADMIN, "set_kind", {}, name="new")
        return await memory.asked(ADMIN, "enqueue", {"type": "new"}), await poll

    job, claimed = memory.run(work())
    assert claimed["id"] == job["id"]


def test_a_poll_gives_way_when_the_same_claim_comes_again(memory: Asking) -> None:
    """Its connection may have broken behind a proxy, where nobody here can see it."""

    async def work() -> tuple[Said, Said]:
        poll = asyncio.create_task(memory.asked(WORKER, "claim", {"claim_id": "c", "wait": 30, "limit": 1}))
        await until(lambda: memory.service.long_polls == 1)
        return await memory.asked(WORKER, "claim", {"claim_id": "c", "limit": 0}), await poll

    for told in memory.run(work()):
        assert ids(told) == []
    assert memory.service.long_polls == 0


def test_what_a_repeated_claim_finds_is_not_given_back_when_its_client_has_gone(ask: Asking) -> None:
    enqueued(ask)
    first = ask(WORKER, "claim", {"claim_id": "c"})

    async def gone() -> None:
        return

    ask(WORKER, "claim", {"claim_id": "c"}, left=gone)
    assert ask(WORKER, "heartbeat", {"lease_token": first["lease_token"]}, id=first["id"])["held"]


def test_what_was_claimed_beside_reports_for_a_client_that_has_gone_goes_back(ask: Asking) -> None:
    done, rest = enqueued(ask), enqueued(ask)
    lease = ask(WORKER, "claim")
    assert lease["id"] == done

    async def gone() -> None:
        return

    ends = [{"verb": "complete", "id": done, "lease_token": lease["lease_token"]}]
    ask(WORKER, "reports", {"reports": ends, "claim": {"queues": ["default"]}}, left=gone)
    states = {job_id: row.state.value for job_id in (done, rest) if (row := ask.service.app.read(job_id)) is not None}
    assert states == {done: "succeeded", rest: "ready"}
