"""The ledger's decisions, row by row, and its law: what must happen once never happens twice."""

from datetime import datetime
from random import Random
from typing import Any

import msgspec
import pytest

from tenure.core.job import Job, Policy
from tenure.core.lease import hash_token
from tenure.core.ledger import effects, settling
from tenure.core.ledger.effect import RESULT_REFUSED, Effect, EffectState, Said, over_at
from tenure.core.ledger.effects import Begin, What, Wish
from tenure.core.ledger.reconciling import Absent, Happened, Unknown, absent, happened, unknown
from tenure.core.ledger.required_effects import refusal
from tenure.core.ledger.settling import Settling
from tenure.core.outcomes import NotDone, Retry, Snooze, Terminal, Uncertain
from tenure.core.reports import Completion
from tests.core.making import NOW, at, running

CONFIRMED = Said(EffectState.CONFIRMED, '"ch_1"')
UNCLEAR = Said(EffectState.UNCERTAIN, error_code="unclear")
ABSENT = Said(EffectState.ABSENT)


def wish(**fields: Any) -> Wish:
    usual: dict[str, Any] = {"job_id": "j", "token": "token", "name": "charge", "request_id": "r2", "timeout": 12.0}
    return Wish(**usual | fields)


def begun(row: Effect | None, seconds: float = 0.0, job: Job | None = None, digest: str = "d", **said: Any) -> Begin:
    return effects.begin(row, job or attempt(2, seconds), wish(**said), digest, at(seconds))


def attempt(number: int, seconds: float = 0.0) -> Job:
    """The job in its `number`th attempt, begun just now."""
    return running(at(seconds), attempt=number, tries=number - 1, fencing_token=number)


def row(state: EffectState = EffectState.PENDING, **changes: Any) -> Effect:
    """Made by the first attempt at 0 s; its call is over at 12 s, and certainly at 14 s."""
    first = msgspec.structs.replace(attempt(1), lease_token="t1")
    made = effects.begin(None, first, wish(token="t1", request_id="r1"), "d", NOW)
    assert made.what is What.CALL
    assert made.effect is not None
    return msgspec.structs.replace(made.effect, **{"state": state} | changes)


def test_the_first_call_is_on_record_before_it_is_made() -> None:
    made = begun(None, job=attempt(1)).effect
    assert made is not None
    assert (made.key, made.state, made.tries, made.revision) == ("j:charge", EffectState.PENDING, 1, 0)
    assert (made.call_ends_by, over_at(made)) == (at(12), at(14))
    assert made.token_hash == hash_token("token")


def called(row: Effect | None, job: Job, **said: Any) -> Effect:
    """The row after another call by this attempt."""
    made = begun(row, job=job, **said)
    assert made.what is What.CALL
    assert made.effect is not None
    return made.effect


def not_done(row: Effect) -> Effect:
    ended = settling.finish(row, "token", row.request_id, ABSENT, NOW)
    assert ended is not None
    return ended


@pytest.mark.parametrize("ends", [{"tries": 1}, {"tries": 0, "throttles": 1}, {"tries": 0, "snoozes": 1}])
def test_the_calls_of_an_effect_within_and_over_attempts_are_as_many_as_the_job_has_tries(ends: dict[str, int]) -> None:
    first, second = attempt(1), msgspec.structs.replace(attempt(2), **ends)
    row = not_done(called(None, first, request_id="r1"))
    row = not_done(called(row, first, request_id="r2"))
    free = 1 - ends["tries"]
    for number in range(3, 5 + free):
        row = not_done(called(row, second, request_id=f"r{number}"))
    assert (row.tries, first.max_attempts) == (4 + free, 4)
    assert begun(row, job=second, request_id="r9").what is What.SPENT
    assert begun(row, job=msgspec.structs.replace(second, attempt=3, tries=2), request_id="r9").what is What.SPENT


def test_a_redrive_gives_the_calls_of_an_effect_anew() -> None:
    spent = msgspec.structs.replace(not_done(called(None, attempt(1))), tries=4)
    assert begun(spent, job=attempt(2), request_id="r9").what is What.SPENT
    redriven = msgspec.structs.replace(attempt(2), tries=0)
    assert called(spent, redriven, request_id="r9").tries == 1


