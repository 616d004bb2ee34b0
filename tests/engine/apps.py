"""Handlers that child processes find under `tests.engine.apps:inside`."""

import builtins
import hashlib
import logging
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from typing import Any

from tenure.app.handling.job_log import JobLog
from tenure.core.outcomes import Retry, Snooze, Terminal
from tenure.engine.attempts.handler import Handler, Limits
from tenure.engine.attempts.run import Run

SOURCE = "tests.engine.apps:inside"


class TwoArguments(Exception):
    """Cannot be rebuilt from pickle."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)


def pid(run: Run) -> str:
    return str(os.getpid())


def prints_and_answers(run: Run) -> str:
    sys.stdout.write("a print is no answer\n")
    sys.stdout.flush()
    return '"answered"'


def prints_its_payload(run: Run) -> str:
    """Answers the process that it ran in."""
    sys.stdout.write(f"{run.lease.payload}\n" * 20)
    return str(os.getpid())


def logs_as_handlers_do(run: Run) -> None:
    log = JobLog(run)
    for level in (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR):
        log.log(level, "a line")


def two_arguments(run: Run) -> None:
    raise TwoArguments("for the record", 1)


def with_a_lock(run: Run) -> None:
    raise ValueError(threading.Lock(), "beside it")


def retries_with_an_error(run: Run) -> None:
    raise Retry("passing", TwoArguments("as a message", 1))  # type: ignore[arg-type]


def terminal(run: Run) -> None:
    raise Terminal("no_such_account", "account 5 is closed")


def snoozes(run: Run) -> None:
    raise Snooze(30)


def no_text(run: Run) -> Any:
    return {"not": "text"}


def leaves(run: Run) -> None:
    os._exit(3)


def kills_itself(run: Run) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def exits(run: Run) -> None:
    sys.exit(0)


def exits_with_words(run: Run) -> None:
    sys.exit("x")


def leaves_as_a_script_does(run: Run) -> None:
    builtins.exit()


def interrupts(run: Run) -> None:
    raise KeyboardInterrupt


def exits_as_a_generator(run: Run) -> None:
    raise GeneratorExit


def raises_no_exception(run: Run) -> None:
    raise BaseException("neither an exit nor an error")


def takes_memory(run: Run) -> str:
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    bytearray(limit)
    return ""


def burns(run: Run) -> None:
    while True:
        pass


def holds_the_interpreter(run: Run) -> None:
    run.note_progress(str(os.getpid()))
    sum(range(10**12))


def floods(run: Run) -> None:
    while True:
        sys.stdout.write("x" * 65_536)
        sys.stdout.flush()


def says_pid_and_sleeps(run: Run) -> None:
    run.note_progress(str(os.getpid()))
    time.sleep(3600)


def receives(run: Run) -> None:
    here, _there = socket.socketpair()
    run.note_progress(str(os.getpid()))
    here.recv(1)


def hashes(run: Run) -> None:
    run.note_progress(str(os.getpid()))
    hashlib.pbkdf2_hmac("sha256", b"x", b"y", 10**9)


def backtracks(run: Run) -> None:
    run.note_progress(str(os.getpid()))
    re.match(r"(a+)+$", "a" * 60 + "b")


def completes_elsewhere(run: Run) -> str:
    run.completed_elsewhere = True
    return '"not for the runner"'


def waits_for_stop(run: Run) -> str:
    run.note_progress('"listening"')
    run.wait_stop(60.0)
    return f'"{run.stop_reason}"'


def forks_and_forgets(run: Run) -> str:
    """The copy comes out of the handler as well; the attempt waits until it has left."""
    copy = os.fork()
    if copy == 0:
        return '"said by the copy"'
    os.waitpid(copy, 0)
    return '"said by the attempt"'


def dies_before_its_copy(run: Run) -> None:
    copy = os.fork()
    if copy == 0:
        time.sleep(3600)
    run.note_progress(str(copy))
    os._exit(3)


def starts_another_and_sleeps(run: Run) -> None:
    run.note_progress(str(subprocess.Popen(["sleep", "3600"]).pid))
    time.sleep(3600)


_CALLS = (
    pid, prints_and_answers, two_arguments, with_a_lock, retries_with_an_error, terminal, snoozes, no_text, leaves,
    kills_itself, exits, exits_with_words, leaves_as_a_script_does, exits_as_a_generator, raises_no_exception,
    interrupts, burns, holds_the_interpreter, says_pid_and_sleeps, waits_for_stop, receives,
    hashes, backtracks, completes_elsewhere, forks_and_forgets, dies_before_its_copy, starts_another_and_sleeps,
    prints_its_payload, logs_as_handlers_do,
)  # fmt: skip


def of_kind(kind: str, **limits: Any) -> Handler:
    """One of the handlers here, with limits of its own."""
    call = globals()[kind]
    return Handler(kind=kind, version=1, call=call, isolation="process", source=SOURCE, limits=Limits(**limits))


class inside:  # noqa: N801 (stands for an application: what its `handlers()` answers)
    @staticmethod
    def handlers() -> list[Handler]:
        return [of_kind(call.__name__) for call in (*_CALLS, takes_memory, floods)]
