"""What children print is logged without the secrets of the attempt that printed it, however late it is read."""

import logging
import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import IO

import pytest

from tenure.core.secrecy.secret_fields import SecretFields
from tenure.core.states import State
from tenure.engine.attempts import children
from tenure.engine.attempts.child_output import END, LINE, Output
from tenure.engine.attempts.run import Run
from tests.conformance.asking import Ask
from tests.engine.apps import of_kind
from tests.engine.workshop import Desk, OpenWorkshop

FIELDS = SecretFields(("pin",))


class Reader(logging.Handler):
    """Notes what is logged of children; holds up whoever logs until it may go on."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.may_go_on = threading.Event()

    def emit(self, record: logging.LogRecord) -> None:
        if record.getMessage().startswith("child"):
            self.may_go_on.wait(60)
            self.lines.append(record.getMessage().partition(": ")[2])


@pytest.fixture
def reader() -> Iterator[Reader]:
    log = logging.getLogger("tenure.engine")
    reading, level = Reader(), log.level
    log.addHandler(reading)
    log.setLevel(logging.INFO)
    yield reading
    reading.may_go_on.set()
    log.removeHandler(reading)
    log.setLevel(level)


@pytest.fixture
def pipe() -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    receiving, sending = os.pipe()
    with os.fdopen(sending, "wb", buffering=0) as printing:
        yield os.fdopen(receiving, "rb"), printing


def run_with(ask: Ask, desk: Desk, pin: str) -> Run:
    ask.enqueued(payload=f'{{"pin":"{pin}"}}')
    (run,) = desk.claim()
    run.keep_secret(FIELDS)
    return run


def test_an_attempt_is_over_when_the_mark_behind_its_output_is_read(
    ask: Ask, desk: Desk, reader: Reader, pipe: tuple[IO[bytes], IO[bytes]]
) -> None:
    reader.may_go_on.set()
    received, printed = pipe
    output = Output(1, received, 1000, lambda: None)
    output.begin(run_with(ask, desk, "hunter2"))
    printed.write(b"it is hunter2\nno end of a line: hunter2")
    assert not output.wait_read(0)
    printed.write(END)
    assert output.wait_read(60)
    output.begin(run_with(ask, desk, "swordfish"))
    assert not output.wait_read(0)
    printed.write(b"it is swordfish\n\n" + END)
    assert output.wait_read(60)
    assert reader.lines == ["it is •••", "no end of a line: •••", "it is •••", ""]


@pytest.mark.parametrize("before", range(0, 16, 3))
def test_a_secret_is_hidden_where_a_long_line_is_read_in_pieces(
    ask: Ask, desk: Desk, reader: Reader, pipe: tuple[IO[bytes], IO[bytes]], before: int
) -> None:
    reader.may_go_on.set()
    received, printed = pipe
    output = Output(1, received, 1 << 20, lambda: None)
    output.begin(run_with(ask, desk, "abcd-efgh-ijkl"))
    printing = threading.Thread(
        target=printed.write, args=(b"x" * (LINE - before) + b"abcd-efgh-ijkl\nsafe and sound\n" + END,)
    )
    printing.start()
    assert output.wait_read(60)
    printing.join()
    told = "".join(reader.lines[:-1])
    assert [part for part in ("abcd", "efgh", "ijkl") if part in told] == []
    assert reader.lines[-1] == "safe and sound"


def test_output_counts_for_the_attempt_that_printed_it(ask: Ask, desk: Desk, pipe: tuple[IO[bytes], IO[bytes]]) -> None:
    received, printed = pipe
    ended = threading.Event()
    output = Output(1, received, 10, ended.set)
    for pin in ("hunter2", "swordfish"):
        output.begin(run_with(ask, desk, pin))
        printed.write(b"12345678\n" + END)
        assert output.wait_read(60)
    assert not output.exceeded
    printed.write(b"123\n")
    assert ended.wait(60)
    assert output.exceeded
    assert output.wait_read(60)


def test_no_attempt_begins_in_a_child_whose_earlier_output_is_not_read_yet(
    ask: Ask, workshop: OpenWorkshop, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(children, "LINGER", 0.01)
    shop = workshop(replace(of_kind("prints_its_payload"), secret=FIELDS))
    jobs = [ask.enqueued("prints_its_payload", payload=f'{{"pin":"{pin}"}}') for pin in ("hunter2", "swordfish")]
    for _ in jobs:
        shop.claim()
        shop.wait_back()
        shop.dispatcher.tick()
    reader.may_go_on.set()
    first, second = (ask.job(job_id).result for job_id in jobs)
    assert first != second
    assert not [line for line in reader.lines if "hunter2" in line or "swordfish" in line]


def test_what_a_handler_logs_in_a_child_is_told_from_the_workers_level_on_and_at_its_own(
    ask: Ask, workshop: OpenWorkshop, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    shop = workshop(of_kind("logs_as_handlers_do"))
    job_id = ask.enqueued("logs_as_handlers_do")
    shop.claim()
    shop.wait_back()
    shop.dispatcher.tick()
    assert ask.job(job_id).state is State.SUCCEEDED
    told = [(one.levelname, one.getMessage().partition(": ")[2]) for one in caplog.records if "a line" in one.message]
    line = f"[job {job_id} attempt 1] a line"
    assert told == [(level, f"{level} {line}") for level in ("INFO", "WARNING", "ERROR")]