def test_a_call_too_many_of_what_may_have_happened_leaves_it_uncertain() -> None:
    spent = row(tries=4)
    given_up = begun(spent, job=attempt(2), idempotent=True)
    assert given_up.what is What.UNCERTAIN
    assert given_up.effect is not None
    assert given_up.effect.state is EffectState.UNCERTAIN


@pytest.mark.parametrize("state", [EffectState.PENDING, EffectState.UNCERTAIN])
def test_a_repeated_call_cannot_tell_that_the_one_before_did_not_happen(state: EffectState) -> None:
    again = called(row(state), attempt(2), idempotent=True, request_id="r2")
    ended = settling.finish(again, "token", "r2", ABSENT, NOW)
    assert ended is not None
    assert (ended.state, ended.error_code) == (EffectState.UNCERTAIN, "earlier_call_unclear")
    assert settling.finish(ended, "token", "r2", ABSENT, NOW) == ended
    confirmed = settling.finish(again, "token", "r2", CONFIRMED, NOW)
    assert confirmed is not None
    assert (confirmed.state, confirmed.error_code) == (EffectState.CONFIRMED, None)


@pytest.mark.parametrize(
    ("state", "seconds", "said", "what"),
    [
        (EffectState.ABSENT, 1, {}, What.CALL),
        (EffectState.CONFIRMED, 1, {}, What.STORED),
        (EffectState.CONFIRMED, 1, {"idempotent": True}, What.STORED),
        (EffectState.PENDING, 1, {"idempotent": True}, What.CALL),
        (EffectState.UNCERTAIN, 1, {"idempotent": True}, What.CALL),
        (EffectState.PENDING, 13, {}, What.WAIT),
        (EffectState.UNCERTAIN, 13, {"can_ask": True}, What.WAIT),
        (EffectState.PENDING, 14, {}, What.UNCERTAIN),
        (EffectState.UNCERTAIN, 14, {}, What.UNCERTAIN),
        (EffectState.PENDING, 14, {"can_ask": True}, What.ASK),
        (EffectState.PENDING, 13, {"can_ask": True, "asked_of": "r1", "answered": absent}, What.WAIT),
        (EffectState.PENDING, 14, {"can_ask": True, "asked_of": "r1", "answered": absent}, What.CALL),
        (EffectState.PENDING, 14, {"can_ask": True, "asked_of": "r1", "answered": happened("1")}, What.STORED),
        (EffectState.PENDING, 14, {"can_ask": True, "asked_of": "r1", "answered": unknown}, What.UNCERTAIN),
        (EffectState.PENDING, 14, {"can_ask": True, "asked_of": "r0", "answered": absent}, What.ASK),
    ],
)
def test_what_a_later_attempt_does_follows_the_table(
    state: EffectState, seconds: float, said: dict[str, Any], what: What
) -> None:
    assert begun(row(state), seconds, **said).what is what


@pytest.mark.parametrize("state", [EffectState.PENDING, EffectState.CONFIRMED, EffectState.UNCERTAIN])
def test_other_arguments_under_one_key_are_a_conflict(state: EffectState) -> None:
    assert begun(row(state), 20, digest="other").what is What.CONFLICT


def test_what_is_known_to_be_absent_may_be_wanted_with_other_arguments() -> None:
    again = begun(row(EffectState.ABSENT), digest="other")
    assert again.what is What.CALL
    assert again.effect is not None
    assert (again.effect.args_digest, again.effect.tries) == ("other", 2)


@pytest.mark.parametrize("job", [None, running(lease_token="other"), running(lease_expires_at=NOW)])
def test_without_a_live_lease_nothing_begins(job: Job | None) -> None:
    assert effects.begin(None, job, wish(), "d", NOW).what is What.LOST


@pytest.mark.parametrize(("left", "what"), [(14.0, What.NEEDS_LEASE), (14.1, What.CALL)])
def test_a_call_begins_only_within_its_lease(left: float, what: What) -> None:
    assert begun(None, job=running(lease_expires_at=at(left))).what is what


def test_a_stored_result_needs_no_lease_for_a_call() -> None:
    assert begun(row(EffectState.CONFIRMED), job=running(lease_expires_at=at(1))).what is What.STORED


