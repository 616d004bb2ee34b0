"""The ledger of effects and the checkpoints: all stores keep them alike, and only the owner writes."""

from datetime import timedelta
from functools import partial
from typing import Any

import msgspec
import pytest

from tenure.core.errors import InvalidInput, LeaseLost
from tenure.core.job import Policy
from tenure.core.lease import Lease
from tenure.core.ledger.effect import Effect, EffectState, Said
from tenure.core.ledger.effects import Begin, What, Wish
from tenure.core.ledger.reconciling import absent, happened
from tenure.core.ledger.settling import Settling
from tenure.core.retention import Retention
from tenure.core.states import State
from tenure.operations.begin_effect import begin_effect
from tenure.operations.complete import complete
from tenure.operations.complete_and_claim import complete_and_claim
from tenure.operations.finish_effect import finish_effect
from tenure.operations.save_checkpoint import save_checkpoint
from tenure.operations.settle_effect import settle_effect
from tenure.stores.script import Script
from tests.conformance.asking import NOBODY, Ask, done, failed, request
from tests.conformance.racing import race

CONFIRMED = Said(EffectState.CONFIRMED, '{"id":"ch_1","ü":1.0}')
UNCLEAR = Said(EffectState.UNCERTAIN, error_code="effect_unclear", error="no answer")
ABSENT = Said(EffectState.ABSENT)


def wish(lease: Lease, request_id: str = "r1", name: str = "charge", **said: Any) -> Wish:
    return Wish(job_id=lease.job_id, token=lease.token, name=name, request_id=request_id, **{"timeout": 12.0} | said)


def begin(ask: Ask, lease: Lease, request_id: str = "r1", **said: Any) -> Begin:
    return ask.run(begin_effect(ask.verbs, wish(lease, request_id, **said)))


def called(ask: Ask, lease: Lease, **said: Any) -> Effect:
    answer = begin(ask, lease, **said)
    assert answer.what is What.CALL
    assert answer.effect is not None
    return answer.effect


def finish(ask: Ask, lease: Lease, effect: Effect, said: Said = CONFIRMED) -> Effect | None:
    return ask.run(finish_effect(ask.verbs, effect, lease.token, said))


def ledger(ask: Ask, job_id: str) -> list[Effect]:
    return ask.run(ask.verbs.effects([job_id]))[job_id]


def started(ask: Ask, **fields: Any) -> Lease:
    ask.enqueued(**fields)
    return ask.lease()


def lost(ask: Ask, lease: Lease) -> Lease:
    """The next attempt, after the lease of this one has ended."""
    ask.clock.to(lease.lease_expires_at)
    ask.sweep()
    return ask.lease()


def test_an_effect_comes_back_as_it_was_written(ask: Ask) -> None:
    lease = started(ask)
    begun = called(ask, lease, args={"ü": [1.0, 10**30]})
    assert ledger(ask, lease.job_id) == [begun]
    assert (begun.job_id, begun.key, begun.attempt) == (lease.job_id, f"{lease.job_id}:charge", 1)
    ask.clock.advance(1.5)
    ended = finish(ask, lease, begun)
    assert ended is not None
    assert ledger(ask, lease.job_id) == [ended]
    assert (ended.result, ended.settled_at, ended.call_ends_by) == (
        CONFIRMED.result, ask.clock(), begun.started_at + timedelta(seconds=12),
    )  # fmt: skip


def test_a_repeated_begin_and_a_repeated_finish_are_answered_alike(ask: Ask) -> None:
    lease = started(ask)
    first = called(ask, lease)
    assert called(ask, lease) == first
    ended = finish(ask, lease, first)
    assert finish(ask, lease, first) == ended
    assert begin(ask, lease, "r2") == Begin(What.STORED, ended)


def test_a_later_attempt_waits_then_asks_and_then_calls(ask: Ask) -> None:
    first = started(ask)
    called(ask, first, timeout=40.0)
    ask.answer(failed(first))
    ask.clock.advance(10)
    ask.promote()
    second = ask.lease()
    answer = begin(ask, second, "r2", can_ask=True)
    assert (answer.what, round(answer.wait, 3)) == (What.WAIT, round(40 + 40 / 6 - 10, 3))
    ask.clock.advance(answer.wait)
    ask.beat(second)
    assert begin(ask, second, "r2", can_ask=True).what is What.ASK
    again = called(ask, second, request_id="r2", can_ask=True, asked_of="r1", answered=absent)
    assert (again.tries, again.attempt, again.request_id) == (2, 2, "r2")


def test_what_cannot_be_asked_is_uncertain_for_an_operator(ask: Ask) -> None:
    first = started(ask)
    called(ask, first)
    second = lost(ask, first)
    assert begin(ask, second, "r2").what is What.UNCERTAIN
    (row,) = ledger(ask, first.job_id)
    assert (row.state, row.attempt) == (EffectState.UNCERTAIN, 2)
    assert ask.run(ask.verbs.open_effects(None, 10)) == [row]
    assert ask.run(ask.verbs.open_effects([], 10)) == []


