"""Scripts on their way to the writer, and the telling of what became of them."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from tenure.stores.script import Rows, Script, Statement


class Submission:
    """One script, and what became of it. `statement` is the one that it has yielded and that is not answered yet."""

    __slots__ = ("abandoned", "done", "error", "future", "result", "script", "statement")

    def __init__(
        self,
        script: Script[Any],
        statement: Statement,
        future: "asyncio.Future[Any] | None" = None,
        abandoned: Callable[[Any], object] | None = None,
    ) -> None:
        self.script, self.statement, self.future, self.abandoned = script, statement, future, abandoned
        self.done = False
        self.result: Any = None
        self.error: BaseException | None = None

    def answer(self, rows: Rows) -> bool:
        """Answers its statement; whether it goes on with another."""
        try:
            self.statement = self.script.send(rows)
        except StopIteration as stop:
            self.result = stop.value
            return False
        except Exception as error:  # noqa: BLE001 (its own, for whoever waits)
            self.error = error
            return False
        return True

    def fail(self, error: BaseException) -> None:
        """It is not stored; the error that it met first stands."""
        self.result, self.error = None, self.error or error
        self.script.close()

    def leave(self) -> None:
        """Nobody waits for its answer any more."""
        if self.abandoned is not None and self.error is None:
            self.abandoned(self.result)


def answer(submissions: Iterable[Submission]) -> None:
    """Tells the threads, and each loop once."""
    by_loop: dict[asyncio.AbstractEventLoop, list[Submission]] = {}
    for submission in submissions:
        submission.done = True
        future = submission.future
        if future is None:
            continue
        if future.cancelled():
            submission.leave()
        else:
            by_loop.setdefault(future.get_loop(), []).append(submission)
    for loop, waiting in by_loop.items():
        _tell(loop, waiting)


def _tell(loop: asyncio.AbstractEventLoop, waiting: Iterable[Submission]) -> None:
    try:
        loop.call_soon_threadsafe(_resolve, waiting)
    except RuntimeError:
        if not loop.is_closed():
            raise
        for submission in waiting:  # Whoever waited there is gone, and what was committed stays.
            submission.leave()


def _resolve(submissions: Iterable[Submission]) -> None:
    for submission in submissions:
        future = submission.future
        if future is None or future.done():
            submission.leave()
            continue
        if submission.error is None:
            future.set_result(submission.result)
        else:
            future.set_exception(submission.error)
