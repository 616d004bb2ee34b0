"""FAULTS B78: claims while a snapshot keeps the entries of jobs that are gone."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tenure.stores.postgres import shortcuts
from tenure.stores.postgres.claim_wire import LeaseColumns, Step
from tenure.stores.postgres.shortcuts import Shortcuts
from tenure.stores.postgres.store import PostgresStore
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask, job_id, new

NOW = datetime(2026, 5, 1, tzinfo=UTC)
AGES = 30, 10, 20


def answered(spent: float = 0.2, *, lower: bool = False, taken: bool = True) -> Step:
    """What a claim of jobs that have been due for `AGES` seconds tells."""
    fields: dict[str, list[Any]] = {name: [] for name in LeaseColumns.__struct_fields__}
    fields["run_at"] = [NOW - timedelta(seconds=age) for age in AGES]
    return Step(
        now=NOW, priority=0, turns=["t"], rivals=False, lower=lower, spent=spent,
        leases=LeaseColumns(**fields) if taken else None,
    )  # fmt: skip


def test_after_a_slow_look_claims_begin_for_a_second_where_it_found_the_oldest_job() -> None:
    now = 100.0
    known = Shortcuts(lambda: now)
    assert known.since("q") is None
    known.note("q", answered())
    assert known.since("q") == NOW - timedelta(seconds=max(AGES)) - shortcuts.MARGIN
    assert known.since("other") is None
    now += shortcuts.HOLDS
    assert known.since("q") is None


@pytest.mark.parametrize(
    "step", [answered(0.01), answered(lower=True), answered(taken=False)], ids=["quick", "jobs below", "nothing taken"]
)
def test_every_other_look_leaves_claims_to_begin_at_the_beginning(step: Step) -> None:
    known = Shortcuts(lambda: 0.0)
    known.note("q", step)
    assert known.since("q") is None


@pytest.mark.postgres
def test_a_job_that_became_ready_behind_a_shortcut_is_claimed_at_the_next_look(
    own_postgres: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr(shortcuts, "SLOW", 0.0)
    monkeypatch.setattr(own_postgres.verbs, "_shortcuts", Shortcuts(lambda: now))
    ask = Ask(own_postgres, FakeClock())
    ask.enqueue(new(id=job_id()))
    assert len(ask.claimed(limit=1).leases) == 1

    early = own_postgres.run(own_postgres.verbs.now()) - timedelta(hours=1)
    (earlier,) = ask.enqueue(new(id=job_id(), run_at=early))
    (later,) = ask.enqueue(new(id=job_id()))
    assert [lease.job_id for lease in ask.claimed(limit=1).leases] == [later.job.id]
    assert ask.claimed(limit=1).leases == ()
    now += shortcuts.HOLDS
    assert [lease.job_id for lease in ask.claimed(limit=1).leases] == [earlier.job.id]
