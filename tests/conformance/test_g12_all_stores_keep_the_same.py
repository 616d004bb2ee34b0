"""G12: all stores accept the same input and give it back byte for byte. (What is refused: tests/core, above them.)"""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from tenure.core.attempt import Attempt, ErrorClass
from tenure.core.job import Policy
from tenure.core.job_filter import EVERY_JOB, JobFilter
from tenure.core.kind import Kind
from tenure.core.states import State
from tenure.operations.show import page, show
from tenure.stores.protocol import AuditLine
from tests.conformance.asking import NOBODY, Ask, done, failed, new

WIDE = "𝒳"
DOCUMENTS = [
    '{"b":1,"a":2, "spaces" : [ ] }',
    "1.0",
    "1",
    "-0.0",
    "1e300",
    "9" * 308,
    "-" + "9" * 308,
    "123456789012345678901234567890",
    '"\\u0000 written out as \\\\u0000"',
    '"é\\u00e9\\ud83d\\ude00😀"',
    '{"dup":1,"dup ":2}',
    '"quotes \\" and \\\\ and \'\' and $1 ? %s :x {} ]]>"',
    "[" * 64 + "]" * 64,
    '"' + "x" * 9000 + '"',
    '"' + WIDE * 16_383 + '"',
    "null",
]


@pytest.mark.parametrize("document", DOCUMENTS, ids=range(len(DOCUMENTS)))
def test_payload_result_and_progress_come_back_byte_for_byte(ask: Ask, document: str) -> None:
    """B51: what is accepted is given back unchanged."""
    job_id = ask.enqueued(payload=document)
    lease = ask.lease()
    assert lease.payload == document
    ask.beat(lease, document)
    assert ask.job(job_id).progress == document
    ask.report(done(lease, document))
    job = ask.job(job_id)
    assert (job.payload, job.result, ask.history(job_id)[0].progress) == (document, document, document)


def test_every_field_of_a_submission_comes_back_as_it_was_given(ask: Ask) -> None:
    soon = datetime(2026, 1, 5, 10, 30, 0, 123_457, tzinfo=UTC)
    job = new(
        WIDE * 200, {"ü": 1.0}, tenant=WIDE * 200, queue=WIDE * 200, version=2**31 - 1, priority=-32_768,
        idempotency_key=WIDE * 128, run_at=soon, deadline=datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
        max_attempts=10_000, run_time_limit=0.25, policy=Policy(backoff_base=0.1, progress_timeout=1e6),
        tags=(WIDE * 200, "b", "a", "b"), trace='{"traceparent":"00-…"}',
    )  # fmt: skip
    (answer,) = ask.enqueue(job)
    stored = ask.job(job.id)
    for name in job.__struct_fields__:
        if name != "delay":
            assert getattr(stored, name) == getattr(job, name), name
    assert stored == answer.job
    assert ask.run(ask.verbs.read_keys([(job.tenant, job.kind, job.idempotency_key or "")])) == {
        (job.tenant, job.kind, job.idempotency_key): stored
    }


def test_wide_names_are_claimed_reported_and_announced(ask: Ask) -> None:
    ask.enqueue(new(WIDE * 200, queue=WIDE * 200, tenant=WIDE * 200))
    listener = ask.store.listen([WIDE * 200])
    ask.store.announce([WIDE * 200])
    assert listener.wait(20)
    listener.close()
    lease = ask.lease((WIDE * 200,), queue=WIDE * 200, worker=WIDE * 200, claim_id=WIDE * 200, holder='{"host":"é"}')
    answer = ask.answer(failed(lease, ErrorClass.TERMINAL, WIDE * 100, error=WIDE * 1024, traceback=WIDE * 4096))
    assert answer.standing == "done"
    (attempt,) = ask.history(lease.job_id)
    assert (attempt.error_code, attempt.error, attempt.traceback) == (WIDE * 100, WIDE * 1024, WIDE * 4096)
    assert (attempt.worker, attempt.holder) == (WIDE * 200, '{"host":"é"}')


