"""Supersession as pure decisions: who gives way, when the newer job runs, and how a burst ends."""

from datetime import timedelta

import msgspec
import pytest

from tenure.core import intake, transitions
from tenure.core.attempt import ErrorClass
from tenure.core.errors import InvalidInput
from tenure.core.flow import supersession
from tenure.core.flow.newer_job import NewerJob
from tenure.core.flow.supersession_policy import EXCLUDED, NO_KEY, TOO_SHORT, checked_supersession, for_job, with_waits
from tenure.core.job import Job, NewJob, Policy
from tenure.core.reports import Completion, Release, Report, Snoozing
from tenure.core.states import State
from tests.core.making import GRANT, NOW, applied, at, failure

DEBOUNCED = Policy(debounce=30.0)


def newer(job_id: str = "new", key: str = "k", **fields: object) -> NewerJob:
    return NewerJob(id=job_id, kind="k", payload="1", args_digest="d", supersession_key=key, **fields)  # type: ignore[arg-type]


def row(job_id: str = "old", seconds: float = 0.0, **fields: object) -> Job:
    (new,) = supersession.step([newer(job_id, **fields)], [], at(seconds)).new
    return intake.row(new, 1, at(seconds))


def replacing(older: Job, seconds: float, **fields: object) -> NewerJob:
    """What comes `seconds` after NOW."""
    (new,) = supersession.step([newer(**fields)], [older], at(seconds)).new
    return new


def test_the_older_one_that_waits_is_cancelled_and_names_the_newer() -> None:
    step = supersession.step([newer()], [row()], at(5))
    ((move,), (new,)) = step.superseded, step.new
    assert (move.after.state, move.after.end_code, move.after.superseded_by) == (State.CANCELLED, "superseded", "new")
    assert (new.supersedes, new.superseded_by) == ("old", None)


def test_of_a_batch_the_last_of_each_key_stands() -> None:
    step = supersession.step([newer("1"), newer("2", "other"), newer("3")], [row()], at(5))
    assert [move.after.superseded_by for move in step.superseded] == ["3"]
    assert [(new.id, new.superseded_by, new.supersedes) for new in step.new] == [
        ("1", "3", None), ("2", None, None), ("3", None, "old"),
    ]  # fmt: skip
    first = intake.row(step.new[0], 7, at(5))
    assert (first.state, first.end_code, first.superseded_by, first.ended_at) == (
        State.CANCELLED, "superseded", "3", at(5),
    )  # fmt: skip


def test_a_job_that_is_due_at_once_keeps_the_place_in_line_of_the_one_that_gave_way() -> None:
    assert replacing(row(), 50).run_at == NOW
    assert replacing(row(delay=90.0), 50).run_at == at(50)
    assert replacing(row(), 50, delay=7.0).run_at == at(57)
    assert replacing(row(), 50, run_at=at(99)).run_at == at(99)


def test_a_debounced_job_waits_until_no_newer_one_has_come_for_that_long() -> None:
    older = row(policy=DEBOUNCED)
    assert older.run_at == at(30)
    new = replacing(older, 20, policy=DEBOUNCED)
    assert (new.run_at, new.burst_at) == (at(50), NOW)


def test_a_burst_ends_at_its_longest_wait_after_its_first_job() -> None:
    policy = Policy(debounce=30.0, max_wait=45.0)
    older = row(policy=policy)
    for seconds in (10, 20, 30, 40, 60):
        new = replacing(older, seconds, policy=policy)
        assert new.run_at == min(at(seconds + 30), at(45))
        older = intake.row(msgspec.structs.replace(new, id=f"at {seconds}"), seconds, at(seconds))
    assert older.state is State.READY


def test_one_that_is_put_off_since_its_queue_is_full_waits_that_long() -> None:
    (new,) = supersession.step([newer(policy=DEBOUNCED, run_at=at(70))], [], NOW).new
    assert new.run_at == at(70)
    (slot,) = supersession.step([newer(policy=DEBOUNCED, run_at=at(-5))], [], NOW).new
    assert slot.run_at == at(30)


def test_ten_debounces_are_the_longest_wait_where_none_is_said() -> None:
    assert supersession.longest_wait(DEBOUNCED) == 300.0
    older = msgspec.structs.replace(row(policy=DEBOUNCED), burst_at=at(-280))
    assert replacing(older, 0, policy=DEBOUNCED).run_at == at(20)


def test_what_was_begun_had_its_turn_and_a_new_burst_begins() -> None:
    older = row(policy=DEBOUNCED)
    running = transitions.claim(msgspec.structs.replace(older, state=State.READY), at(30), GRANT).after
    retried = transitions.fail(running, at(40), failure()).after
    assert replacing(retried, 45, policy=DEBOUNCED).burst_at == at(45)
    undelivered = transitions.release(running, at(31), Release(job_id="old", token="token", begun=False)).after
    assert replacing(undelivered, 45, policy=DEBOUNCED).burst_at == NOW


