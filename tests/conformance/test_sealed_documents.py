"""G12 and G10 where documents are sealed at rest: who has the key reads them byte for byte, who has not loses
nothing."""

import json

import pytest
from msgspec.structs import replace

from tenure.core import defaults, transitions
from tenure.core.attempt import ErrorClass
from tenure.core.errors import KeyConflict, Misconfigured
from tenure.core.job import Job, Policy
from tenure.core.job_filter import JobFilter
from tenure.core.lease import Lease
from tenure.core.ledger.effect import EffectState, Said
from tenure.core.ledger.effects import Wish
from tenure.core.retention import Retention
from tenure.core.secrecy.sealed import COLUMNS, HEAD_LENGTH, is_sealed, key_id_of, sealed_with
from tenure.core.states import State
from tenure.engine.upkeep.scheduler import Scheduler
from tenure.operations.begin_effect import begin_effect
from tenure.operations.check_keys import check_keys
from tenure.operations.claim import claim
from tenure.operations.complete_and_claim import complete_and_claim
from tenure.operations.enqueue import enqueue
from tenure.operations.finish_effect import finish_effect
from tenure.operations.redrive import redrive
from tenure.operations.save_checkpoint import save_checkpoint
from tests.conformance.asking import Ask, done, failed, new, request
from tests.conformance.scheduling import Scheduled
from tests.conformance.sealing import Keyed, key_ids, keyed, overwrite, resting

__all__ = ["keyed"]

SECRET = '{"card":"4111 1111 é"}'


def work(ask: Ask, lease: Lease, result: str = SECRET) -> None:
    """A checkpoint, an effect and a result."""
    ask.run(save_checkpoint(ask.verbs, lease.job_id, lease.token, "page", SECRET))
    wish = Wish(job_id=lease.job_id, token=lease.token, name="charge", request_id="r1", args={"n": 1})
    begun = ask.run(begin_effect(ask.verbs, wish))
    assert begun.effect is not None
    ask.run(finish_effect(ask.verbs, begun.effect, lease.token, Said(EffectState.CONFIRMED, SECRET)))
    assert ask.answer(done(lease, result)).standing == "done"


def listed(ask: Ask) -> list[Job]:
    return ask.run(ask.verbs.list_jobs(JobFilter(), None, 100))


def test_everything_that_belongs_sealed_rests_so_and_comes_back_as_it_was(keyed: Keyed) -> None:
    ask = keyed.ask("a")
    job_id = ask.enqueue(new(payload=SECRET))[0].id
    lease = ask.lease()
    work(ask, lease)
    scheduled = Scheduled(ask, payload=json.loads(SECRET), every=60)
    bare = keyed.store()
    for column in COLUMNS:
        (text,) = resting(bare, column).values()
        assert text.startswith("sealed:a:")
    job = ask.job(job_id)
    assert (lease.payload, job.payload, job.result) == (SECRET, SECRET, SECRET)
    (effect,) = ask.run(ask.verbs.effects([job_id]))[job_id]
    (saved,) = ask.run(ask.verbs.checkpoints(job_id))
    assert (effect.result, saved.value) == (SECRET, SECRET)
    assert scheduled.row.payload == SECRET


def test_a_schedule_is_left_to_whoever_has_the_key(keyed: Keyed) -> None:
    ask = keyed.ask("a")
    scheduled = Scheduled(ask, payload=json.loads(SECRET), every=60)
    row = scheduled.row
    assert ask.run(ask.verbs.write_schedule(row, replace(row, revision=1, next_at=row.starts_at)))
    Scheduler(keyed.store()).tick()
    assert (scheduled.jobs(), scheduled.row.flag) == ([], None)
    scheduled.tick()
    assert [job.payload for job in scheduled.jobs()] == [SECRET]


def test_bulks_and_single_jobs_are_all_sealed(keyed: Keyed) -> None:
    ask = keyed.ask("a")
    for size in (1, 9, 250):
        ask.enqueue(*[new(payload=SECRET) for _ in range(size)])
    ask.run(ask.verbs.insert([new(payload=SECRET), new(payload=SECRET, delay=5.0)], apart=True))
    ask.store.insert_alone(new(payload=SECRET))
    assert key_ids(keyed.store()) == {"a"}
    assert {job.payload for job in listed(ask)} == {SECRET}


def test_without_a_key_everything_rests_as_it_is(keyed: Keyed) -> None:
    ask = keyed.ask()
    job_id = ask.enqueue(new(payload=SECRET))[0].id
    assert resting(ask.store, "payload") == {(job_id,): SECRET}


def test_a_key_that_is_configured_later_reads_what_was_plain(keyed: Keyed) -> None:
    job_id = keyed.ask().enqueue(new(payload=SECRET))[0].id
    later = keyed.ask("a")
    assert later.job(job_id).payload == SECRET
    assert later.lease().payload == SECRET


