"""Parsed JSON as a struct of the wire, in the words of the product where it does not fit."""

import itertools
import re
from typing import Any, Final, TypeVar

import msgspec

from tenure.app import values
from tenure.core import paths
from tenure.core.errors import InvalidInput

S = TypeVar("S", bound=msgspec.Struct)

_FLOAT: Final = re.compile(r"Expected `int\b.*`, got `float` - at `\$(?P<path>[^`]+)`")
_OF_A_KEY: Final = "[...]"
_MOST_WHOLE: Final = 100
_ZONE: Final = "End it with Z or an offset, as 2026-01-31T09:00:00Z."


def converted(wanted: type[S], value: dict[str, Any], *, strict: bool = True) -> S:
    """strict: False where all values are text, as in a query. Raises InvalidInput naming the member.

    A whole number may be written 3.0 where one is meant, as JSON Schema has it; in a document it stays as it is.
    """
    for tries in itertools.count():
        try:
            return msgspec.convert(value, wanted, strict=strict)
        except msgspec.ValidationError as error:
            if tries >= _MOST_WHOLE or not _made_whole(value, str(error)):
                raise _refusal(wanted, error) from None
    raise AssertionError("unreachable")


def _refusal(wanted: type[msgspec.Struct], error: msgspec.ValidationError) -> InvalidInput:
    return values.refusal("", error, stranger="is not known here", wanted=wanted, zone_hint=_ZONE)


def _made_whole(value: Any, said: str) -> bool:
    """Whether the number that msgspec stumbled over was whole, and is an integer now."""
    found = _FLOAT.fullmatch(said)
    if found is None or _OF_A_KEY in found["path"]:
        return False
    *steps, last = paths.steps(found["path"])
    for step in steps:
        value = value[step]
    number = value[last] if type(value) in (dict, list) else None
    if type(number) is not float or not number.is_integer():
        return False
    value[last] = int(number)
    return True
