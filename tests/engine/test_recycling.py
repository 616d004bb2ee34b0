"""When a worker asks to be replaced."""

import pytest

from tenure.engine import recycling
from tenure.engine.options import WorkerOptions
from tenure.engine.recycling import why_recycle


def why(*, done: int = 0, age: float = 0.0, leaked: int = 0, **options: object) -> str | None:
    return why_recycle(WorkerOptions(**options), done=done, age=age, leaked=leaked)  # type: ignore[arg-type]


def test_a_worker_recycles_after_its_jobs_its_age_or_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recycling, "resident", lambda: 2_000_000)
    assert why(done=9, recycle_jobs=10) is None
    assert why(done=10, recycle_jobs=10) == "10 jobs done"
    assert why(age=59.0, recycle_age=60.0) is None
    assert why(age=60.0, recycle_age=60.0) == "60 s old"
    assert why(recycle_memory=2_000_001) is None
    assert why(recycle_memory=2_000_000) == "2,000,000 bytes of memory"


def test_half_the_slots_stuck_are_too_many_unless_said() -> None:
    assert why(leaked=4, slots=10) is None
    assert why(leaked=5, slots=10) == "5 slots stuck in handlers that do not return"
    assert why(leaked=2, slots=10, leak_limit=2) is not None


def test_a_limit_of_no_leaks_recycles_at_the_first_one_and_not_before() -> None:
    assert why(leaked=0, leak_limit=0) is None
    assert why(leaked=1, leak_limit=0) is not None


def test_without_a_limit_nothing_recycles() -> None:
    assert why(done=10**9, age=1e9) is None
