"""Child processes for handlers that must not take the worker down. Isolation is for faults; it is no sandbox.

A child is started fresh (never forked), told plain settings, and kept for further attempts. It speaks JSON lines
over its standard input and output; what the handler itself prints goes to the log, up to a limit. A child that dies
costs the one attempt that it ran; its siblings are untouched.
"""

import asyncio
import contextlib
import logging
import os
import signal
import subprocess
import sys
import threading
from typing import Final

import msgspec

from tenure.core.attempt import ErrorClass
from tenure.core.lease import Lease
from tenure.core.outcomes import Snooze
from tenure.core.reports import Failure
from tenure.engine.attempts import verdict
from tenure.engine.attempts.child_output import Output, level
from tenure.engine.attempts.handler import Handler, Limits
from tenure.engine.attempts.run import Run, StopReason

log = logging.getLogger("tenure.engine")

Spec = tuple[str, Limits]

LINGER: Final = 1.0
_PROGRAM: Final = "tenure.engine.attempts.child"
"""Seconds that a child may take to be gone once its answers have ended, and its output to be read after an attempt."""

CHILD_DIED: Final = "child_died"
OUTPUT_EXCEEDED: Final = "output_exceeded"


class Order(msgspec.Struct, omit_defaults=True):
    """To a child: run this attempt, or end the one that runs under `token`."""

    lease: Lease | None = None
    stop: str | None = None
    token: str | None = None


class Word(msgspec.Struct, omit_defaults=True):
    """From a child: a progress note, or how the attempt ended.

    completed: the handler completed its job in a transaction of its own, committed or not.
    """

    progress: str | None = None
    completed: bool = False
    ended: bool = False
    result: str | None = None
    failure: Failure | None = None
    snooze: float | None = None


_decode_word = msgspec.json.Decoder(Word).decode


class Child:
    """One child process. One attempt at a time."""

    def __init__(self, source: str, limits: Limits) -> None:
        self.spec: Spec = (source, limits)
        self._limits = limits
        self._jobs = 0
        self._killed = False
        self._process = subprocess.Popen(  # noqa: S603 (this interpreter, this package)
            [sys.executable, "-m", _PROGRAM, source, *map(str, (limits.memory or 0, limits.cpu or 0, level()))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=os.name == "posix",
        )
        self._lock = threading.Lock()
        assert self._process.stderr is not None
        self._output = Output(self._process.pid, self._process.stderr, limits.output, self.kill)

    @property
    def exceeded(self) -> bool:
        """Whether its last attempt printed more than it may."""
        return self._output.exceeded

    @property
    def is_spent(self) -> bool:
        """Whether it must not be given another attempt."""
        return self._killed or self._process.poll() is not None or self._jobs >= self._limits.life

    def call(self, run: Run) -> Word | None:
        """Runs one attempt; None when the child died of it, or says what nobody understands."""
        self._jobs += 1
        self._output.begin(run)
        self.send(Order(lease=run.lease))
        if run.stop_reason is not None:
            self.ask_to_stop(run)
        stdout = self._process.stdout
        assert stdout is not None
        for line in stdout:
            try:
                word = _decode_word(line)
            except msgspec.MsgspecError as error:
                log.error("child %d answers nonsense: %s", self._process.pid, run.without_secrets(f"{error}"))
                return None
            if word.ended:
                if not self._output.wait_read(LINGER):
                    self.kill()
                return word
            if word.progress is not None:
                run.note_progress(word.progress)
        return None

    def send(self, order: Order) -> None:
        """Best effort: a child that is gone shows when its answer is read."""
        stdin = self._process.stdin
        assert stdin is not None
        with self._lock:
            try:
                stdin.write(msgspec.json.encode(order) + b"\n")
                stdin.flush()
            except (BrokenPipeError, ValueError):
                log.debug("child %d takes no orders any more", self._process.pid)

    def ask_to_stop(self, run: Run) -> None:
        """Tells it that this attempt shall end; a child that runs another by now does not listen."""
        if run.stop_reason is not None:
            self.send(Order(stop=run.stop_reason.value, token=run.lease.token))

    def kill(self) -> None:
        """Ends it and what its handler has started, unless that has left for a session of its own."""
        self._killed = True
        if os.name == "posix" and self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()

    def describe_end(self) -> str:
        """Exit code or signal of a child whose answers have ended, in words. One that lingers is killed."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(LINGER)
        self.close()
        code = self._process.returncode
        if code < 0:
            return f"the child process was killed by {signal.Signals(-code).name}"
        return f"the child process left with exit code {code}"

    def close(self) -> None:
        """Ends it, and gives back its pipes; the thread that reads its output closes that one."""
        self._killed = True
        self._process.kill()
        self._process.wait()
        with self._lock, contextlib.suppress(BrokenPipeError):
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process.stdin.close()


class Children:
    """The idle children by what they can run, and who runs what."""

    def __init__(self) -> None:
        self._idle: dict[Spec, list[Child]] = {}
        self._busy: dict[str, Child] = {}
        self._lock = threading.Lock()
        self._closed = False

    def call(self, run: Run, handler: Handler) -> str | Failure | None:
        """Runs one attempt in a child, from a thread that waits for it.

        Raises Snooze as the handler did; asyncio.CancelledError when this process ended the attempt.
        """
        child = self._take((handler.source or "", handler.limits))
        token = run.lease.token
        with self._lock:
            self._busy[token] = child
        try:
            word = None if _is_over(run) else child.call(run)
        finally:
            with self._lock:
                del self._busy[token]
        if word is None:
            return self._of_dead(run, child)
        self._give_back(child)
        run.completed_elsewhere = word.completed
        if word.snooze is not None:
            raise Snooze(word.snooze)
        return word.result if word.failure is None else run.stored(word.failure)

    def ask_to_stop(self, run: Run) -> None:
        """Tells the child that its attempt was cancelled; the handler sees it at its next safe point."""
        child = self._busy.get(run.lease.token)
        if child is not None:
            child.ask_to_stop(run)

    def kill(self, run: Run) -> None:
        """Kills the child that runs this attempt, never one that has gone on to another."""
        with self._lock:
            child = self._busy.get(run.lease.token)
            if child is not None:
                child.kill()

    def close(self) -> None:
        """Ends the idle children, and the busy ones with them."""
        with self._lock:
            self._closed = True
            idle = [child for children in self._idle.values() for child in children]
            self._idle.clear()
            for child in self._busy.values():
                child.kill()
        for child in idle:
            child.close()

    def _take(self, spec: Spec) -> Child:
        with self._lock:
            idle = self._idle.get(spec, [])
            while idle:
                child = idle.pop()
                if not child.is_spent:
                    return child
                child.close()
        return Child(*spec)

    def _give_back(self, child: Child) -> None:
        with self._lock:
            if not (child.is_spent or self._closed):
                self._idle.setdefault(child.spec, []).append(child)
                return
        child.close()

    def _of_dead(self, run: Run, child: Child) -> Failure:
        if run.stop_reason is not None:
            child.close()
            raise asyncio.CancelledError(run.stop_reason.value)
        how = child.describe_end()
        if child.exceeded:
            return verdict.failure(run, ErrorClass.RETRYABLE, OUTPUT_EXCEEDED, f"{how}: it printed too much")
        return verdict.failure(run, ErrorClass.RETRYABLE, CHILD_DIED, how)


def _is_over(run: Run) -> bool:
    """Whether this process ended the attempt before its child could begin; a cancelled one may still look round."""
    return run.stop_reason not in (None, StopReason.CANCELLED)
