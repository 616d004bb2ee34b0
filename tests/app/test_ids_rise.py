"""Ids are UUIDv7 and rise within a process, whatever the clock does."""

import os
import threading
import uuid
from collections.abc import Iterator

import pytest

from tenure.app.submitting.ids import TAIL_BITS, Ids, new_id, uuid7


def test_the_text_holds_time_version_and_variant() -> None:
    made = uuid.UUID(uuid7(0x0123456789AB, (1 << TAIL_BITS) - 1))
    assert str(made) == "01234567-89ab-7fff-bfff-ffffffffffff"
    assert made.version == 7
    assert made.variant == uuid.RFC_4122


def test_ids_of_one_millisecond_rise() -> None:
    ids = Ids(lambda: 5, lambda bits: 1)
    made = [ids() for _ in range(1000)]
    assert made == sorted(set(made))
    assert {text[:13] for text in made} == {"00000000-0005"}


def test_ids_rise_when_the_clock_goes_back() -> None:
    clock: Iterator[int] = iter([9, 4, 2, 9, 10])
    ids = Ids(lambda: next(clock), lambda bits: 0)
    made = [ids() for _ in range(5)]
    assert made == sorted(set(made))


def test_a_full_tail_moves_to_the_next_millisecond() -> None:
    chances = iter([(1 << TAIL_BITS) - 1, 0, 3])
    ids = Ids(lambda: 5, lambda bits: next(chances))
    first, second = ids(), ids()
    assert first < second
    assert second.startswith("00000000-0006-7")


def test_threads_share_no_id() -> None:
    made: list[str] = []
    threads = [threading.Thread(target=lambda: made.extend(new_id() for _ in range(500))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 2000


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform does not fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_makes_other_ids_than_its_parent() -> None:
    new_id()
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.write(writer, new_id().encode())
        os._exit(0)
    mine = new_id()
    os.wait()
    child = os.read(reader, 36).decode()
    os.close(reader)
    os.close(writer)
    assert child[-12:] != mine[-12:]
