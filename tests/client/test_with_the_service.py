"""The client against the real service, on SQLite and PostgreSQL."""

from typing import Any

import pytest

from tenure.client import ClaimedJob, Client, EnqueuedJob
from tenure.core.errors import Forbidden, InvalidInput, KeyConflict, NotFound, StaleLease, Unauthenticated
from tests.client.cutting import Wire, wire
from tests.client.serving import Served

BIG = 1970670598291982290123456789


@pytest.fixture
def chief(served: Served) -> Client:
    """An admin, with one kind declared."""
    client = served.client()
    client.set_kind("greet", schema={"type": "object"}, max_retries=1)
    return client


def enqueued(client: Client, **said: Any) -> EnqueuedJob:
    job = client.enqueue("greet", {"name": "Ada"}, **said)
    assert isinstance(job, EnqueuedJob)
    return job


def claimed(client: Client, **said: Any) -> ClaimedJob:
    job = client.claim(types=["greet"], **said)
    assert job is not None
    return job


def test_a_job_from_its_record_to_its_result(served: Served, chief: Client) -> None:
    worker = served.client("worker", "w1")
    job = chief.enqueue("greet", {"n": BIG, "d": 0.1}, idempotency_key="k", tags=["a"])
    taken = claimed(worker)
    assert (taken.id, taken.payload, taken.worker_id) == (job.id, {"n": BIG, "d": 0.1}, "w1")
    assert worker.heartbeat(taken.id, taken.lease_token, progress={"done": 1}).held
    done = worker.complete(taken.id, taken.lease_token, result={"n": BIG})
    assert (done.state, done.status, done.repeated) == ("succeeded", "completed", False)
    assert chief.job(job.id).result == {"n": BIG}
    (attempt,) = chief.attempts(job.id)
    assert (attempt.worker_id, attempt.outcome, attempt.progress) == ("w1", "succeeded", {"done": 1})
    assert claimed_none(worker)


def claimed_none(worker: Client) -> bool:
    return worker.claim(types=["greet"]) is None and worker.claim_many(5) == []


def test_the_errors_of_the_service_are_those_of_the_product(served: Served, chief: Client) -> None:
    producer = served.client("producer", "web", kinds=["greet"])
    job = enqueued(producer, idempotency_key="k")
    with pytest.raises(KeyConflict) as conflict:
        producer.enqueue("greet", {"name": "Grace"}, idempotency_key="k")
    assert conflict.value.job_id == job.id
    with pytest.raises(InvalidInput) as unknown:
        chief.enqueue("grete")
    assert (unknown.value.code, unknown.value.field) == ("unknown_kind", "type")
    with pytest.raises(Forbidden):
        producer.claim()
    with pytest.raises(NotFound):
        producer.job("0190a000-0000-7000-8000-00000000dead")
    with pytest.raises(InvalidInput) as bad:
        producer.enqueue("greet", max_retries=-1)
    assert bad.value.field == "max_retries"
    with pytest.raises(Unauthenticated), Client(served.url, "tenure_no") as stranger:
        stranger.job(job.id)


def test_a_token_of_another_worker_is_stale(served: Served, chief: Client) -> None:
    one, other = served.client("worker", "w1"), served.client("worker", "w2")
    enqueued(chief)
    taken = claimed(one)
    with pytest.raises(StaleLease):
        other.complete(taken.id, taken.lease_token)
    assert one.complete(taken.id, taken.lease_token).state == "succeeded"


def test_failing_snoozing_and_releasing_lead_where_they_say(served: Served, chief: Client) -> None:
    worker = served.client("worker", "w1")
    enqueued(chief)
    taken = claimed(worker)
    assert worker.release(taken.id, taken.lease_token, begun=False).state == "ready"
    taken = claimed(worker)
    assert worker.snooze(taken.id, taken.lease_token, 0).outcome == "snoozed"
    taken = claimed(worker)
    assert worker.fail(taken.id, taken.lease_token, "no stamps", code="no_stamps", retry_in=0).retry_count == 1
    taken = claimed(worker, wait=5.0)
    ended = worker.fail(taken.id, taken.lease_token, "no stamps", error_class="terminal")
    assert (ended.state, ended.first_error_code) == ("failed", "no_stamps")
    assert chief.redrive(taken.id, why="again").state == "ready"
    assert chief.cancel(taken.id).state == "cancelled"