def test_a_stale_token_begins_nothing(ask: Ask) -> None:
    first = started(ask)
    second = lost(ask, first)
    assert begin(ask, first).what is What.LOST
    assert ledger(ask, second.job_id) == []
    assert ask.run(begin_effect(ask.verbs, msgspec.structs.replace(wish(first), job_id=NOBODY))).what is What.LOST


def test_an_expired_lease_begins_nothing_although_nobody_has_swept_it(ask: Ask) -> None:
    lease = started(ask)
    ask.clock.to(lease.lease_expires_at)
    assert begin(ask, lease).what is What.LOST


def test_an_attempt_confirms_its_own_call_after_it_has_lost_its_lease(ask: Ask) -> None:
    first = started(ask)
    begun = called(ask, first)
    second = lost(ask, first)
    ended = finish(ask, first, begun)
    assert begin(ask, second, "r2") == Begin(What.STORED, ended)


@pytest.mark.parametrize("said", [CONFIRMED, ABSENT])
def test_a_call_that_another_attempt_has_judged_is_closed_to_its_own(ask: Ask, said: Said) -> None:
    first = started(ask)
    begun = called(ask, first)
    second = lost(ask, first)
    begin(ask, second, "r2")
    before = ledger(ask, first.job_id)
    assert finish(ask, first, begun, said) is None
    assert ledger(ask, first.job_id) == before


def test_other_arguments_under_one_key_are_refused(ask: Ask) -> None:
    lease = started(ask)
    finish(ask, lease, called(ask, lease, args={"a": 1}))
    assert begin(ask, lease, "r2", args={"a": 1.0}).what is What.CONFLICT
    assert begin(ask, lease, "r2", args={"a": 1}).what is What.STORED


def test_a_business_key_holds_over_all_jobs_of_its_tenant(ask: Ask) -> None:
    first = started(ask)
    ended = finish(ask, first, called(ask, first, key="order-7"))
    ask.answer(done(first))
    second = started(ask)
    assert begin(ask, second, "r2", key="order-7") == Begin(What.STORED, ended)
    (own,) = ledger(ask, second.job_id)
    assert (own.key, own.shared_key, own.state) == (f"{second.job_id}:charge", "order-7", EffectState.CONFIRMED)
    other = started(ask, tenant="other")
    assert begin(ask, other, "r3", key="order-7").what is What.CALL


def test_of_many_jobs_that_want_one_business_key_one_calls(ask: Ask) -> None:
    for _ in range(6):
        ask.enqueued()
    leases = ask.leases(6)
    wants = [partial(begin, ask, lease, f"r{place}", key="k") for place, lease in enumerate(leases)]
    assert sorted(answer.what for answer in race(wants)) == [What.CALL] + [What.WAIT] * 5


def test_a_begin_of_a_script_that_fails_leaves_no_row(ask: Ask) -> None:
    lease = started(ask)

    def script() -> Script[None]:
        yield from begin_effect(ask.verbs, wish(lease))
        raise LookupError("the caller changes its mind")

    with pytest.raises(LookupError):
        ask.run(script())
    assert ledger(ask, lease.job_id) == []


# Operators


def settle(ask: Ask, job_id: str, said: Said = CONFIRMED, **more: Any) -> Settling:
    return ask.run(settle_effect(ask.verbs, job_id, "charge", said, who="ada", why="asked", **more)).happened


def test_an_operator_settles_an_uncertain_effect_with_an_audit_line(ask: Ask) -> None:
    lease = started(ask)
    finish(ask, lease, called(ask, lease), UNCLEAR)
    assert settle(ask, lease.job_id) is Settling.SETTLED
    (row,) = ledger(ask, lease.job_id)
    assert (row.state, row.result, row.settled_by) == (EffectState.CONFIRMED, CONFIRMED.result, "ada")
    (line,) = ask.run(ask.verbs.audit_lines(10))
    assert (line.verb, line.subject, line.tenant) == ("settle_effect", f"job {lease.job_id}", lease.tenant)
    assert line.why == "asked"
    assert settle(ask, lease.job_id, ABSENT) is Settling.NOT_OPEN
    assert len(ask.run(ask.verbs.audit_lines(10))) == 1


def test_a_call_on_its_way_is_not_settled_by_anybody(ask: Ask) -> None:
    lease = started(ask)
    called(ask, lease)
    assert settle(ask, lease.job_id) is Settling.IN_FLIGHT
    assert settle(ask, NOBODY) is Settling.UNKNOWN


def test_of_two_effects_of_one_name_the_operator_says_which(ask: Ask) -> None:
    lease = started(ask)
    for number in (1, 2):
        finish(ask, lease, called(ask, lease, request_id=f"r{number}", key=f"k{number}"), UNCLEAR)
    with pytest.raises(InvalidInput):
        settle(ask, lease.job_id)
    assert settle(ask, lease.job_id, key="k2") is Settling.SETTLED
    assert [row.state for row in ledger(ask, lease.job_id)] == ["uncertain", "confirmed"]


