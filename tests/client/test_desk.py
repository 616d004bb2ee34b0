"""The desk over HTTP keeps the engine's rules: a repeat settles a lost answer, a lease counts from before the request,
one claim at most is out, and what nobody can run goes back."""

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tenure.client import Client
from tenure.client.desk import RemoteDesk
from tenure.core.attempt import ErrorClass, Outcome
from tenure.core.claim import Ability, ClaimRequest
from tenure.core.errors import StoreBusy, StoreUnavailable, TenureError
from tenure.core.lease import Beat, Lease
from tenure.core.reports import Completion, Failure, Release, Snoozing, Standing
from tenure.core.states import State
from tests.client import bodies
from tests.client.cutting import Wire, wire
from tests.client.serving import Served
from tests.client.stub import CUT, Asked, Told, problem, stub

PAYLOAD = {"n": 1970670598291982290123456789, "d": 0.1}


@pytest.fixture
def chief(served: Served) -> Client:
    client = served.client()
    client.set_kind("greet", max_retries=3)
    return client


@pytest.fixture
def cut(served: Served) -> Iterator[Wire]:
    with wire(served.url) as made:
        yield made


@pytest.fixture
def desk(served: Served, cut: Wire) -> Iterator[RemoteDesk]:
    made = RemoteDesk(cut.url, served.key("worker", "w1"))
    made.expect(3)
    yield made
    made.close()


def request(limit: int = 1, claim_id: str = "c1", queue: str = "default") -> ClaimRequest:
    return ClaimRequest(
        claim_id=claim_id,
        worker="worker-0190",
        holder='{"host":"here","process":7}',
        queue=queue,
        abilities=(Ability("greet", 1, 1),),
        limit=limit,
        tokens=[],
        after={0: "acme"},
    )


def leases(desk: RemoteDesk, chief: Client, number: int = 1) -> list[Lease]:
    chief.enqueue_many([{"type": "greet", "payload": PAYLOAD} for _ in range(number)])
    return list(desk.claim(request(number)).leases)


def test_a_lease_carries_what_the_engine_needs(desk: RemoteDesk, chief: Client) -> None:
    chief.enqueue("greet", PAYLOAD, priority="medium", tags=["a"], timeout=120)
    (lease,) = desk.claim(request()).leases
    assert lease.payload == '{"n":1970670598291982290123456789,"d":0.1}'
    assert (lease.kind, lease.version, lease.priority) == ("greet", 1, 10)
    assert (lease.tenant, lease.queue) == ("default", "default")
    assert (lease.attempt, lease.tries_left, lease.max_attempts, lease.tags) == (1, 4, 4, ("a",))
    assert (lease.must_end_at - lease.started_at).total_seconds() == 120
    assert (lease.lease_expires_at - lease.started_at).total_seconds() == lease.lease_seconds == 60


def test_a_claim_finds_nothing_and_keeps_the_cursor(desk: RemoteDesk, chief: Client) -> None:
    claimed = desk.claim(request())
    assert (claimed.leases, claimed.after) == ((), {0: "acme"})


def test_every_kind_of_report_arrives(desk: RemoteDesk, chief: Client) -> None:
    one, two, three, four = leases(desk, chief, 4)
    failure = Failure(
        job_id=two.job_id, token=two.token, error_class=ErrorClass.TERMINAL, code="no_stamps", error="the drawer is empty",
        traceback="at line 1", outcome=Outcome.TIMED_OUT, progress='{"done":1}',
    )  # fmt: skip
    answers = desk.report(
        [
            Completion(one.job_id, one.token, '{"n":1970670598291982290123456789}', "1"),
            failure,
            Release(job_id=three.job_id, token=three.token, begun=False),
            Snoozing(job_id=four.job_id, token=four.token, delay=60.0),
        ]
    )
    assert [answer.standing for answer in answers] == [Standing.DONE] * 4
    assert [answer.state for answer in answers] == [State.SUCCEEDED, State.FAILED, State.READY, State.SCHEDULED]
    assert chief.job(one.job_id).result == {"n": 1970670598291982290123456789}
    (attempt,) = chief.attempts(two.job_id)
    assert (attempt.outcome, attempt.error_code, attempt.traceback) == ("timed_out", "no_stamps", "at line 1")
    assert (attempt.progress, attempt.holder) == ({"done": 1}, {"host": "here", "process": 7})


