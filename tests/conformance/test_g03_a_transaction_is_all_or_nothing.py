"""G3: what a transaction writes is visible if and only if it commits. (Callers' own connections: tests/faces.)"""

import pytest

from tenure.core import transitions
from tenure.stores.protocol import AuditLine
from tenure.stores.reading import Slowdown
from tenure.stores.script import Script
from tests.conformance.asking import Ask, new
from tests.conformance.racing import ChangeOfMind


def test_a_script_that_fails_leaves_nothing(ask: Ask) -> None:
    waiting, fresh = ask.enqueued(delay=30.0), [new(), new()]

    def script() -> Script[None]:
        yield from ask.verbs.insert(fresh)
        locked = yield from ask.verbs.lock([waiting])
        move = transitions.cancel(locked.jobs[waiting], locked.now)
        assert move is not None
        assert (yield from ask.verbs.apply([move])) == {waiting}
        yield from ask.verbs.slow_down(Slowdown("default", "k", ask.clock.advance(9), "busy"))
        yield from ask.verbs.audit(AuditLine(who="op", verb="cancel", subject="job"))
        raise ChangeOfMind

    before = ask.job(waiting)
    with pytest.raises(ChangeOfMind):
        ask.run(script())
    assert ask.run(ask.verbs.read([waiting, *[job.id for job in fresh]])) == {waiting: before}
    assert ask.run(ask.verbs.slowdowns()) == []
    assert ask.run(ask.verbs.audit_lines(10)) == []


def test_a_failed_transaction_takes_back_the_end_of_an_attempt(ask: Ask) -> None:
    job_id = ask.enqueued()
    ask.lease()
    before = ask.job(job_id)
    ask.clock.advance(61)

    def script() -> Script[None]:
        locked = yield from ask.verbs.expired(10)
        yield from ask.verbs.apply([transitions.expire(job, locked.now, 0.5) for job in locked.jobs.values()])
        raise ChangeOfMind

    with pytest.raises(ChangeOfMind):
        ask.run(script())
    assert ask.job(job_id) == before
    assert ask.history(job_id) == []


def test_what_a_transaction_wrote_is_there_once_it_has_committed(ask: Ask) -> None:
    fresh = [new(), new()]
    inserted = ask.run(ask.verbs.insert(fresh))
    assert set(inserted.created) == set(ask.run(ask.verbs.read([job.id for job in fresh])))


def test_a_transaction_sees_its_own_writes(ask: Ask) -> None:
    fresh = [new(idempotency_key="k"), new()]

    def script() -> Script[int]:
        yield from ask.verbs.insert(fresh)
        return len((yield from ask.verbs.read([job.id for job in fresh])))

    assert ask.run(script()) == 2