def test_an_idempotency_key_goes_by_what_was_sent_not_by_how_it_rests(keyed: Keyed) -> None:
    first = new(payload=SECRET, idempotency_key="k")
    keyed.ask("a").enqueue(first)
    again = keyed.ask("b").enqueue(new(payload=SECRET, idempotency_key="k"))
    assert (again[0].id, again[0].created) == (first.id, False)
    other = keyed.ask("b", "a")
    with pytest.raises(KeyConflict):
        other.run(enqueue(other.verbs, [new(payload="2", idempotency_key="k")]))


@pytest.mark.parametrize("ids", [(), ("b",)], ids=["no key", "another key"])
def test_jobs_whose_key_is_missing_are_sent_back_and_the_rest_of_the_batch_goes_on(
    keyed: Keyed, ids: tuple[str, ...]
) -> None:
    lost = [one.id for one in keyed.ask("a").enqueue(new(payload=SECRET), new(payload=SECRET))]
    ask = keyed.ask(*ids)
    good = ask.enqueued(value=1)
    claimed = ask.claimed(10)
    assert [lease.job_id for lease in claimed.leases] == [good]
    assert claimed.lacks_key
    assert [(one.job_id, one.key_id, one.code) for one in claimed.unopened] == [
        (job_id, "a", "sealed_key_missing") for job_id in lost
    ]
    for job_id in lost:
        job = ask.job(job_id)
        assert (job.state, job.last_error_code, sealed_with(job.payload)) == ("scheduled", "sealed_key_missing", "a")
        assert (job.error or "") == "the payload is sealed with key 'a', which this process lacks"
        assert (job.tries, job.returns) == (0, 1)
        (attempt,) = ask.history(job_id)
        assert (attempt.outcome, attempt.error_code, attempt.begun) == ("released", "sealed_key_missing", False)


def due_again(ask: Ask, job_id: str) -> None:
    """As when its time has come."""
    job = ask.job(job_id)
    ask.run(ask.verbs.apply([transitions.promote(job, job.run_at)]))  # type: ignore[list-item]


def test_a_job_that_was_sent_back_runs_where_the_key_is(keyed: Keyed) -> None:
    job_id = keyed.ask("a").enqueue(new(payload=SECRET))[0].id
    assert keyed.ask().claimed(1).lacks_key
    ask = keyed.ask("b", "a")
    assert ask.claimed(1).leases == ()
    due_again(ask, job_id)
    lease = ask.lease()
    assert (lease.job_id, lease.payload) == (job_id, SECRET)
    work(ask, lease)
    assert ask.job(job_id).result == SECRET


def test_a_job_whose_key_is_nowhere_fails_after_many_returns_and_runs_redriven_once_the_key_is_there(
    keyed: Keyed,
) -> None:
    job_id = keyed.ask("a").enqueue(new(payload=SECRET))[0].id
    stranger = keyed.ask("b")
    for _ in range(defaults.UNOPENED_RETURNS):
        assert stranger.claimed(1).unopened[0].state is State.SCHEDULED
        due_again(stranger, job_id)
    assert stranger.claimed(1).unopened[0].state is State.FAILED
    job = stranger.job(job_id)
    assert (job.state, job.end_code, job.unrecoverable) == (State.FAILED, "sealed_key_missing", False)
    owner = keyed.ask("a")
    owner.run(redrive(owner.verbs, job_id, who="op"))
    assert owner.lease().payload == SECRET


def test_a_look_at_what_waits_tells_the_keys_of_both_ends_of_what_is_ready_and_of_what_is_due(keyed: Keyed) -> None:
    old, ask = keyed.ask("old"), keyed.ask("new")
    first = old.enqueue(new(payload=SECRET, priority=9))[0].id
    middle = ask.enqueue(*[new("j", payload=SECRET) for _ in range(5)])
    last = old.enqueue(new("z", payload=SECRET, priority=-9), new(payload=SECRET, delay=60.0))
    old.enqueue(new(payload=SECRET, queue="other"), new(payload=SECRET, queue="other", delay=90.0))
    bare = keyed.store()
    assert [job.job_id for job in bare.run(bare.verbs.waiting_payloads("default", 1))] == [first, *[o.id for o in last]]
    found = bare.run(bare.verbs.waiting_payloads("default", 100))
    assert [job.job_id for job in found] == [first, *[one.id for one in middle], *[one.id for one in last]]
    assert {(job.kind, key_id_of(job.head)) for job in found} == {("k", "old"), ("j", "new"), ("z", "old")}
    assert all(len(job.head) <= HEAD_LENGTH and job.last_error_code is None for job in found)