def test_wishes_that_cannot_be_waited_are_bounded(desk: RemoteDesk, chief: Client) -> None:
    one, two = leases(desk, chief, 2)
    answers = desk.report(
        [
            Snoozing(job_id=one.job_id, token=one.token, delay=-5.0),
            Failure(job_id=two.job_id, token=two.token, error_class=ErrorClass.RETRYABLE, code=" ", wait=1e250),
        ]
    )
    assert [answer.standing for answer in answers] == [Standing.DONE] * 2


def test_heartbeats_renew_and_tell_of_cancellation(desk: RemoteDesk, chief: Client) -> None:
    one, two = leases(desk, chief, 2)
    chief.cancel(two.job_id)
    desk.report([Completion(one.job_id, one.token)])
    gone, asked = desk.heartbeat([Beat(one.job_id, one.token), Beat(two.job_id, two.token, '{"done":1}')])
    assert not gone.held
    assert (asked.held, asked.cancel_requested) == (True, True)
    assert asked.expires_at is not None


def test_a_stale_report_is_told_by_its_standing(desk: RemoteDesk, chief: Client) -> None:
    (lease,) = leases(desk, chief)
    desk.report([Release(job_id=lease.job_id, token=lease.token, begun=False)])
    (again,) = desk.claim(request(claim_id="c2")).leases
    stale, done = desk.report([Completion(lease.job_id, lease.token), Completion(again.job_id, again.token)])
    assert (stale.standing, done.standing) == (Standing.STALE, Standing.DONE)


