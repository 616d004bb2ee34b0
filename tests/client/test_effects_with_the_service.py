"""Effects and checkpoints over HTTP: the same ledger as in Python, on SQLite and PostgreSQL."""

from typing import Any

import pytest
from msgspec import UNSET

from tenure.client import ClaimedJob, Client
from tenure.client.ledger import _not_finished
from tenure.client.shapes import EffectBegun
from tenure.core.errors import Forbidden, InvalidInput, NotFound, StaleLease, TenureError
from tenure.edge.effects import FINISHED_OTHERWISE
from tests.client.serving import Served

SHORT = 0.001
"""Seconds after which a call is over at the next look."""


@pytest.fixture
def worker(served: Served) -> Client:
    served.client().set_kind("pay", max_retries=5)
    return served.client("worker", "w1")


@pytest.fixture
def job(served: Served, worker: Client) -> ClaimedJob:
    """One that runs."""
    served.client("producer", "web").enqueue("pay", {"cents": 5})
    return claimed(worker)


def claimed(worker: Client) -> ClaimedJob:
    job = worker.claim(types=["pay"], wait=10)
    assert job is not None
    return job


def begun(worker: Client, job: ClaimedJob, request_id: str, **said: Any) -> EffectBegun:
    """What is answered once no earlier call can be on its way any more."""
    while True:
        answer = worker.begin_effect(job.id, "charge", job.lease_token, request_id, **said)
        if answer.what != "wait":
            return answer


def next_attempt(worker: Client, job: ClaimedJob) -> ClaimedJob:
    worker.fail(job.id, job.lease_token, "lost it", retry_in=0)
    return claimed(worker)


def test_an_effect_goes_on_record_is_called_and_is_stored(worker: Client, job: ClaimedJob) -> None:
    answer = begun(worker, job, "r1", args={"cents": 5})
    assert answer.effect is not None
    assert (answer.what, answer.effect.key, answer.effect.state) == ("call", f"{job.id}:charge", "pending")
    assert begun(worker, job, "r1", args={"cents": 5}) == answer
    ended = worker.finish_effect(job.id, "charge", job.lease_token, "r1", "confirmed", result={"id": 10**30})
    assert worker.finish_effect(job.id, "charge", job.lease_token, "r1", "confirmed", result={"id": 10**30}) == ended
    again = next_attempt(worker, job)
    stored = begun(worker, again, "r2", args={"cents": 5})
    assert (stored.what, stored.effect) == ("stored", ended)
    assert stored.effect is not None
    assert stored.effect.result == {"id": 10**30}
    assert worker.effects(job.id) == [ended]


def test_a_worker_that_can_ask_settles_it_by_itself(worker: Client, job: ClaimedJob) -> None:
    begun(worker, job, "r1", timeout=SHORT)
    again = next_attempt(worker, job)
    ask = begun(worker, again, "r2", can_ask=True)
    assert ask.effect is not None
    assert (ask.what, ask.effect.request_id) == ("ask", "r1")
    call = begun(worker, again, "r2", can_ask=True, asked_of="r1", answered="absent", timeout=SHORT)
    assert call.what == "call"
    third = next_attempt(worker, again)
    found = begun(worker, third, "r3", can_ask=True, asked_of="r2", answered="happened", result=7)
    assert found.effect is not None
    assert (found.what, found.effect.result, found.effect.settled_by) == ("stored", 7, "reconcile")