def test_who_lacks_the_key_of_a_job_that_waits_does_not_start_and_whoever_has_it_or_runs_other_kinds_does(
    keyed: Keyed,
) -> None:
    owner, stranger = keyed.ask("a"), keyed.ask("b")
    job_id = owner.enqueue(new(payload=SECRET))[0].id
    with pytest.raises(Misconfigured, match=f"queue default .*key 'a', which this process lacks: job {job_id}") as said:
        stranger.run(check_keys(stranger.verbs, stranger.store.keyring, ["default"], ["k"]))
    assert said.value.code == "sealed_key_missing"
    owner.run(check_keys(owner.verbs, owner.store.keyring, ["default"], ["k"]))
    for queues, kinds in ((["default"], ["other"]), (["other"], None)):
        stranger.run(check_keys(stranger.verbs, stranger.store.keyring, queues, kinds))


def test_a_job_that_was_sent_back_for_its_key_keeps_nobody_from_starting(keyed: Keyed) -> None:
    keyed.ask("a").enqueue(new(payload=SECRET))
    ask = keyed.ask()
    assert ask.claimed(1).lacks_key
    ask.run(check_keys(ask.verbs, ask.store.keyring, ["default"], None))


def test_a_redrive_by_somebody_without_the_key_loses_nothing(keyed: Keyed) -> None:
    owner = keyed.ask("a")
    job_id = owner.enqueue(new(payload=SECRET))[0].id
    owner.answer(failed(owner.lease(), ErrorClass.TERMINAL))
    stranger = keyed.ask("b")
    stranger.run(redrive(stranger.verbs, job_id, who="op"))
    assert owner.lease().payload == SECRET


def test_a_completion_beside_a_claim_sends_back_too(keyed: Keyed) -> None:
    ask = keyed.ask("b")
    ask.enqueued(value=1)
    lease = ask.lease()
    lost = keyed.ask("a").enqueue(new(payload=SECRET))[0].id
    answers, claimed = ask.run(complete_and_claim(ask.verbs, [done(lease)], request(3)))
    assert (answers[0].standing, claimed.leases, len(claimed.unopened)) == ("done", (), 1)
    assert ask.job(lost).last_error_code == "sealed_key_missing"


def test_a_claim_that_is_repeated_sends_back_what_it_holds(keyed: Keyed) -> None:
    keyed.ask("a").enqueue(new(payload=SECRET))
    ask = keyed.ask("b")
    asked = request(1)
    assert len(ask.run(ask.verbs.claim(asked)).leases) == 1
    repeated = ask.run(claim(ask.verbs, asked, repeat=True))
    assert (repeated.leases, len(repeated.unopened)) == ((), 1)


def test_a_payload_that_was_moved_to_another_job_does_not_open(keyed: Keyed) -> None:
    ask = keyed.ask("a")
    mine, theirs = (one.id for one in ask.enqueue(new(payload=SECRET), new(payload='"mine"')))
    bare = keyed.store()
    overwrite(bare, "payload", (theirs,), resting(bare, "payload")[mine,])
    assert [job.id for job in listed(ask) if is_sealed(job.payload)] == [theirs]
    claimed = ask.claimed(2)
    assert [lease.job_id for lease in claimed.leases] == [mine]
    assert not claimed.lacks_key
    assert ask.job(theirs).end_code == "sealed_document_damaged"


def test_a_payload_does_not_open_as_a_result_of_the_same_job(keyed: Keyed) -> None:
    ask = keyed.ask("a")
    job_id = ask.enqueue(new(payload=SECRET))[0].id
    ask.answer(done(ask.lease(), "1"))
    bare = keyed.store()
    overwrite(bare, "result", (job_id,), resting(bare, "payload")[job_id,])
    job = ask.job(job_id)
    assert (job.payload, is_sealed(job.result)) == (SECRET, True)


def test_effects_and_checkpoints_that_were_changed_are_listed_and_stay_sealed(keyed: Keyed) -> None:
    ask = keyed.ask("a")
    job_id = ask.enqueue(new(payload="1"))[0].id
    work(ask, ask.lease())
    bare = keyed.store()
    for column in ("effect", "checkpoint"):
        ((place, text),) = resting(bare, column).items()
        overwrite(bare, column, place, f"{text[:-8]}AAAAAAA=")
    (effect,) = ask.run(ask.verbs.effects([job_id]))[job_id]
    (saved,) = ask.run(ask.verbs.checkpoint_page(job_id, None, 5))
    assert is_sealed(effect.result)
    assert is_sealed(saved.value)


def test_a_sealed_payload_expires_like_any_other(keyed: Keyed) -> None:
    ask = keyed.ask("a")
    kept, short = ask.enqueue(new(payload=SECRET), new(payload=SECRET, policy=Policy(payload_retention=0.0)))
    for lease in ask.leases(2):
        ask.answer(done(lease))
    assert ask.run(ask.verbs.expire_payloads(Retention(), 10)) == 1
    assert (ask.job(short.id).payload, ask.job(kept.id).payload) == (None, SECRET)
    assert set(resting(keyed.store(), "payload")) == {(kept.id,)}
