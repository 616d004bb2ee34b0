"""When a call is sent again: what is safe to repeat, with pauses that grow, within a total time.

| what happened | sent again |
| --- | --- |
| no connection was made | always: nothing was sent |
| 429 because a queue is full | never: whether the work can wait is for the caller to say |
| any other 429 | always, after what Retry-After says: nothing was done |
| connection lost, no answer in time, 502, 503, 504 | where the call may be repeated (`Call.is_repeatable`) |
| anything else | never |
"""

import logging
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import httpx2

from tenure.client.call import Call
from tenure.client.refusals import error_of, retry_after
from tenure.core.errors import QueueFull, StoreUnavailable, TenureError

log = logging.getLogger("tenure.client")

FIRST_WAIT: Final = 0.1
LONGEST_WAIT: Final = 5.0

_NOT_SENT: Final = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError)
_OURS: Final = (httpx2.UnsupportedProtocol, httpx2.LocalProtocolError, httpx2.DecodingError)
_BUSY: Final = 429
_GATEWAYS: Final = frozenset({502, 503, 504})


@dataclass(frozen=True, slots=True)
class Failure:
    """One try that failed. may_repeat: of any call; may_repeat_safe: of one that may be repeated. wait: seconds that
    the service asks for."""

    error: TenureError
    may_repeat: bool = False
    may_repeat_safe: bool = False
    wait: float | None = None


class Tries:
    """The tries of one call. total: seconds after the first within which another may begin."""

    def __init__(
        self,
        call: Call[Any],
        total: float,
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._is_repeatable = call.is_repeatable
        self._clock, self._chance = clock, chance
        self._end = clock() + total
        self._made = 0

    def wait_after(self, failure: Failure) -> float:
        """Seconds to wait before the next try. Raises the failure's error where there is none."""
        self._made += 1
        may = failure.may_repeat or (failure.may_repeat_safe and self._is_repeatable)
        most = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** min(self._made - 1, 10))
        wait = most * self._chance() + (failure.wait or 0.0)
        if not may or self._clock() + wait > self._end:
            raise failure.error
        if self._made == 1:  # Whoever waits hears why, once.
            log.info("%s; trying again for %.0f s", failure.error.message, self._end - self._clock())
        return wait


def not_answered(error: httpx2.RequestError) -> Failure:
    """A try that brought no answer. The text names no header."""
    unavailable = StoreUnavailable(
        f"the service does not answer: {type(error).__name__}: {error}".rstrip(": "),
        code="service_unavailable",
        hint="Check that it runs and that its URL is right; then try again.",
    )
    unavailable.__cause__ = error
    return Failure(unavailable, isinstance(error, _NOT_SENT), not isinstance(error, _OURS))


def refused(status: int, headers: Mapping[str, str], content: bytes) -> Failure:
    """A try that was answered with a refusal."""
    error = error_of(status, headers, content)
    return Failure(
        error, status == _BUSY and not isinstance(error, QueueFull), status in _GATEWAYS, retry_after(headers)
    )