def test_a_begin_whose_answer_was_lost_is_answered_with_the_same_row() -> None:
    first = begun(None).effect
    again = begun(first, 5)
    assert (again.what, again.effect) == (What.CALL, first)


def test_a_reconciled_effect_belongs_to_who_asked() -> None:
    stored = begun(row(), 14, can_ask=True, asked_of="r1", answered=Happened("1")).effect
    assert stored is not None
    assert (stored.state, stored.result, stored.settled_by) == (EffectState.CONFIRMED, "1", "reconcile")
    assert (stored.attempt, stored.revision) == (2, 1)
    assert settling.finish(stored, "t1", "r1", ABSENT, at(15)) is None


@pytest.mark.parametrize("said", [CONFIRMED, UNCLEAR, ABSENT])
def test_an_attempt_tells_how_its_call_ended_also_without_its_lease(said: Said) -> None:
    ended = settling.finish(row(), "t1", "r1", said, at(500))
    assert ended is not None
    assert (ended.state, ended.result, ended.revision) == (said.state, said.result, 1)
    assert settling.finish(ended, "t1", "r1", said, at(501)) == ended


@pytest.mark.parametrize(("token", "request_id"), [("t2", "r1"), ("t1", "r0")])
def test_nobody_tells_how_the_call_of_another_ended(token: str, request_id: str) -> None:
    assert settling.finish(row(), token, request_id, CONFIRMED, NOW) is None


def test_what_another_attempt_gave_up_as_uncertain_is_closed_to_the_first() -> None:
    given_up = begun(row(), 14).effect
    assert given_up is not None
    assert given_up.state is EffectState.UNCERTAIN
    assert settling.finish(given_up, "t1", "r1", CONFIRMED, at(15)) is None


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (NotDone(), EffectState.ABSENT),
        (Retry(), EffectState.ABSENT),
        (Terminal("declined"), EffectState.ABSENT),
        (Snooze(5), EffectState.ABSENT),
        (Uncertain(), EffectState.UNCERTAIN),
        (KeyError(), EffectState.ABSENT),
        (ConnectionError(), EffectState.UNCERTAIN),
        (TimeoutError(), EffectState.UNCERTAIN),
        (SystemExit(), EffectState.UNCERTAIN),
    ],
)
def test_only_a_word_that_nothing_happened_makes_an_effect_absent(error: BaseException, state: EffectState) -> None:
    assert settling.came_back(error, [LookupError]) is state


def test_a_business_key_that_another_job_confirmed_stands_in_the_own_list() -> None:
    theirs = row(EffectState.CONFIRMED, key="order-7", job_id="other", result="1")
    own = effects.shared(theirs, attempt(1), wish(key="order-7"), at(3))
    assert own is not None
    assert (own.key, own.job_id, own.shared_key, own.result) == ("j:charge", "j", "order-7", None)
    assert effects.shared(row(EffectState.CONFIRMED), attempt(1), wish(), at(3)) is None


@pytest.mark.parametrize(
    ("state", "seconds", "answer"),
    [
        (EffectState.PENDING, 13, Settling.IN_FLIGHT),
        (EffectState.PENDING, 14, Settling.SETTLED),
        (EffectState.UNCERTAIN, 0, Settling.SETTLED),
        (EffectState.CONFIRMED, 14, Settling.NOT_OPEN),
        (EffectState.ABSENT, 14, Settling.NOT_OPEN),
    ],
)
def test_an_operator_settles_what_nobody_knows(state: EffectState, seconds: float, answer: Settling) -> None:
    happened_so, settled = settling.settle(row(state), CONFIRMED, "ada", at(seconds))
    assert happened_so is answer
    if answer is Settling.SETTLED:
        assert (settled.state, settled.result, settled.settled_by) == (EffectState.CONFIRMED, '"ch_1"', "ada")


def test_a_result_that_could_not_be_kept_can_be_told_by_an_operator() -> None:
    lost = row(EffectState.CONFIRMED, error_code=RESULT_REFUSED)
    assert settling.settle(lost, ABSENT, "ada", at(14))[0] is Settling.NOT_OPEN
    told = settling.settle(lost, CONFIRMED, "ada", at(14))[1]
    assert (told.result, told.error_code) == ('"ch_1"', None)


