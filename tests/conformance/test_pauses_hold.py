"""Pauses of queues, kinds and tenants: claims see them at once, what runs goes on, waiting costs nothing."""

import pytest

from tenure.core.flow.pause import SUBJECTS, Subject
from tenure.core.kind import Kind
from tenure.core.reports import Standing
from tenure.operations.complete_and_claim import complete_and_claim
from tenure.operations.pause import pause, resume
from tenure.stores.script import Script
from tests.conformance.asking import Ask, done, failed, new, request

OF_ITS: dict[Subject, str] = {"queue": "default", "kind": "k", "tenant": "default", "resource": "smtp"}


def paused(ask: Ask, subject: Subject, name: str) -> bool:
    if subject == "resource":
        ask.run(ask.verbs.put_kinds([Kind(name="k", uses=(name,))], replace=True))
    return ask.run(pause(ask.verbs, subject, name, who="op", why="the relay is down")).changed


def resumed(ask: Ask, subject: Subject, name: str) -> bool:
    return ask.run(resume(ask.verbs, subject, name, who="op")).changed


@pytest.mark.parametrize("subject", SUBJECTS)
def test_a_pause_holds_from_the_next_claim_until_it_is_resumed(ask: Ask, subject: Subject) -> None:
    job_id = ask.enqueued()
    assert paused(ask, subject, OF_ITS[subject])
    assert ask.leases(10) == ()
    assert resumed(ask, subject, OF_ITS[subject])
    assert [lease.job_id for lease in ask.leases(10)] == [job_id]


@pytest.mark.parametrize("subject", SUBJECTS)
def test_what_runs_goes_on_and_waits_for_its_next_try_without_a_cost(ask: Ask, subject: Subject) -> None:
    job_id = ask.enqueued()
    lease = ask.lease()
    paused(ask, subject, OF_ITS[subject])
    assert ask.beat(lease).held
    assert ask.answer(failed(lease)).standing is Standing.DONE
    ask.clock.advance(3600.0)
    ask.promote()
    assert ask.leases(10) == ()
    job = ask.job(job_id)
    assert (job.state, job.attempt, job.tries) == ("ready", 1, 1)
    resumed(ask, subject, OF_ITS[subject])
    assert ask.answer(done(ask.lease())).standing is Standing.DONE


@pytest.mark.parametrize("subject", SUBJECTS)
def test_other_lanes_go_on_beside_a_paused_one(ask: Ask, subject: Subject) -> None:
    others = {"queue": {"queue": "other"}, "kind": {"kind": "a"}, "tenant": {"tenant": "a"}, "resource": {"kind": "a"}}[
        subject
    ]
    ask.enqueue(*[new(), new(**others), new()])
    paused(ask, subject, OF_ITS[subject])
    (lease,) = ask.leases(10, ("a", "k"), queue=others.get("queue", "default"))
    assert (lease.queue, lease.kind, lease.tenant) != ("default", "k", "default")
    assert ask.leases(10, ("a", "k")) == ()


def test_lower_priorities_go_on_beneath_a_paused_kind(ask: Ask) -> None:
    ask.enqueue(new("urgent", priority=30), new("k", priority=0))
    paused(ask, "kind", "urgent")
    assert [lease.kind for lease in ask.leases(10, ("urgent", "k"))] == ["k"]


def test_a_pause_holds_for_the_claim_that_travels_with_completions(ask: Ask) -> None:
    ask.enqueue(new(), new())
    lease = ask.lease()
    paused(ask, "tenant", "default")
    answers, claimed = ask.run(complete_and_claim(ask.verbs, [done(lease)], request(5)))
    assert (answers[0].standing is Standing.DONE, claimed.leases) == (True, ())


def test_a_claim_for_some_tenants_knows_of_pauses_too(ask: Ask) -> None:
    ask.enqueue(*[new(tenant=tenant) for tenant in "abc"])
    paused(ask, "tenant", "b")
    assert [lease.tenant for lease in ask.leases(5, tenants=("a", "b"))] == ["a"]


def test_a_paused_queue_is_not_told_to_have_work(ask: Ask) -> None:
    ask.enqueue(new(queue="a"), new(queue="b"))
    paused(ask, "queue", "a")
    assert ask.run(ask.verbs.having_ready(["a", "b"])) == {"b"}


def test_the_first_pause_stands_with_who_and_why(ask: Ask) -> None:
    assert paused(ask, "queue", "mail")
    again = ask.run(pause(ask.verbs, "queue", "mail", who="somebody else", why="other"))
    assert again.pause is not None
    assert (again.changed, again.pause.who, again.pause.why) == (False, "op", "the relay is down")
    assert [line.verb for line in ask.run(ask.verbs.audit_lines(5))] == ["pause"]
    assert resumed(ask, "queue", "mail")
    assert not resumed(ask, "queue", "mail")
    assert [(line.verb, line.subject, line.queue) for line in ask.run(ask.verbs.audit_lines(5))] == [
        ("resume", "queue mail", "mail"),
        ("pause", "queue mail", "mail"),
    ]


def test_pauses_are_listed_by_subject_and_name(ask: Ask) -> None:
    for subject, name in (("tenant", "b"), ("queue", "a"), ("tenant", "a"), ("kind", "é")):
        paused(ask, subject, name)  # type: ignore[arg-type]
    found = ask.run(ask.verbs.pauses())
    assert [(one.subject, one.name) for one in found] == [
        ("kind", "é"),
        ("queue", "a"),
        ("tenant", "a"),
        ("tenant", "b"),
    ]
    assert found[0].at == ask.clock()
    assert [one.name for one in ask.run(ask.verbs.pauses("tenant"))] == ["a", "b"]
    assert [one.name for one in ask.run(ask.verbs.pauses("tenant", ["b", "c"]))] == ["b"]
    assert ask.run(ask.verbs.pauses("queue", [])) == []


def test_a_pause_that_is_rolled_back_does_not_hold(ask: Ask) -> None:
    def script() -> Script[None]:
        yield from pause(ask.verbs, "kind", "k", who="op")
        raise LookupError("the caller changes its mind")

    job_id = ask.enqueued()
    with pytest.raises(LookupError):
        ask.run(script())
    assert [lease.job_id for lease in ask.leases()] == [job_id]


@pytest.mark.parametrize("subject", SUBJECTS)
def test_a_paused_job_is_not_taken_by_its_id_either(ask: Ask, subject: Subject) -> None:
    job_id = ask.enqueued()
    paused(ask, subject, OF_ITS[subject])
    assert ask.leases(1, only=job_id) == ()
    resumed(ask, subject, OF_ITS[subject])
    assert len(ask.leases(1, only=job_id)) == 1
