"""When a job that did not succeed is due again."""

import math
from datetime import UTC, datetime, timedelta
from typing import Final

from tenure.core import defaults
from tenure.core.job import Policy

LATEST: Final = datetime.max.replace(tzinfo=UTC)
LONGEST_WAIT: Final = 366 * 86_400.0
_DOUBLINGS: Final = 64


def backoff(policy: Policy, nth: int, chance: float) -> float:
    """Seconds before try `nth` + 1: full jitter under base × 2^(nth − 1), cut at the cap.

    The exponent is bounded before it is used, so no count can overflow.
    Source of the rule: M. Brooker, «Exponential Backoff and Jitter», 2015 («full jitter»).
    """
    base, cap = bounded(policy.backoff_base, LONGEST_WAIT), bounded(policy.backoff_cap, LONGEST_WAIT)
    doubled = base * 2.0 ** min(max(nth - 1, 0), _DOUBLINGS)
    return min(cap, doubled) * chance


def throttle_wait(policy: Policy, retry_after: float | None, nth: int, chance: float) -> float:
    """Seconds that a throttled job waits: at least `retry_after`, and up to a tenth more, so that the jobs which were
    refused together do not come back together. A wish is cut at an hour, or at the policy's cap where that is longer:
    a cap on the back-off, however short, does not make a dependency ready."""
    if retry_after is None:
        return backoff(policy, nth, chance)
    most = max(defaults.BACKOFF_CAP, bounded(policy.backoff_cap, LONGEST_WAIT))
    return bounded(retry_after, most) * (1 + chance / 10)


def unopened_wait(now: datetime, returns: int, deadline: datetime | None) -> float:
    """Seconds until a job whose key was missing is tried by somebody else: doubled with each return, and never past
    half of the time that is left to its deadline."""
    wait = min(defaults.UNOPENED_WAIT * 2.0 ** min(returns, _DOUBLINGS), defaults.UNOPENED_WAIT_CAP)
    return wait if deadline is None else min(wait, max(0.0, (deadline - now).total_seconds() / 2))


def wished_wait(policy: Policy, wish: float | None, nth: int, chance: float) -> float:
    """Seconds that a retryable failure waits: its own wish if it has one, else the back-off."""
    return backoff(policy, nth, chance) if wish is None else bounded(wish, LONGEST_WAIT)


def bounded(seconds: float, most: float) -> float:
    """`seconds` as a finite number from 0 to `most`; not-a-number and infinity count as `most`."""
    return min(max(seconds, 0.0), most) if math.isfinite(seconds) else most


def later(now: datetime, seconds: float) -> datetime:
    """`now` plus `seconds`, cut at the last instant that a datetime can hold."""
    try:
        return now + timedelta(seconds=seconds)
    except OverflowError:
        return LATEST


def unknown_tries(max_attempts: int) -> int:
    """How many unknown errors a job may have: three quarters of its attempts, rounded up."""
    return math.ceil(max_attempts * 3 / 4)


def throttle_budget(max_attempts: int) -> int:
    return defaults.THROTTLES_PER_ATTEMPT * max_attempts
