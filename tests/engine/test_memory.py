"""What a process of ours does with its memory."""

import gc

import pytest

from tenure.engine import memory


def test_memory_is_told_in_bytes() -> None:
    assert memory.resident() > 1 << 20


def test_what_was_freed_is_given_back_once_a_minute_and_only_after_growth(monkeypatch: pytest.MonkeyPatch) -> None:
    trims: list[float] = []
    size = 100 << 20
    monkeypatch.setattr(memory, "_of_glibc", {"malloc_trim": trims.append}.get)
    monkeypatch.setattr(memory, "resident", lambda: size)
    free = memory.FreeMemory()
    for now in (0.0, 59.0, 60.0):
        free.give_back(now)
    assert len(trims) == 1
    size = 120 << 20
    for now in (119.0, 120.0, 121.0):
        free.give_back(now)
    assert len(trims) == 2


def test_a_system_that_keeps_nothing_back_is_asked_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_of_glibc", lambda _name: None)
    monkeypatch.setattr(memory, "resident", lambda: pytest.fail("nobody needs to know"))
    memory.FreeMemory().give_back(0.0)


def test_a_worker_that_settles_keeps_to_two_heaps(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(memory, "_of_glibc", {"mallopt": lambda *said: asked.append(said)}.get)
    monkeypatch.setattr(gc, "freeze", lambda: None)
    memory.settle()
    assert asked == [(-8, 2)]


def test_a_process_that_leaves_no_rings_has_them_looked_for_seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[tuple[int, ...]] = []
    monkeypatch.setattr(gc, "set_threshold", lambda *values: said.append(values))
    memory.expect_no_rings()
    assert said == [(10_000, *gc.get_threshold()[1:])]
