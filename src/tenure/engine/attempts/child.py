"""The program of a child process: takes orders on standard input, answers on standard output.

The handler's own prints must not mix with the answers, so the two streams are moved away first: standard input is
empty for the handler, and what it prints goes to standard error.
"""

import contextlib
import os
import sys
import threading
import time
from collections.abc import Mapping
from typing import IO, Final

import msgspec

from tenure.core.reports import Failure, Snoozing
from tenure.engine.attempts import verdict
from tenure.engine.attempts.child_output import END, log_from
from tenure.engine.attempts.children import Order, Word
from tenure.engine.attempts.handler import Handler
from tenure.engine.attempts.run import Run, StopReason
from tenure.engine.source import handlers_of

_decode_order: Final = msgspec.json.Decoder(Order).decode


def main() -> None:
    """Arguments: the application's source, bytes of memory, CPU seconds an attempt (0: no limit), least level."""
    source, memory, cpu, least = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
    streams = _take_streams()
    log_from(least)
    _keep_from_copies(*streams)
    _limit_memory(memory)
    serve({handler.kind: handler for handler in handlers_of(source)}, *streams, cpu)


def serve(
    handlers: Mapping[str, Handler], orders: IO[bytes], answers: IO[bytes], output: IO[bytes], cpu: float
) -> None:
    """Runs one attempt after the other until the orders end, which they do when the worker is gone."""
    current: list[Run] = []
    given = threading.Semaphore(0)
    home = os.getpid()

    def listen() -> None:
        for line in orders:
            order = _decode_order(line)
            if order.lease is not None:
                current[:] = [Run(order.lease, time.monotonic())]
                given.release()
            elif order.stop is not None and current and current[0].lease.token == order.token:
                current[0].stop(StopReason(order.stop))
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    while given.acquire():
        run = current[0]
        _limit_cpu(cpu)
        word = _attempt(run, handlers[run.lease.kind], answers)
        if os.getpid() != home:
            os._exit(0)  # a copy that the handler forked: the attempt's end is its parent's to tell
        _end_output(output)
        _answer(answers, word)


def _attempt(run: Run, handler: Handler, answers: IO[bytes]) -> Word:
    run.begun = True
    run.keep_secret(handler.secret, handler.secret_defaults)
    run.safe_until = float("inf")
    run.on_progress = lambda text: _answer(answers, Word(progress=text))
    try:
        result = handler.call(run)
    except BaseException as error:  # noqa: BLE001 (an exit raised by a handler ends its attempt only)
        said = verdict.of_error(run, error, handler.classify)
        if isinstance(said, Snoozing):
            return Word(ended=True, completed=run.completed_elsewhere, snooze=said.delay)
        failure = said if isinstance(said, Failure) else None
        return Word(ended=True, completed=run.completed_elsewhere, failure=failure)
    if result is None or isinstance(result, str):
        return Word(ended=True, completed=run.completed_elsewhere, result=result)
    return Word(ended=True, failure=verdict.of_no_text(run, result))


_writing = threading.Lock()


def _answer(answers: IO[bytes], word: Word) -> None:
    with _writing:
        answers.write(msgspec.json.encode(word) + b"\n")
        answers.flush()


def _end_output(output: IO[bytes]) -> None:
    """Whatever the attempt has printed is on its way before its end is."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # the handler may have closed it, or put anything in its place
            stream.flush()
    output.write(END)
    output.flush()


def _take_streams() -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
    """For the orders, the answers, and the marks behind the output of each attempt."""
    orders = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    output = os.fdopen(os.dup(2), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    return orders, answers, output


def _keep_from_copies(*streams: IO[bytes]) -> None:
    """A process that the handler forks has no part in the conversation: what it says would count as the word of
    whichever attempt runs by then, and as long as it holds the pipes nobody sees that this process has died."""

    def let_go() -> None:
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in streams:
            os.dup2(nothing, stream.fileno(), inheritable=False)
        os.close(nothing)

    if os.name == "posix":
        os.register_at_fork(after_in_child=let_go)


def _limit_memory(size: int) -> None:
    if size and os.name == "posix":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (size, size))


def _limit_cpu(seconds: float) -> None:
    """Counts from what the process has used so far."""
    if seconds and os.name == "posix":
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        most = int(used.ru_utime + used.ru_stime + seconds) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))


if __name__ == "__main__":
    main()