# Required effects


def needy(ask: Ask, **fields: Any) -> Lease:
    return started(ask, policy=Policy(effects=("charge",)), **fields)


@pytest.mark.parametrize(
    ("said", "can_ask", "state"),
    [
        (None, False, State.SCHEDULED),
        (ABSENT, False, State.SCHEDULED),
        (UNCLEAR, True, State.SCHEDULED),
        (UNCLEAR, False, State.FAILED),
        (CONFIRMED, False, State.SUCCEEDED),
    ],
)
@pytest.mark.parametrize("beside_a_claim", [False, True])
def test_a_job_succeeds_only_with_its_required_effects(
    ask: Ask, said: Said | None, can_ask: bool, state: State, beside_a_claim: bool
) -> None:
    lease = needy(ask)
    if said is not None:
        finish(ask, lease, called(ask, lease, can_ask=can_ask), said)
    if beside_a_claim:
        (answer,), _ = ask.run(complete_and_claim(ask.verbs, [done(lease, "1")], request()))
    else:
        answer = ask.answer(done(lease, "1"))
    assert answer.state is state
    job = ask.job(lease.job_id)
    assert (job.state, job.result) == (state, "1" if state is State.SUCCEEDED else None)
    assert job.last_error_code == (None if state is State.SUCCEEDED else "effects_unsettled")
    assert len(ask.history(lease.job_id)) == 1


def test_a_repeat_of_a_refused_completion_is_answered_as_one(ask: Ask) -> None:
    lease = needy(ask)
    first = ask.answer(done(lease))
    again = ask.answer(done(lease))
    assert (first.standing, again.standing, again.outcome) == ("done", "repeated", first.outcome)


def test_in_the_handlers_own_transaction_a_refused_completion_is_an_error(ask: Ask) -> None:
    lease = needy(ask)
    with pytest.raises(Exception, match="charge is missing"):
        ask.run(complete(ask.verbs, done(lease)))
    assert ask.job(lease.job_id).state is State.RUNNING
    finish(ask, lease, called(ask, lease))
    ask.run(complete(ask.verbs, done(lease, "1")))
    assert ask.job(lease.job_id).result == "1"
    with pytest.raises(LeaseLost):
        ask.run(complete(ask.verbs, done(lease, "1")))


def test_an_effect_found_by_asking_counts_for_the_job_that_asked(ask: Ask) -> None:
    first = needy(ask)
    called(ask, first, can_ask=True)
    second = lost(ask, first)
    begin(ask, second, "r2", can_ask=True, asked_of="r1", answered=happened('"ch_1"'))
    assert ask.answer(done(second)).state is State.SUCCEEDED


# Checkpoints


def save(ask: Ask, lease: Lease, name: str = "part", value: str = "1") -> None:
    ask.run(save_checkpoint(ask.verbs, lease.job_id, lease.token, name, value))


def test_checkpoints_are_handed_on_to_the_next_attempt(ask: Ask) -> None:
    first = started(ask)
    save(ask, first, "ü", '{"a":[1.0,12345678901234567890]}')
    save(ask, first, "part", "1")
    save(ask, first, "part", "2")
    second = lost(ask, first)
    found = ask.run(ask.verbs.checkpoints(second.job_id))
    assert [(row.name, row.value, row.attempt) for row in found] == [
        ("part", "2", 1), ("ü", '{"a":[1.0,12345678901234567890]}', 1),
    ]  # fmt: skip
    with pytest.raises(LeaseLost):
        save(ask, first, "part", "3")
    save(ask, second, "part", "4")
    assert ask.run(ask.verbs.checkpoints(second.job_id))[0].attempt == 2


def test_an_expired_lease_saves_no_checkpoint(ask: Ask) -> None:
    lease = started(ask)
    ask.clock.to(lease.lease_expires_at)
    with pytest.raises(LeaseLost):
        save(ask, lease)
    assert ask.run(ask.verbs.checkpoints(lease.job_id)) == []
    assert ask.run(ask.verbs.checkpoints("no id at all")) == []


# Retention


def test_a_ledger_lives_as_long_as_its_job_and_checkpoints_until_it_is_pruned(ask: Ask) -> None:
    lease = started(ask, idempotency_key="x")
    finish(ask, lease, called(ask, lease))
    save(ask, lease)
    ask.answer(done(lease))
    short, long = timedelta(seconds=10), timedelta(seconds=100)
    periods = Retention(succeeded=short, cancelled=short, failed=short, keys=long)
    ask.clock.advance(11)
    assert ask.run(ask.verbs.prune(periods, 10)) == 1
    assert ask.run(ask.verbs.checkpoints(lease.job_id)) == []
    assert len(ledger(ask, lease.job_id)) == 1
    ask.clock.advance(100)
    assert ask.run(ask.verbs.prune(periods, 10)) == 1
    assert ledger(ask, lease.job_id) == []
