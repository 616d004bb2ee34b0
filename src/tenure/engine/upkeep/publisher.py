"""Gives hints of ready jobs to a callable, and settles them once it has them.

One tick, in this order:

1. take     hints that are due, for a while to itself
2. give     their ids to the callable
3. settle   those; where the callable raised, they are due again instead

A process that dies between 2 and 3 has given what it had not settled: it is given again, as it is where the callable
raised after it had passed some on.
"""

import inspect
import time
from collections.abc import Callable, Sequence
from typing import Any, Final
from uuid import uuid4

from tenure.core import hints
from tenure.core.errors import Misconfigured
from tenure.core.secrecy import cleaning
from tenure.operations.hint import put_back_hints, settle_hints, start_hints, take_hints
from tenure.stores.protocol import Store

LONGEST_WAIT: Final = 1.0
"""Seconds between looks, where no hint of the database ends the wait."""

Publish = Callable[[list[str]], object]
"""Gets ids of jobs that were ready a moment ago, and returns when whoever passes them on has them. What it raises is
told in health, and the ids come again."""

PLAIN: Final = (
    "Write a plain function; it may hand the ids to your loop with asyncio.run_coroutine_threadsafe(…).result()."
)


class Publisher:
    """Any number of them may run; they share what there is.

    given: ids that the callable took. refusals: its failures in a row, refusal: the last of them, refused_since: when
    the first of them was, by the monotonic clock.
    """

    def __init__(
        self,
        store: Store,
        publish: Publish,
        *,
        who: str,
        batch: int = hints.BATCH,
        hold: float = hints.HOLD,
        repeat: float | None = None,
    ) -> None:
        """who: for the audit. batch: most ids at once. hold: seconds after which another publisher may give what this
        one took. repeat: seconds after which an id is given again while its job is ready still; None is never."""
        self._store, self._publish = store, publish
        self._who = who
        self._batch = self._size = batch
        self._hold, self._repeat = hold, repeat
        self._has_started = False
        self.given = self.refusals = 0
        self.refusal = ""
        self.refused_since: float | None = None

    def tick(self) -> float:
        """One batch; the seconds until the next. Raises StoreError, Misconfigured where somebody has turned hints off,
        and what the callable raises."""
        if not self._has_started:
            self._store.run(start_hints(self._store.verbs, who=self._who), "upkeep")
            self._has_started = True
        size, token = self._size, uuid4().hex
        taken = self._store.run(take_hints(self._store.verbs, token, size, self._hold), "upkeep")
        if not taken.is_on:
            raise Misconfigured("hints are turned off in this database", hint="Start this publisher again.")
        if taken.hints:
            self._give(token, taken.hints)
        return 0.0 if len(taken.hints) + taken.dropped >= size else LONGEST_WAIT

    def _give(self, token: str, taken: Sequence[tuple[str, int]]) -> None:
        ids = [job_id for job_id, _ in taken]
        try:
            self._send(list(ids))
        except Exception as error:
            self._refused(token, taken, error)
            raise
        self._store.run(settle_hints(self._store.verbs, token, ids, self._repeat), "upkeep")
        self.given += len(ids)
        self.refusals, self.refusal, self.refused_since = 0, "", None
        self._size = min(self._batch, self._size * 2)

    def _send(self, ids: list[str]) -> None:
        """Raises what the callable raises. What would end a program or a task, such as SystemExit, ends no publisher:
        it comes as a RuntimeError."""
        try:
            answer: Any = self._publish(ids)
        except Exception:
            raise
        except BaseException as error:
            raise RuntimeError(f"it raised {error!r}") from error
        if inspect.iscoroutine(answer) or inspect.isgenerator(answer):
            answer.close()
        if inspect.isawaitable(answer) or inspect.isgenerator(answer) or inspect.isasyncgen(answer):
            raise Misconfigured(f"it answered a {type(answer).__name__} and has sent nothing yet", hint=PLAIN)

    def _refused(self, token: str, taken: Sequence[tuple[str, int]], error: Exception) -> None:
        """Smaller batches follow, down to one id. One that is refused alone waits longer each time, and lets the others
        go before it."""
        ids = [job_id for job_id, _ in taken]
        wait = hints.wait_after(taken[0][1] + 1) if len(taken) == 1 else 0.0
        self._size = max(1, len(ids) // 2)
        self.refusals += 1
        self.refusal = cleaning.message(f"{type(error).__name__}: {error}")
        self.refused_since = self.refused_since or time.monotonic()
        self._store.run(put_back_hints(self._store.verbs, token, ids, wait, self.refusal), "upkeep")
