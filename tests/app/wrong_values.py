"""What somebody may say by mistake, by what was asked for."""

import math
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final


class Numpyish:
    """Like a number of another library: it can be made a float or an int, and is neither."""

    def __float__(self) -> float:
        return 1.0

    def __index__(self) -> int:
        return 1

    def __repr__(self) -> str:
        return "Numpyish()"


class Thing:
    def __repr__(self) -> str:
        return "Thing()"


OTHER_NUMBERS: Final = (True, Decimal(1), Fraction(1), Numpyish())
NO_NUMBERS: Final = ("1", b"1", [], {}, Thing())
NO_TEXTS: Final = (5, 1.5, True, b"x", [], {}, ["x"], Thing())
BAD_TEXTS: Final = ("", "   ", "a\0b", "\ud800")

TEXT: Final = (*NO_TEXTS, *BAD_TEXTS, "x" * 100_000)
WORDS: Final = NO_TEXTS
"""For people: what cannot be stored of a text is replaced, and it is cut."""
ONE_OF: Final = (*NO_TEXTS, "", "nonsense", "a\0b")
ID: Final = (*NO_TEXTS, *BAD_TEXTS, "nope", "0190a000-0000-7000-8000-00000000000")
SECONDS: Final = (*NO_NUMBERS, *OTHER_NUMBERS, -1, math.nan, math.inf, 10**400, 1e300, timedelta(days=-1))
MOVES: Final = (*NO_NUMBERS, *OTHER_NUMBERS, math.nan, math.inf, 10**400, 1e300)
"""Seconds that may be negative."""
NUMBER: Final = (*NO_NUMBERS, *OTHER_NUMBERS, -1, math.nan, math.inf, 10**400, timedelta(days=1))
WHOLE: Final = (*NO_NUMBERS, *OTHER_NUMBERS, 1.0, 1.5, -1, math.nan, 10**400)
PRIORITY: Final = (*(value for value in WHOLE if value != -1), "urgent")
NAMES: Final = ("one", 5, True, Thing(), [5], [""], ["a\0"], [["x"]], {1}, [None], b"x")
INSTANT: Final = ("tomorrow", 5, True, Thing(), [], datetime(2026, 1, 1), datetime(1969, 1, 1, tzinfo=UTC))  # noqa: DTZ001
FLAG: Final = ("yes", 1, 0, [], Thing())
MEMBERS: Final = (5, "x", [1], [("a", 1)], Thing(), True)
FUNCTION: Final = (5, "x", [], {}, Thing())
CONNECTION: Final = (5, "x", [], {}, Thing())
Wrong = tuple[Any, ...]