def test_lists_batches_and_lanes(served: Served, chief: Client) -> None:
    items = chief.enqueue_many([{"type": "greet", "queue": "post"}, {"type": "grete"}, {"type": "greet"}])
    assert [(item.status, item.created) for item in items] == [(201, True), (422, False), (201, True)]
    assert isinstance(items[1].error, InvalidInput)
    assert [job.id for job in chief.jobs(status="pending", limit=1)] == [items[2].id, items[0].id]
    assert [job.queue for job in chief.jobs(queue="post")] == ["post"]
    assert {lane.name for lane in chief.queues()} == {"post", "default"}
    assert [lane.name for lane in chief.tenants()] == ["default"]
    assert chief.kind("greet").max_retries == 1
    assert [kind.name for kind in chief.kinds()] == ["greet"]
    worker = served.client("worker", "w1")
    assert len(worker.claim_many(5, queues=["post", "default"])) == 2
    assert [(one.worker_id, one.running) for one in chief.workers()] == [("w1", 2)]


def test_keys_and_the_audit(served: Served, chief: Client) -> None:
    made = chief.create_key("web", "producer", kinds=["greet"], max_priority="high")
    with Client(served.url, made.key) as web:
        assert enqueued(web, priority="high").priority == "high"
    other = chief.create_key("other", "producer", why="a second shop")
    chief.revoke_key(other.id, why="it leaked")
    with Client(served.url, other.key) as revoked, pytest.raises(Unauthenticated):
        enqueued(revoked)
    keys = chief.keys()
    assert "web" in [key.name for key in keys]
    lines = list(chief.audit(limit=1))
    told = [(line.verb, line.why) for line in lines[:2]]
    assert told == [("revoke_key", "it leaked"), ("create_key", "a second shop")]
    assert chief.clear_slowdown("greet") is False
    assert chief.alive()
    assert chief.ready().ready


class TestLostAnswers:
    """The connection is cut after the service has committed; the same call again settles it, by itself."""

    @pytest.fixture
    def cut(self, served: Served, chief: Client) -> Any:
        with wire(served.url) as made:
            yield made

    def worker(self, served: Served, cut: Wire) -> Client:
        return served.client("worker", "w1", url=cut.url)

    def test_an_enqueue_gives_one_job(self, served: Served, chief: Client, cut: Wire) -> None:
        client = served.client("producer", "web", url=cut.url)
        for said in ({}, {"idempotency_key": "k"}):
            cut.cut_next("/jobs")
            job = enqueued(client, **said)
            assert job.created
        assert cut.cuts == 2
        assert len(list(chief.jobs())) == 2

    def test_a_claim_gives_the_same_lease(self, served: Served, chief: Client, cut: Wire) -> None:
        enqueued(chief)
        enqueued(chief)
        cut.cut_next("/jobs/claim")
        claimed(self.worker(served, cut))
        assert cut.cuts == 1
        assert [one.running for one in chief.workers()] == [1]

    @pytest.mark.parametrize(
        ("verb", "state"),
        [("complete", "succeeded"), ("fail", "scheduled"), ("release", "ready"), ("snooze", "scheduled")],
    )
    def test_a_report_is_taken_once(self, served: Served, chief: Client, cut: Wire, verb: str, state: str) -> None:
        enqueued(chief)
        worker = self.worker(served, cut)
        taken = claimed(worker)
        cut.cut_next(f"/jobs/{taken.id}/{verb}")
        more: dict[str, Any] = {"delay": 60} if verb == "snooze" else {"retry_in": 60} if verb == "fail" else {}
        told = getattr(worker, verb)(taken.id, taken.lease_token, **more)
        assert cut.cuts == 1
        assert told.repeated
        assert chief.job(taken.id).state == state
        assert len(chief.attempts(taken.id)) == 1

    def test_reports_with_a_claim_are_taken_once(self, served: Served, chief: Client, cut: Wire) -> None:
        enqueued(chief)
        enqueued(chief)
        worker = self.worker(served, cut)
        taken = claimed(worker)
        cut.cut_next("/jobs/reports")
        done = worker.reports(
            [{"verb": "complete", "id": taken.id, "lease_token": taken.lease_token}],
            claim={"types": ["greet"], "queues": ["default"], "limit": 1},
        )
        assert cut.cuts == 1
        assert [one.standing for one in done.reports] == ["repeated"]
        assert done.claimed is not None
        assert len(done.claimed.jobs) == 1
        assert [one.running for one in chief.workers()] == [1]
