"""When so many attempts are retries that more of them help nobody, and when a kind had better rest.

A retry budget: of the attempts of a kind that ended within a window, at most a share may have been retries. Beyond it a
retry waits longer. It never fails for that.

A circuit: after so many failures in a row, none of them the job's own fault, the other jobs of the tenant and kind wait
too: a short while at first, longer each time that it was in vain. A call that this very attempt has made and that tells
nothing is one of them; that nobody knows what became of an earlier attempt's call tells nothing of the dependency now.
"""

from typing import Final

import msgspec

from tenure.core import defaults
from tenure.core.attempt import ErrorClass
from tenure.core.reports import Completion, Failure, Report

WINDOW: Final = 60.0
"""Seconds over which attempts are counted."""
LEAST: Final = 20
"""Attempts below which a share tells nothing."""
FIRST_REST: Final = 5.0
_MOST_DOUBLINGS: Final = 16
_BLAMELESS: Final = frozenset({ErrorClass.RETRYABLE, ErrorClass.THROTTLED})


class Tally(msgspec.Struct, frozen=True):
    """Attempts of one kind that ended within the window, and how many of them were retries."""

    ended: int = 0
    retries: int = 0


def is_storm(tally: Tally, share: float) -> bool:
    return tally.ended >= LEAST and tally.retries > share * tally.ended


def delayed(said: Failure) -> Failure:
    """A retry that waits half a window at least, and a whole one at most: those that were held up together do not come
    back together."""
    return msgspec.structs.replace(said, delay=WINDOW * (1 + said.chance) / 2)


def is_retry(said: Report) -> bool:
    """Whether a failure asks for another try by the back-off."""
    return isinstance(said, Failure) and said.error_class in (ErrorClass.RETRYABLE, ErrorClass.UNKNOWN)


class Circuit(msgspec.Struct, frozen=True):
    """failures: in a row. rests: those of them in a row that changed nothing."""

    failures: int = 0
    rests: int = 0


def counted(circuit: Circuit, said: Report) -> Circuit:
    """After another end. A success closes it; an error that is the job's own tells nothing of what it depends on."""
    if isinstance(said, Completion):
        return Circuit()
    if isinstance(said, Failure) and (said.error_class in _BLAMELESS or said.of_own_call):
        return Circuit(circuit.failures + 1, circuit.rests)
    return circuit


def opened(circuit: Circuit, said: Failure, threshold: int) -> tuple[Circuit, Failure]:
    """At the threshold the kind rests, and the count begins anew."""
    if circuit.failures < threshold:
        return circuit, said
    rest = min(FIRST_REST * 2.0 ** min(circuit.rests, _MOST_DOUBLINGS), defaults.KIND_THROTTLE_CAP)
    return Circuit(0, circuit.rests + 1), msgspec.structs.replace(said, slow=rest)
