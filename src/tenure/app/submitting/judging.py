"""Judging payloads by the JSON Schema of their kind, without keeping an event loop from its other work.

What is light is judged at once. What may be heavy goes to a process of its own, since the library that judges lets no
other thread run meanwhile: one payload at a time, in bounded time.
"""

import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from tenure.app.submitting.item import Item
from tenure.core.errors import InvalidInput
from tenure.core.payloads import schema
from tenure.core.payloads.schema_weight import Weight
from tenure.stores.forking import forgets

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

R = TypeVar("R")

SECONDS: Final = 3.0
"""How long one payload may take. Longer is a refusal, and the process is ended."""

LIGHT: Final = 8_000_000
"""The work up to which a payload is judged on the spot: ten milliseconds at the worst."""

START_SECONDS: Final = 30.0
_LIGHT_SCHEMA: Final = 16_384
"""Characters of a schema that is made ready on the spot."""

_MOST_KNOWN: Final = 1000
NOT_JUDGED: Final = "not_judged"
_FIELD: Final = "payload"


class Order(msgspec.Struct):
    """To the process: judge this text by that schema."""

    schema: str
    text: str


class Verdict(msgspec.Struct, omit_defaults=True):
    """From the process. fits: else what InvalidInput is made of."""

    fits: bool
    field: str = ""
    message: str = ""
    code: str = ""
    hint: str = ""


_decode: Final = msgspec.json.Decoder(Verdict).decode


def check(by: str, item: Item) -> None:
    """Raises InvalidInput naming the first member that does not fit the schema `by`."""
    schema.check(_FIELD, by, item.sent)


class Judge:
    """Its process is started by the first payload that may be heavy."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._weights: dict[str, Weight] = {}
        self.forget_parent()
        forgets(self)

    def forget_parent(self) -> None:
        """A forked child has not its parent's thread, and a process of its own when it wants one."""
        self._lock = threading.Lock()
        self._thread: ThreadPoolExecutor | None = None
        self._process: _Process | None = None

    async def acheck(self, by: str, item: Item) -> None:
        """As `check`. Raises InvalidInput (`not_judged`) for a payload that takes too long."""
        weight = self._weights.get(by)
        if weight is None:
            weight = await self._weighed(by)
        if len(by) > _LIGHT_SCHEMA or weight.work(item.text) > LIGHT:
            line = msgspec.json.encode(Order(by, item.text)) + b"\n"
            await self._aside(lambda: self._judge(line))
        else:
            check(by, item)

    async def _weighed(self, by: str) -> Weight:
        weight = await self._aside(lambda: schema.weight(by))
        if len(self._weights) >= _MOST_KNOWN:
            self._weights.clear()
        self._weights[by] = weight
        return weight

    async def _aside(self, call: Callable[[], R]) -> R:
        """In the one thread, after those who came before."""
        import asyncio

        return await asyncio.get_running_loop().run_in_executor(self._thread_of_it(), call)

    def close(self) -> None:
        """Ends the process. A later payload starts another."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None:
            thread.submit(self._end)
            thread.shutdown(wait=False)

    def _thread_of_it(self) -> "ThreadPoolExecutor":
        from concurrent.futures import ThreadPoolExecutor

        with self._lock:
            if self._thread is None:
                self._thread = ThreadPoolExecutor(1, "tenure-judge")
            return self._thread

    # In its thread

    def _judge(self, line: bytes) -> None:
        if self._process is None:
            self._process = _Process()
            self._process.asked(b"", START_SECONDS)
        told = self._process.asked(line, self._seconds)
        if not told:
            self._end()
            raise InvalidInput(
                _FIELD,
                f"could not be judged by the JSON Schema of its kind within {self._seconds:g} s",
                code=NOT_JUDGED,
                hint="Send a smaller payload, or give the kind a simpler schema.",
            )
        verdict = _decode(told)
        if not verdict.fits:
            raise InvalidInput(verdict.field, verdict.message, code=verdict.code, hint=verdict.hint)

    def _end(self) -> None:
        if self._process is not None:
            self._process.end()
            self._process = None


class _Process:
    def __init__(self) -> None:
        import subprocess

        self._popen = subprocess.Popen(
            [sys.executable, "-m", "tenure.app.submitting.judge"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def asked(self, line: bytes, seconds: float) -> bytes:
        """The next line that it says, empty where it is gone or was ended for not saying one in time."""
        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        timer = threading.Timer(seconds, self._popen.kill)
        timer.daemon = True
        timer.start()
        try:
            self._popen.stdin.write(line)
            self._popen.stdin.flush()
            return self._popen.stdout.readline()
        except BrokenPipeError:
            return b""
        finally:
            timer.cancel()

    def end(self) -> None:
        self._popen.kill()
        with self._popen:
            pass
