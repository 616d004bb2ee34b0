"""What JSON calls the types of values, in a sentence: callers write in many languages."""

from collections.abc import Iterable
from typing import Final

_SAID: Final = {
    "string": "a string", "integer": "an integer", "number": "a number", "boolean": "a boolean",
    "object": "an object", "array": "an array", "null": "null",
}  # fmt: skip


def must_be(wanted: Iterable[str], got: str) -> str:
    """What stands behind a member's name. wanted, got: as JSON Schema names types; another word stands for itself."""
    return f"must be {' or '.join(_SAID.get(one, one) for one in wanted)}, not {_SAID.get(got, got)}"