@pytest.mark.parametrize(
    "report",
    [
        failure(), failure(ErrorClass.TERMINAL), failure(ErrorClass.UNCERTAIN), failure(ErrorClass.THROTTLED),
        failure(ErrorClass.UNKNOWN), failure(ErrorClass.CANCEL), Release(job_id="j", token="token", begun=True),
        Release(job_id="j", token="token", begun=False), Snoozing(job_id="j", token="token", delay=5.0),
    ],
)  # fmt: skip
def test_a_running_job_that_knows_of_a_newer_one_ends_superseded_unless_it_completes(report: Report) -> None:
    running = msgspec.structs.replace(transitions.claim(row(), NOW, GRANT).after, superseded_by="new")
    ended = transitions.end(running, at(1), report).after
    assert (ended.state, ended.end_code, ended.superseded_by) == (State.CANCELLED, "superseded", "new")
    assert transitions.end(running, at(1), Completion("j", "token")).after.state is State.SUCCEEDED


def test_a_lost_lease_and_a_missed_deadline_do_not_bring_it_back_and_a_cancel_comes_first() -> None:
    running = msgspec.structs.replace(transitions.claim(row(deadline=at(10)), NOW, GRANT).after, superseded_by="new")
    assert transitions.expire(running, at(100), 0.5).after.end_code == "superseded"
    asked = msgspec.structs.replace(running, cancel_requested_at=at(1))
    assert transitions.fail(asked, at(2), failure()).after.end_code == "cancelled"


def test_a_failed_job_that_has_a_newer_one_stays_failed_and_is_not_redriven() -> None:
    running = transitions.claim(row(), NOW, GRANT).after
    failed = transitions.fail(running, at(1), failure(ErrorClass.TERMINAL)).after
    assert supersession.stands(failed)
    (move,) = supersession.step([newer()], [failed], at(5)).superseded
    assert (move.after.state, move.after.end_code, move.after.superseded_by) == (State.FAILED, "e", "new")
    assert transitions.redrive(move.after, at(6)) is None
    assert not supersession.stands(move.after)
    assert applied(transitions.redrive(failed, at(6))).state is State.READY


def test_members_make_the_key_and_one_that_is_left_out_counts_as_null() -> None:
    def key(sent: dict[str, object], *members: str) -> str:
        return supersession.key_of(b"secret", "k", members, sent)

    assert key({"a": 1, "b": 2}, "a") == key({"a": 1, "b": 3}, "a") != key({"a": 2}, "a")
    assert key({}, "a") == key({"a": None}, "a")
    assert key({"a": 1}) == key({"b": 2})
    assert "acct" not in key({"a": "acct"}, "a")


def test_a_job_under_a_key_is_otherwise_the_same_job() -> None:
    plain = NewJob(id="j", kind="k", payload="1", args_digest="d", tags=("a",), policy=DEBOUNCED)
    keyed = supersession.newer(plain, "key")
    assert keyed.supersession_key == "key"
    assert all(getattr(keyed, name) == getattr(plain, name) for name in NewJob.__struct_fields__)


@pytest.mark.parametrize(
    ("said", "field", "code"),
    [
        (Policy(debounce=3.0), "debounce", NO_KEY),
        (Policy(max_wait=3.0), "max_wait", NO_KEY),
        (Policy(supersede_by=(), max_wait=3.0), "max_wait", "invalid_input"),
        (Policy(supersede_by=(), debounce=5.0, max_wait=3.0), "max_wait", TOO_SHORT),
        (Policy(supersede_by="account", debounce=5.0), "supersede_by", "invalid_input"),  # type: ignore[arg-type]
        (Policy(supersede_by=tuple("abcdefghijklmnopqrstu")), "supersede_by", "too_large"),
    ],
)
def test_a_declaration_that_cannot_work_is_refused_by_its_field(said: Policy, field: str, code: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        checked_supersession(said, Policy())
    assert (refused.value.field, refused.value.code) == (field, code)


def test_one_job_may_say_its_own_key_and_waits() -> None:
    def said(policy: Policy, **fields: object) -> tuple[Policy, bool]:
        return for_job(
            policy,
            **({"key": None, "supersede": None, "debounce": None, "max_wait": None, "has_time": False} | fields),  # type: ignore[arg-type]
        )

    kind = Policy(supersede_by=(), debounce=30.0)
    assert said(Policy()) == (Policy(), False)
    assert said(Policy(), key="mine") == (Policy(), True)
    assert said(kind) == (kind, True)
    assert said(kind, debounce=0, has_time=True)[0].debounce is None
    assert said(kind, debounce=timedelta(seconds=5), max_wait=60)[0].debounce == 5.0
    for wrong, field, code in (
        ({"debounce": 3}, "debounce", NO_KEY), ({"supersede": "latest"}, "supersede", NO_KEY),
        ({"max_wait": 3}, "max_wait", NO_KEY),
    ):  # fmt: skip
        with pytest.raises(InvalidInput) as refused:
            said(Policy(), **wrong)
        assert (refused.value.field, refused.value.code) == (field, code)
    with pytest.raises(InvalidInput) as refused:
        said(kind, has_time=True)
    assert (refused.value.field, refused.value.code) == ("debounce", EXCLUDED)


def test_no_debounce_takes_the_longest_wait_away_with_it() -> None:
    assert with_waits(Policy(debounce=5.0, max_wait=9.0), 0, None) == Policy()
