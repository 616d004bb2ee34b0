"""FAULTS.md sections 6 and 7: what handlers raise, how they leave, and how much they answer."""

import builtins
import io
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from tenure.core.attempt import ErrorClass, Outcome
from tenure.core.outcomes import Retry
from tenure.engine.attempts.run import Run
from tests.conformance.asking import Ask
from tests.engine.apps import TwoArguments, of_kind
from tests.engine.workshop import handler
from tests.faults.in_process.conftest import OpenWorkshop
from tests.faults.in_process.ends import one_end


class Other(BaseException):
    pass


def leave_as_a_script_does() -> None:
    builtins.exit()


def two_arguments() -> None:
    raise TwoArguments("for the record", 1)


def chained() -> None:
    try:
        two_arguments()
    except TwoArguments as error:
        raise RuntimeError("from it") from error


def with_a_lock() -> None:
    raise ValueError("beside it", threading.Lock())


def retry_with_it() -> None:
    raise Retry("passing", TwoArguments("as a message", 1))  # type: ignore[arg-type]


def raising(error: BaseException) -> Callable[[], None]:
    def act() -> None:
        raise error

    return act


def bound(act: Callable[[], None], isolation: str) -> Any:
    def call(run: Run) -> None:
        act()

    async def on_loop(run: Run) -> None:
        act()

    return handler("bad", on_loop if isolation == "loop" else call, isolation)


@pytest.mark.parametrize("isolation", ["loop", "thread"])
@pytest.mark.parametrize(
    ("act", "message", "trace"),
    [
        (two_arguments, "TwoArguments: for the record", "TwoArguments"),
        (chained, "RuntimeError: from it", "TwoArguments: for the record"),
        (with_a_lock, "ValueError: ('beside it', <unlocked", "ValueError"),
        (retry_with_it, "TwoArguments: as a message", "Retry"),
    ],
)
def test_an_error_is_kept_as_text_whatever_it_is_made_of(
    ask: Ask, workshop: OpenWorkshop, isolation: str, act: Callable[[], None], message: str, trace: str
) -> None:
    """B47 · Error transport which trusts the error object."""
    attempt = one_end(ask, workshop, bound(act, isolation))
    assert message in (attempt.error or "")
    assert trace in (attempt.traceback or "")


@pytest.mark.parametrize("kind", ["two_arguments", "with_a_lock", "retries_with_an_error"])
def test_an_error_of_a_child_process_is_kept_as_text_too(ask: Ask, workshop: OpenWorkshop, kind: str) -> None:
    """B47 · An exception that cannot be rebuilt from pickle crashed the parent."""
    attempt = one_end(ask, workshop, of_kind(kind))
    assert attempt.error
    assert attempt.traceback


EXITS = [
    (lambda: sys.exit(0), "system_exit"),
    (lambda: sys.exit("x"), "system_exit"),
    (leave_as_a_script_does, "system_exit"),
    (raising(KeyboardInterrupt()), "keyboard_interrupt"),
    (raising(GeneratorExit()), "generator_exit"),
    (raising(Other()), "other"),
]


@pytest.mark.parametrize("isolation", ["loop", "thread"])
@pytest.mark.parametrize(("act", "code"), EXITS)
def test_an_exit_of_a_handler_ends_its_attempt_and_not_the_worker(
    ask: Ask,
    workshop: OpenWorkshop,
    isolation: str,
    act: Callable[[], None],
    code: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """B49 · Catching Exception only."""
    monkeypatch.setattr(sys, "stdin", io.StringIO())  # exit() closes it
    attempt = one_end(ask, workshop, bound(act, isolation))
    assert (attempt.outcome, attempt.error_code) == (Outcome.FAILED, code)
    assert attempt.error_class is ErrorClass.UNKNOWN


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("exits", "system_exit"),
        ("exits_with_words", "system_exit"),
        ("leaves_as_a_script_does", "system_exit"),
        ("interrupts", "keyboard_interrupt"),
        ("exits_as_a_generator", "generator_exit"),
        ("raises_no_exception", "base_exception"),
        ("leaves", "child_died"),
    ],
)
def test_an_exit_in_a_child_process_ends_its_attempt_and_not_the_worker(
    ask: Ask, workshop: OpenWorkshop, kind: str, code: str
) -> None:
    """B49 · In process mode also os._exit is survived."""
    assert one_end(ask, workshop, of_kind(kind)).error_code == code
