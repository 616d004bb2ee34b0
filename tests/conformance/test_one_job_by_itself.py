"""One plain job may go by a shorter way than a script, and nobody can tell which way it went."""

from typing import Any

import msgspec
import pytest

from tenure.core.job import Job, NewJob
from tenure.core.job_filter import JobFilter
from tenure.operations.enqueue import enqueue
from tests.conformance.asking import Ask, job_id, new

PLAIN: dict[str, Any] = {
    "tenant": "acme", "queue": "mail", "version": 3, "priority": 7, "tags": ("red", "blue"), "trace": "00-trace",
    "max_attempts": 4, "run_time_limit": 12.5,
}  # fmt: skip


def by_itself(ask: Ask, job: NewJob) -> Job:
    """The row that the enqueue tells, by the short way where the store has one."""
    row = ask.store.insert_alone(job)
    return ask.run(enqueue(ask.verbs, [job]))[0].job if row is None else row()


@pytest.mark.parametrize("said", [{}, PLAIN, {"idempotency_key": "k"}, {"id": job_id()}], ids=str)
def test_its_row_is_the_one_that_a_script_makes_and_the_one_that_is_told(ask: Ask, said: dict[str, Any]) -> None:
    told = by_itself(ask, new("short", {"n": 1}, **said))
    assert told == ask.job(told.id)
    script = ask.enqueue(new("short", {"n": 1}, **said | {"id": job_id(), "idempotency_key": None}))[0].job
    own = {"id": script.id, "seq": script.seq, "idempotency_key": None}
    assert msgspec.structs.replace(told, **own) == script


def test_a_job_whose_key_or_id_is_known_makes_no_row_and_is_left_to_the_script(ask: Ask) -> None:
    known = new(value=1, idempotency_key="once")
    ask.enqueue(known)
    assert ask.store.insert_alone(new(value=1, idempotency_key="once")) is None
    assert ask.store.insert_alone(known) is None
    assert ask.store.insert_alone(new(value=2, id=known.id)) is None
    assert [job.id for job in ask.run(ask.verbs.list_jobs(JobFilter(), None, 10))] == [known.id]


def test_jobs_by_themselves_and_by_scripts_are_claimed_in_the_order_of_their_enqueue(ask: Ask) -> None:
    ids = [by_itself(ask, new()).id if number % 2 else ask.enqueued() for number in range(6)]
    assert [lease.job_id for lease in ask.leases(6)] == ids
