"""Dead letters by cause, on every store."""

import pytest

from tenure.core.attempt import ErrorClass
from tenure.core.claim import Ability
from tenure.core.job_filter import JobFilter
from tenure.core.kind import Kind
from tenure.operations.failures import failures
from tests.conformance.asking import Ask, failed
from tests.operations.dead_letters import dead, work

EVERY = JobFilter()


def failing(ask: Ask, code: str, error: str) -> str:
    """One job that fails with these words."""
    job = ask.enqueued()
    ask.answer(failed(ask.lease(), ErrorClass.TERMINAL, code, error=error))
    ask.clock.advance(1)
    return job


def test_what_failed_together_is_one_group_with_its_first_and_last_error_and_its_remedy(ask: Ask) -> None:
    kind = Kind(name="k", remedies={"smtp_down": "look at the relay", "other": "…"})
    ask.run(ask.verbs.put_kinds([kind], replace=True))
    start = ask.clock()
    first = failing(ask, "smtp_down", "refused")
    middle = [failing(ask, "smtp_down", "reset") for _ in range(5)]
    last = failing(ask, "smtp_down", "timed out")
    other = failing(ask, "bounced", "no such mailbox")
    found = ask.run(failures(ask.verbs, EVERY))
    assert (found.read, found.at_least) == (8, False)
    big, small = found.groups
    assert (big.kind, big.code, big.version, big.jobs, big.remedy) == ("k", "smtp_down", 1, 7, "look at the relay")
    assert (big.first.job_id, big.first.at, big.first.message) == (first, start, "refused")
    assert (big.last.job_id, big.last.message) == (last, "timed out")
    assert big.samples == (last, *middle[:0:-1])
    assert (small.code, small.jobs, small.remedy, small.samples) == ("bounced", 1, None, (other,))


def test_what_succeeded_or_was_cancelled_is_no_failure(ask: Ask) -> None:
    ask.enqueued()
    work(ask, lambda _lease: None)
    ask.cancel(ask.enqueued())
    assert ask.run(failures(ask.verbs, EVERY)).groups == ()


def test_a_scope_and_a_filter_narrow_what_is_counted(ask: Ask) -> None:
    dead(ask, 2, tenant="a")
    dead(ask, 3, tenant="b")
    dead(ask, 1, "bounced", kind="mail", tenant="a")
    groups = ask.run(failures(ask.verbs, JobFilter(tenants=("a",)))).groups
    assert [(group.code, group.jobs) for group in groups] == [("smtp_down", 2), ("bounced", 1)]
    assert ask.run(failures(ask.verbs, JobFilter(kinds=("pdf",)))).groups == ()


def test_a_bounded_look_says_that_there_is_more(ask: Ask) -> None:
    dead(ask, 3)
    dead(ask, 3, "bounced")
    some = ask.run(failures(ask.verbs, EVERY, most_read=4))
    assert (some.read, some.at_least, sum(group.jobs for group in some.groups)) == (4, True, 4)
    one = ask.run(failures(ask.verbs, EVERY, most_groups=1))
    assert (one.read, one.at_least, len(one.groups)) == (6, True, 1)
    whole = ask.run(failures(ask.verbs, EVERY, most_read=6))
    assert not whole.at_least


def test_handler_versions_are_groups_of_their_own(ask: Ask) -> None:
    dead(ask, 1)
    ask.run(ask.verbs.put_kinds([Kind(name="k", versions=(1, 2))], replace=True))
    job = ask.enqueued(version=2)
    ask.answer(failed(ask.lease(abilities=(Ability("k", 2, 2),)), ErrorClass.TERMINAL, "smtp_down"))
    groups = ask.run(failures(ask.verbs, EVERY)).groups
    assert sorted(group.version for group in groups) == [1, 2]
    assert ask.job(job).version == 2


def test_remedies_are_replaced_with_the_kind_and_kept_by_a_producer_that_only_adds_a_version(ask: Ask) -> None:
    ask.run(ask.verbs.put_kinds([Kind(name="k", remedies={"a": "ü"})], replace=False))
    ask.run(ask.verbs.put_kinds([Kind(name="k", versions=(2,), remedies={"b": "x"})], replace=False))
    assert ask.run(ask.verbs.kinds())["k"].remedies == {"a": "ü"}
    ask.run(ask.verbs.put_kinds([Kind(name="k", remedies={"b": "x"})], replace=True))
    assert ask.run(ask.verbs.kinds())["k"].remedies == {"b": "x"}


def test_a_row_that_cannot_be_read_whole_breaks_no_answer(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first and last job of a group are asked for their error alone."""
    first, last = failing(ask, "smtp_down", "refused"), failing(ask, "smtp_down", "timed out")

    def damaged(_ids: object) -> None:
        raise ValueError("the row cannot be read")

    monkeypatch.setattr(ask.verbs, "read", damaged)
    (group,) = ask.run(failures(ask.verbs, EVERY)).groups
    assert [(met.job_id, met.message) for met in (group.first, group.last)] == [(first, "refused"), (last, "timed out")]