def test_what_nobody_knows_is_settled_by_an_operator_alone(served: Served, worker: Client, job: ClaimedJob) -> None:
    begun(worker, job, "r1", timeout=SHORT)
    again = next_attempt(worker, job)
    assert begun(worker, again, "r2").what == "uncertain"
    operator = served.client("operator", "ada")
    with pytest.raises(Forbidden):
        worker.settle_effect(job.id, "charge", "absent")
    settled = operator.settle_effect(job.id, "charge", "confirmed", result="ch_1", why="asked the bank")
    assert (settled.state, settled.result, settled.settled_by) == ("confirmed", "ch_1", "ada")
    assert operator.settle_effect(job.id, "charge", "confirmed", result="ch_1") == settled
    lines = [line for line in operator.audit_page().lines if line.verb == "settle_effect"]
    assert [line.why for line in lines] == ["asked the bank"]
    with pytest.raises(TenureError) as known:
        operator.settle_effect(job.id, "charge", "absent")
    assert known.value.code == "not_open"
    with pytest.raises(NotFound):
        operator.settle_effect(job.id, "mail", "absent")


def test_a_call_on_its_way_is_not_settled(served: Served, worker: Client, job: ClaimedJob) -> None:
    begun(worker, job, "r1")
    with pytest.raises(TenureError) as flying:
        served.client("operator", "ada").settle_effect(job.id, "charge", "absent")
    assert flying.value.code == "in_flight"


def test_tokens_that_do_not_stand_write_nothing(served: Served, worker: Client, job: ClaimedJob) -> None:
    other = served.client("worker", "w2")
    for stranger, token in ((other, job.lease_token), (worker, "made.up")):
        with pytest.raises(StaleLease):
            stranger.begin_effect(job.id, "charge", token, "r1")
        with pytest.raises(StaleLease):
            stranger.save_checkpoint(job.id, "next", token, 1)
    with pytest.raises(StaleLease):
        worker.finish_effect(job.id, "charge", job.lease_token, "r1", "confirmed")
    again = next_attempt(worker, job)
    for call in (
        lambda: worker.begin_effect(job.id, "charge", job.lease_token, "r1"),
        lambda: worker.save_checkpoint(job.id, "next", job.lease_token, 1),
    ):
        with pytest.raises(StaleLease):
            call()
    assert (worker.effects(again.id), worker.checkpoints(again.id)) == ([], [])


def test_other_arguments_and_half_an_answer_are_refused(worker: Client, job: ClaimedJob) -> None:
    begun(worker, job, "r1", args=1)
    with pytest.raises(TenureError) as clash:
        begun(worker, job, "r2", args=2)
    assert clash.value.code == "effect_conflict"
    with pytest.raises(InvalidInput) as half:
        begun(worker, job, "r2", answered="absent")
    assert half.value.field == "asked_of"


def test_an_attempt_tells_how_its_call_ended_after_it_has_lost_the_job(worker: Client, job: ClaimedJob) -> None:
    begun(worker, job, "r1")
    again = next_attempt(worker, job)
    worker.finish_effect(job.id, "charge", job.lease_token, "r1", "absent", code="declined", error="no money")
    assert begun(worker, again, "r2").what == "call"


def test_checkpoints_are_handed_on_and_hidden_from_viewers(served: Served, worker: Client, job: ClaimedJob) -> None:
    worker.save_checkpoint(job.id, "next", job.lease_token, {"n": 47})
    worker.save_checkpoint(job.id, "none", job.lease_token, None)
    again = next_attempt(worker, job)
    assert {saved.name: saved.value for saved in worker.checkpoints(again.id)} == {"next": {"n": 47}, "none": None}
    begun(worker, again, "r1")
    viewer = served.client("viewer", "eve")
    assert [saved.value for saved in viewer.checkpoints(job.id)] == [UNSET, UNSET]
    (effect,) = viewer.effects(job.id)
    assert (effect.key, effect.result, effect.state) == (UNSET, UNSET, "pending")
    stranger = served.client("worker", "w3", tenants=["other"])
    for look in (stranger.effects, stranger.checkpoints):
        with pytest.raises(NotFound):
            look(job.id)


def test_a_call_that_an_operator_settled_meanwhile_is_lost_to_the_ledger_of_its_handler() -> None:
    assert _not_finished(TenureError("settled", code=FINISHED_OTHERWISE)) is None  # type: ignore[func-returns-value]
    with pytest.raises(TenureError):
        _not_finished(TenureError("else", code="internal_error"))