def test_ten_thousand_jobs_are_enqueued_in_one_bulk(ask: Ask) -> None:
    jobs = [new(value=n, idempotency_key=str(n)) for n in range(10_000)]
    answers = ask.enqueue(*jobs)
    assert [(answer.id, answer.created) for answer in answers] == [(job.id, True) for job in jobs]
    assert sum(count.jobs for count in ask.run(ask.verbs.counts())) == 10_000


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"delay": 60.0, "priority": 20, "tags": ("a", "b"), "trace": "00-1"},
        {"run_at": datetime(2131, 1, 1, tzinfo=UTC), "deadline": datetime(2132, 1, 1, tzinfo=UTC), "max_attempts": 2},
        {"tenant": "t", "queue": "q", "version": 3, "run_time_limit": 5.0, "policy": Policy(effects=("mail",))},
    ],
)
def test_jobs_of_a_bulk_are_stored_as_those_that_come_one_by_one(ask: Ask, said: dict[str, Any]) -> None:
    alike, keyed, apart = ([new(value=n, **said) for n in range(3)] for _ in range(3))
    bulks = ask.enqueue(*alike), ask.enqueue(*(replace(job, idempotency_key=job.id) for job in keyed))
    single = [ask.enqueue(job)[0] for job in apart]
    for bulk in bulks:
        rows = [ask.job(answer.id) for answer in bulk]
        assert [row.seq for row in rows] == sorted(row.seq for row in rows)
        for row, answer in zip(rows, single, strict=True):
            other = ask.job(answer.id)
            assert replace(row, id=other.id, seq=other.seq, idempotency_key=None) == other


def test_an_empty_bulk_is_no_error(ask: Ask) -> None:
    assert ask.enqueue() == []
    assert ask.report() == []
    assert ask.run(ask.verbs.apply([])) == set()
    assert ask.run(ask.verbs.read([])) == {}


def test_waits_up_to_the_end_of_time_are_stored(ask: Ask) -> None:
    far = ask.enqueued(delay=100 * 366 * 86_400.0)
    assert ask.job(far).state is State.SCHEDULED
    last = ask.enqueued(run_at=datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC))
    assert ask.promote().next_run_at == ask.job(far).run_at
    assert ask.job(last).run_at.year == 9999
    assert ask.leases(5) == ()


def test_instants_are_exact_to_the_microsecond(ask: Ask) -> None:
    ask.clock.to(datetime(2031, 3, 4, 5, 6, 7, 891_011, tzinfo=UTC))
    job = ask.job(ask.enqueued(delay=0.000_001))
    assert (job.created_at, job.run_at - job.created_at) == (ask.clock(), timedelta(microseconds=1))


def test_lists_are_newest_first_in_pages_and_narrowed_by_what_is_asked(ask: Ask) -> None:
    ids = [
        answer.id
        for answer in ask.enqueue(*[new("ab"[n % 2], queue="q", tags=("even",) * (1 - n % 2)) for n in range(7)])
    ]
    first = ask.run(page(ask.verbs, JobFilter(), limit=4))
    rest = ask.run(page(ask.verbs, JobFilter(), first.next, limit=4))
    assert [job.id for job in (*first.jobs, *rest.jobs)] == ids[::-1]
    assert rest.next is None
    for narrowed, found in [
        (JobFilter(kinds=("b",)), ids[1::2]),
        (JobFilter(tag="even"), ids[::2]),
        (JobFilter(states=(State.RUNNING,)), []),
        (JobFilter(queues=("q",), tenants=("default",), states=(State.READY, State.SCHEDULED)), ids),
        (JobFilter(tenants=("other",)), []),
        (JobFilter(tag="eve"), []),
        (JobFilter(kinds=("b", "a"), tenants=("other", "default")), ids),
        *[(replace(EVERY_JOB, **{member: ()}), []) for member in ("states", "tenants", "kinds", "queues")],
    ]:
        assert [job.id for job in ask.run(page(ask.verbs, narrowed)).jobs] == found[::-1], narrowed


def test_failed_jobs_are_found_by_their_code(ask: Ask) -> None:
    job_id = ask.enqueued()
    ask.enqueued()
    ask.report(failed(ask.lease(), ErrorClass.TERMINAL, "no_such_account"))
    assert [job.id for job in ask.run(page(ask.verbs, JobFilter(code="no_such_account"))).jobs] == [job_id]


def test_a_job_is_shown_with_its_history_in_order(ask: Ask) -> None:
    job_id = ask.enqueued()
    for _ in range(3):
        ask.report(failed(ask.lease(), wait=0.0))
    shown = ask.run(show(ask.verbs, job_id))
    assert shown is not None
    assert [attempt.number for attempt in shown.attempts] == [1, 2, 3]
    assert all(isinstance(attempt, Attempt) for attempt in shown.attempts)
    assert ask.run(show(ask.verbs, NOBODY)) is None