def test_many_reports_travel_in_parts(desk: RemoteDesk, chief: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tenure.client.wire.MOST_ITEMS", 2)
    held = leases(desk, chief, 5)
    assert all(answer.held for answer in desk.heartbeat([Beat(lease.job_id, lease.token) for lease in held]))
    chief.enqueue("greet")
    done = [Completion(lease.job_id, lease.token) for lease in held]
    answers, claimed = desk.complete_and_claim(done, request(claim_id="c2"))
    assert [answer.job_id for answer in answers] == [lease.job_id for lease in held]
    assert len(claimed.leases) == 1


class TestLostAnswers:
    def test_a_claim_is_settled_by_its_repeat(self, desk: RemoteDesk, chief: Client, cut: Wire) -> None:
        chief.enqueue_many([{"type": "greet"}] * 2)
        cut.cut_next("/jobs/claim")
        with pytest.raises(StoreUnavailable):
            desk.claim(request())
        (lease,) = desk.claim(request(), repeat=True).leases
        assert [one.running for one in chief.workers()] == [1]
        assert lease.attempt == 1

    def test_a_lease_of_unknown_age_is_renewed_before_it_counts(
        self, desk: RemoteDesk, chief: Client, cut: Wire
    ) -> None:
        chief.enqueue("greet")
        cut.cut_next("/jobs/claim")
        with pytest.raises(StoreUnavailable):
            desk.claim(request())
        desk.claim(request(), repeat=True)
        (job,) = chief.jobs()
        assert job.lease_expires_at is not None
        assert job.claimed_at is not None
        assert (job.lease_expires_at - job.claimed_at).total_seconds() > 60

    @pytest.mark.parametrize("verb", ["complete", "fail", "release", "snooze"])
    def test_a_report_is_settled_by_its_repeat(self, desk: RemoteDesk, chief: Client, cut: Wire, verb: str) -> None:
        (lease,) = leases(desk, chief)
        said: dict[str, Any] = {"job_id": lease.job_id, "token": lease.token}
        report = {
            "complete": Completion(lease.job_id, lease.token),
            "fail": Failure(**said, error_class=ErrorClass.TERMINAL, code="x"),
            "release": Release(**said, begun=True),
            "snooze": Snoozing(**said, delay=60.0),
        }[verb]
        cut.cut_next("/jobs/reports")
        with pytest.raises(StoreUnavailable):
            desk.report([report])
        (answer,) = desk.report([report])
        assert answer.standing is Standing.REPEATED
        assert len(chief.attempts(lease.job_id)) == 1

    def test_a_completion_with_its_claim_is_settled_by_its_repeat(
        self, desk: RemoteDesk, chief: Client, cut: Wire
    ) -> None:
        (lease,) = leases(desk, chief)
        chief.enqueue_many([{"type": "greet"}] * 2)
        done = [Completion(lease.job_id, lease.token)]
        cut.cut_next("/jobs/reports")
        with pytest.raises(StoreUnavailable):
            desk.complete_and_claim(done, request(claim_id="c2"))
        (answer,) = desk.report(done)
        assert answer.standing is Standing.REPEATED
        assert len(desk.claim(request(claim_id="c2"), repeat=True).leases) == 1
        assert [one.running for one in chief.workers()] == [1]

    def test_at_the_end_a_claim_without_an_answer_is_given_back(
        self, desk: RemoteDesk, chief: Client, cut: Wire
    ) -> None:
        chief.enqueue("greet")
        cut.cut_next("/jobs/claim")
        with pytest.raises(StoreUnavailable):
            desk.claim(request())
        assert desk.give_back(request()) == 1
        (job,) = chief.jobs()
        assert (job.state, job.retry_count) == ("ready", 0)


class TestWaiting:
    def test_a_job_that_comes_while_it_waits_is_handed_out(self, desk: RemoteDesk, chief: Client) -> None:
        listener = desk.listen(["default"])
        assert desk.claim(request(3)).leases == ()
        assert not listener.wait(0.0)
        before = time.monotonic()
        job = chief.enqueue("greet")
        assert answered(listener)
        claimed = desk.claim(request(3, claim_id="c2"))
        (lease,) = claimed.leases
        assert lease.job_id == job.id
        assert 0.0 < (claimed.now - lease.started_at).total_seconds() <= time.monotonic() - before

    def test_reports_go_out_while_a_claim_waits(self, desk: RemoteDesk, chief: Client) -> None:
        (lease,) = leases(desk, chief)
        listener = desk.listen(["default"])
        assert desk.claim(request(2, claim_id="c2")).leases == ()
        listener.wait(0.0)
        answers, claimed = desk.complete_and_claim([Completion(lease.job_id, lease.token)], request(3, claim_id="c3"))
        assert (answers[0].standing, claimed.leases) == (Standing.DONE, ())

    def test_a_stir_ends_the_wait_and_not_the_claim(self, desk: RemoteDesk, chief: Client) -> None:
        listener = desk.listen(["default"])
        desk.claim(request())
        threading.Timer(0.05, listener.wake).start()
        assert not listener.wait(30.0)
        chief.enqueue("greet")
        assert answered(listener)
        assert len(desk.claim(request(claim_id="c2")).leases) == 1

    def test_no_claim_waits_while_no_slot_is_free(self, desk: RemoteDesk, chief: Client) -> None:
        leases(desk, chief)
        listener = desk.listen(["default"])
        desk.expect(0)
        listener.wait(0.0)
        chief.enqueue("greet")
        assert not listener.wait(0.0)
        assert [one.running for one in chief.workers()] == [1]

    def test_a_claim_that_waits_ends_with_the_claiming_and_leaves_nothing_behind(
        self, desk: RemoteDesk, chief: Client
    ) -> None:
        listener = desk.listen(["default"])
        desk.claim(request())
        listener.wait(0.0)
        desk.expect(0)
        job = chief.enqueue("greet")
        # The service may hear of the end before the job or after it. Once it has answered for the claim, both are settled.
        given = desk.give_back(None)
        assert chief.job(job.id).state == "ready"
        assert chief.workers() == []
        ends = [(one.outcome, one.begun) for one in chief.attempts(job.id)]
        assert ends in ([], [("released", False)])
        assert given in (0, len(ends))

    def test_what_a_waiting_claim_brought_and_nobody_took_goes_back(self, desk: RemoteDesk, chief: Client) -> None:
        listener = desk.listen(["default"])
        desk.claim(request())
        listener.wait(0.0)
        job = chief.enqueue("greet")
        assert answered(listener)
        desk.expect(0)
        assert desk.give_back(None) == 1
        assert chief.job(job.id).state == "ready"

    def test_a_waiting_claim_whose_answer_was_lost_is_asked_again_first(
        self, desk: RemoteDesk, chief: Client, cut: Wire
    ) -> None:
        listener = desk.listen(["default"])
        desk.claim(request())
        cut.cut_next("/jobs/claim")
        listener.wait(0.0)
        chief.enqueue_many([{"type": "greet"}] * 2)
        assert answered(listener)
        with pytest.raises(StoreUnavailable):
            desk.claim(request(claim_id="c2"))
        assert len(desk.claim(request(2, claim_id="c2"), repeat=True).leases) == 0
        assert len(desk.claim(request(2, claim_id="c3")).leases) == 2
        assert [one.running for one in chief.workers()] == [2]


def answered(listener: Any) -> bool:
    """Whether the waiting claim is answered, as soon as it is."""
    return any(listener.wait(5.0) for _ in range(4))


class TestTroubles:
    """Scripted: what a service in trouble says, and what the engine hears of it."""

    def desk(self, url: str) -> RemoteDesk:
        return RemoteDesk(url, "key", timeout=2.0)

    @pytest.mark.parametrize(
        ("told", "error"),
        [
            (problem(503, "store_unavailable"), StoreUnavailable),
            (problem(503, "store_busy"), StoreBusy),
            (problem(429, "too_many_requests", retry_after=3), StoreUnavailable),
            (CUT, StoreUnavailable),
            (Told(502, {}), StoreUnavailable),
        ],
    )
    def test_one_call_is_one_try(self, told: Told, error: type[TenureError]) -> None:
        with stub(told) as run:
            desk = self.desk(run.url)
            with pytest.raises(error):
                desk.report([Completion(bodies.ID, "t")])
            desk.close()
        assert len(run.asked) == 1

    def test_what_has_no_slot_goes_back_unbegun(self) -> None:
        many = {
            "claim_id": "c",
            "jobs": [bodies.claimed(id=f"0190a000-0000-7000-8000-00000000000{n}") for n in range(3)],
        }
        asked: list[Asked] = []

        def service(one: Asked) -> Told:
            asked.append(one)
            if one.path == "/jobs/claim":
                return Told(200, many)
            ids = [said["id"] for said in one.document["reports"]]
            answer = {
                "standing": "done",
                "state": "ready",
                "status": "pending",
                "outcome": "released",
                "end_code": None,
            }
            return Told(200, {"reports": [answer | {"id": job_id} for job_id in ids], "claimed": None})

        with stub(always=service) as run:
            desk = self.desk(run.url)
            assert len(desk.claim(request(1)).leases) == 1
            desk.close()
        said = asked[1].document["reports"]
        assert [one["verb"] for one in said] == ["release"] * 2
        assert not any(one["begun"] for one in said)

    def test_where_too_many_wait_already_it_polls_without_waiting(self) -> None:
        def service(one: Asked) -> Told:
            if one.document["wait"]:
                return problem(429, "too_many_polls", retry_after=60)
            return Told(200, {"claim_id": "c", "jobs": []})

        with stub(always=service) as run:
            desk = self.desk(run.url)
            listener = desk.listen(["default"])
            desk.expect(1)
            desk.claim(request())
            assert answered(listener)
            assert desk.claim(request()).leases == ()
            listener.wait(0.0)
            assert desk.claim(request()).leases == ()
            desk.close()
        assert [bool(one.document["wait"]) for one in run.asked] == [False, True, False]

    def test_an_answer_that_does_not_fit_is_an_error(self) -> None:
        for told in (Told(200, {"reports": []}), Told(200, text=b"<html>"), Told(200, {"reports": [{"id": 1}]})):
            with stub(told) as run:
                desk = self.desk(run.url)
                with pytest.raises(TenureError) as caught:
                    desk.report([Completion(bodies.ID, "t")])
                desk.close()
            assert caught.value.code == "unexpected_answer"
