"""What is said of a member of the interface."""

from typing import Any, Final, NamedTuple

AT: Final = "2026-01-31T09:00:00Z"
"""An instant, as an example."""
ID: Final = "01a22a7c-aeec-70f1-bf26-3df95da01163"
"""An id, as an example."""


class Said(NamedTuple):
    """example: a value that it can have; None where there is none to show."""

    words: str
    example: Any = None
