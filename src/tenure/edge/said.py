"""What is said of a member of the interface."""

from typing import Any, NamedTuple


class Said(NamedTuple):
    """example: a value that it can have; None where there is none to show."""

    words: str
    example: Any = None