# Required effects


def required(*names: str) -> Job:
    return running(policy=Policy(effects=names))


@pytest.mark.parametrize(
    ("rows", "error_class"),
    [
        ([], "retryable"),
        ([row(EffectState.ABSENT)], "retryable"),
        ([row(EffectState.UNCERTAIN, can_settle=True)], "retryable"),
        ([row(EffectState.UNCERTAIN)], "uncertain"),
        ([row(EffectState.PENDING)], "uncertain"),
        ([row(EffectState.CONFIRMED), row(EffectState.ABSENT, key="k2")], "retryable"),
        ([row(EffectState.CONFIRMED)], None),
    ],
)
def test_a_success_without_its_effects_is_refused(rows: list[Effect], error_class: str | None) -> None:
    said = refusal(required("charge"), rows, Completion("j", "token", "1"))
    assert (None if said is None else said.error_class) == error_class
    if said is not None:
        assert (said.code, said.verb) == ("effects_unsettled", "complete")
        assert "charge is" in said.error


def test_a_job_that_requires_nothing_succeeds_whatever_its_ledger_holds() -> None:
    assert refusal(running(), [row(EffectState.UNCERTAIN)], Completion("j", "token")) is None


# The law


class Outside:
    """A service that is told the key: it may act late, but never after the call is certainly over."""

    def __init__(self) -> None:
        self.acts = 0
        self.late: list[datetime] = []

    def look(self, now: datetime) -> None:
        self.acts += sum(when <= now for when in self.late)
        self.late = [when for when in self.late if when > now]


def test_no_sequence_of_crashes_answers_and_clocks_makes_a_plain_effect_happen_twice() -> None:
    for seed in range(3000):
        walk(Random(seed))


def walk(chance: Random) -> None:
    """Attempts that die at every point, one after the other and at times side by side, against one outside."""
    outside, clock, stored = Outside(), 0.0, None
    can_ask = chance.random() < 0.6
    dangling: list[tuple[str, str, Said]] = []
    for number in range(1, 9):
        job = msgspec.structs.replace(attempt(number, clock), lease_token=f"t{number}")
        stored, clock, left = one_attempt(chance, outside, stored, job, clock, can_ask)
        dangling += left
        if dangling and chance.random() < 0.3:
            token, request_id, said = dangling.pop()
            stored = settling.finish(stored, token, request_id, said, at(clock)) or stored
        clock += chance.choice((0.0, 1.0, 13.0, 20.0))
    outside.look(at(clock + 100))
    assert outside.acts <= 1
    if stored is not None and stored.state is EffectState.CONFIRMED:
        assert outside.acts == 1


def one_attempt(
    chance: Random, outside: Outside, stored: Effect | None, job: Job, clock: float, can_ask: bool
) -> tuple[Effect | None, float, list[tuple[str, str, Said]]]:
    said: dict[str, Any] = {"token": job.lease_token, "request_id": f"r{job.attempt}", "can_ask": can_ask}
    answer = effects.begin(stored, job, wish(**said), "d", at(clock))
    if answer.what is What.ASK and answer.effect is not None:
        outside.look(at(clock))
        told = Happened("1") if outside.acts else chance.choice((Absent(), Unknown()))
        said |= {"asked_of": answer.effect.request_id, "answered": told}
        answer = effects.begin(stored, job, wish(**said), "d", at(clock))
    if answer.what is not What.CALL:
        return answer.effect, clock, []
    stored = answer.effect
    acts_after = chance.choice((None, 0.0, 5.0, 13.9))
    if acts_after is not None:
        outside.late.append(at(clock + acts_after))
    clock += chance.choice((0.0, 5.0, 12.0))
    outside.look(at(clock))
    tells = UNCLEAR if acts_after != 0.0 and acts_after is not None else CONFIRMED if acts_after == 0.0 else ABSENT
    word = (f"t{job.attempt}", f"r{job.attempt}", chance.choice((tells, UNCLEAR)))
    if chance.random() < 0.5:
        return stored, clock, [word]
    return settling.finish(stored, *word, at(clock)) or stored, clock, []