def test_counts_tell_jobs_by_queue_kind_and_state_and_the_oldest(ask: Ask) -> None:
    early = ask.clock() - timedelta(seconds=9)
    ask.enqueue(new("a"), new("a", run_at=early), new("b", delay=5.0), new("a", queue="q"))
    found = {(c.queue, c.kind, c.state): (c.jobs, c.oldest_run_at) for c in ask.run(ask.verbs.counts())}
    assert found == {
        ("default", "a", State.READY): (2, early),
        ("default", "b", State.SCHEDULED): (1, ask.clock() + timedelta(seconds=5)),
        ("q", "a", State.READY): (1, ask.clock()),
    }


def test_counts_are_narrowed_like_lists(ask: Ask) -> None:
    ask.enqueue(new("a", tenant="x"), new("a", tenant="y", delay=5.0), new("b", tenant="x", queue="q"), new("b"))
    for which, jobs in [
        (JobFilter(tenants=("x", "y")), 3),
        (JobFilter(kinds=("b",)), 2),
        (JobFilter(queues=("q",), tenants=("x",)), 1),
        (JobFilter(states=(State.SCHEDULED,)), 1),
        (JobFilter(tenants=()), 0),
    ]:
        assert sum(count.jobs for count in ask.run(ask.verbs.counts(which))) == jobs, which


def test_tenants_are_counted_a_page_at_a_time(ask: Ask) -> None:
    ask.enqueue(*[new(tenant=tenant) for tenant in "cabbé"], new(tenant="a", delay=5.0))
    first = ask.run(ask.verbs.counts_by("tenant", JobFilter(), None, 2))
    rest = ask.run(ask.verbs.counts_by("tenant", JobFilter(), first[-1].name, 9))
    assert [(count.name, count.state, count.jobs) for count in (*first, *rest)] == [
        ("a", State.READY, 1),
        ("a", State.SCHEDULED, 1),
        ("b", State.READY, 2),
        ("c", State.READY, 1),
        ("é", State.READY, 1),
    ]
    of_some = ask.run(ask.verbs.counts_by("tenant", JobFilter(tenants=("c", "z")), None, 9))
    assert {count.name for count in of_some} == {"c"}


def test_workers_are_told_by_what_they_run(ask: Ask) -> None:
    ask.enqueue(*[new(tenant=tenant) for tenant in "abc"], new())
    began = ask.clock()
    first = ask.lease(worker="w2", holder='{"host":"here","process":1}')
    ask.clock.advance(5)
    ask.lease(worker="w2", holder='{"host":"there"}')
    ask.lease(worker="w1", holder=None)
    ask.beat(first)
    quiet, busy = ask.run(ask.verbs.worker_counts(EVERY_JOB, None, 9))
    assert (quiet.worker, quiet.jobs, quiet.hosts) == ("w1", 1, ())
    assert (busy.worker, busy.jobs, busy.hosts) == ("w2", 2, ("here", "there"))
    assert (busy.started_at, busy.heartbeat_at) == (began, ask.clock())
    (seen,) = ask.run(ask.verbs.worker_counts(JobFilter(tenants=(first.tenant,)), None, 9))
    assert (seen.worker, seen.jobs, seen.hosts) == ("w2", 1, ("here",))
    assert ask.run(ask.verbs.worker_counts(JobFilter(states=(State.READY,)), None, 9)) == []


@pytest.mark.parametrize("holder", ["[1]", '{"host":7}', "null", '"here"'])
def test_a_holder_that_names_no_host_spoils_no_list_of_workers(ask: Ask, holder: str) -> None:
    ask.enqueued()
    ask.lease(holder=holder)
    assert [worker.hosts for worker in ask.run(ask.verbs.worker_counts(EVERY_JOB, None, 9))] == [()]


