"""How long the steps of a request may take, as `asyncio.timeout` has it, for requests that mostly end in time.

Steps that may take equally long are over in the order in which they began: they stand in one line, with one timer for
the first of them. A timer for each step costs more than most steps do.
"""

import asyncio
from types import TracebackType
from typing import Self


class Deadlines:
    """Of the requests of one event loop at a time."""

    def __init__(self) -> None:
        self._lines: dict[float, _Line] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    def line(self, seconds: float) -> "_Line":
        """Where steps stand that may take so long."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._loop, self._lines = loop, {}
        line = self._lines.get(seconds)
        if line is None:
            line = self._lines[seconds] = _Line(loop, seconds, self._lines)
        return line


class Limit:
    """A block of a task, to be entered by `with`. Raises TimeoutError at its end where its time was over.

    is_over: whether the time was over before the block was.
    """

    __slots__ = ("_cancelled", "_deadlines", "_line", "_task", "is_over")

    def __init__(self, deadlines: Deadlines) -> None:
        self._deadlines = deadlines
        self._line: _Line | None = None
        self.is_over = False

    def __enter__(self) -> Self:
        task = asyncio.current_task()
        assert task is not None
        self._task, self._cancelled = task, task.cancelling()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._leave()
        if self.is_over and self._task.uncancel() <= self._cancelled and kind is asyncio.CancelledError:
            raise TimeoutError from error

    def allow(self, seconds: float) -> None:
        """So long from now on, in the place of what was allowed before."""
        self._leave()
        self._line = self._deadlines.line(seconds)
        self._line.join(self)

    def end(self) -> None:
        """The time is over."""
        self._leave()
        self.is_over = True
        self._task.cancel()

    def _leave(self) -> None:
        if self._line is not None:
            self._line.leave(self)
            self._line = None


class _Line:
    """Limits in the order of their ends, each with that instant on the loop's clock. It goes when it was empty for its
    time, as long polls may wait for any time."""

    def __init__(self, loop: asyncio.AbstractEventLoop, seconds: float, lines: "dict[float, _Line]") -> None:
        self._loop, self._seconds, self._lines = loop, seconds, lines
        self._ends: dict[Limit, float] = {}
        loop.call_later(seconds, self._look)

    def join(self, limit: Limit) -> None:
        self._ends[limit] = self._loop.time() + self._seconds

    def leave(self, limit: Limit) -> None:
        del self._ends[limit]

    def _look(self) -> None:
        now = self._loop.time()
        while self._ends:
            limit, at = next(iter(self._ends.items()))
            if at > now:
                self._loop.call_at(at, self._look)
                return
            limit.end()
        del self._lines[self._seconds]
