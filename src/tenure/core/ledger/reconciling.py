"""What `reconcile` answers: does the outside know of an effect with this key?"""

from typing import Any, Final

import msgspec


class Happened(msgspec.Struct, frozen=True):
    """It does. result: what the call would have returned."""

    result: Any = None


class Absent(msgspec.Struct, frozen=True):
    """It does not, and will not: the call may be made."""


class Unknown(msgspec.Struct, frozen=True):
    """Nobody can tell: an operator has to settle it."""


Reconciled = Happened | Absent | Unknown

absent: Final = Absent()
unknown: Final = Unknown()


def happened(result: Any = None) -> Happened:
    """The effect is there. result: JSON, as the call would have returned it."""
    return Happened(result)