def test_a_start_adds_versions_to_a_kind_and_overwrites_nothing(ask: Ask) -> None:
    mine = Kind(name="k", versions=(1,), schema='{"type":"object"}', concurrency=3, policy=Policy(backoff_base=9.0))
    ask.run(ask.verbs.put_kinds([mine], replace=False))
    ask.run(ask.verbs.put_kinds([Kind(name="k", versions=(2,), queue="other")], replace=False))
    (kept,) = ask.run(ask.verbs.kinds()).values()
    assert (kept.schema, kept.concurrency, kept.queue, set(kept.versions)) == (mine.schema, 3, "default", {1, 2})
    assert kept.policy == mine.policy
    ask.run(ask.verbs.put_kinds([Kind(name="k", versions=(3,), queue="other", priority=-7)], replace=True))
    (replaced,) = ask.run(ask.verbs.kinds()).values()
    assert replaced == Kind(name="k", versions=(1, 2, 3), queue="other", priority=-7)


def test_audit_lines_are_told_newest_first(ask: Ask) -> None:
    for verb in ("pause", "resume"):
        ask.run(ask.verbs.audit(AuditLine(who="é", verb=verb, subject="queue q", why="maintenance", detail="…")))
        ask.clock.advance(1)
    newest, oldest = ask.run(ask.verbs.audit_lines(10))
    assert (newest.verb, oldest.verb, newest.who, newest.why) == ("resume", "pause", "é", "maintenance")
    assert newest.at == ask.clock() - timedelta(seconds=1)
    assert ask.run(ask.verbs.audit_lines(1)) == [newest]
    assert ask.run(ask.verbs.audit_lines(10, newest.seq)) == [oldest]
    assert ask.run(ask.verbs.audit_lines(10, oldest.seq)) == []


@pytest.mark.parametrize("dimension", ["tenant", "kind", "queue"])
def test_audit_lines_are_narrowed_to_what_they_concern(ask: Ask, dimension: str) -> None:
    for subject, name in (("one", "a"), ("two", None), ("three", "b"), ("four", "a")):
        ask.run(ask.verbs.audit(replace(AuditLine(who="op", verb="cancel", subject=subject), **{dimension: name})))

    def which(*names: str) -> JobFilter:
        return replace(EVERY_JOB, **{f"{dimension}s": names})

    told: dict[tuple[str, ...] | None, list[str]] = {
        names: [line.subject for line in ask.run(ask.verbs.audit_lines(10, which=which(*names)))]
        for names in (("a",), ("a", "b"), ("c",), ())
    }
    told[None] = [line.subject for line in ask.run(ask.verbs.audit_lines(10))]
    assert told == {
        None: ["four", "three", "two", "one"],
        ("a",): ["four", "one"],
        ("a", "b"): ["four", "three", "one"],
        ("c",): [],
        (): [],
    }
    newest, *_ = ask.run(ask.verbs.audit_lines(1, which=which("a")))
    assert getattr(newest, dimension) == "a"
    assert [line.subject for line in ask.run(ask.verbs.audit_lines(10, newest.seq, which("a")))] == ["one"]
    both = msgspec.structs.replace(which("a"), tenants=("a",), kinds=("a",), queues=("a",))
    assert ask.run(ask.verbs.audit_lines(10, which=both)) == []


def test_a_database_has_one_identity_and_one_secret(ask: Ask) -> None:
    assert ask.run(ask.verbs.database_id()) == ask.run(ask.verbs.database_id()) != ""
    secret = ask.run(ask.verbs.digest_key())
    assert isinstance(secret, bytes)
    assert 32 <= len(secret) <= 64
    assert secret == ask.run(ask.verbs.digest_key())


def test_a_listener_hears_its_own_queues_alone_and_can_be_woken(ask: Ask) -> None:
    listener = ask.store.listen(["mine"])
    while listener.wait(0.05):
        """What came before anybody listened is worth one look."""
    ask.store.announce(["other"])
    assert not listener.wait(0.05)
    ask.store.announce(["other", "mine"])
    assert listener.wait(20)
    listener.wake()
    listener.wait(20)
    listener.close()


async def _arun(ask: Ask) -> datetime:
    return await ask.store.arun(ask.verbs.now())


def test_a_script_runs_on_an_event_loop_too(ask: Ask) -> None:
    assert asyncio.run(_arun(ask)) == ask.clock()


def test_a_touch_changes_nothing_that_is_read(ask: Ask) -> None:
    before = ask.run(ask.verbs.database_id()), ask.run(ask.verbs.digest_key())
    for _ in range(2):
        ask.run(ask.verbs.touch())
    assert (ask.run(ask.verbs.database_id()), ask.run(ask.verbs.digest_key())) == before
