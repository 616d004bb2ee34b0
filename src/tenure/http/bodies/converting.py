"""Parsed JSON as a struct of the wire, in the words of the product where it does not fit."""

import itertools
import re
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any, Final, TypeVar

import msgspec
from msgspec import inspect

from tenure.app import values
from tenure.core.errors import InvalidInput
from tenure.core.payloads import paths
from tenure.edge.scalars import Instant

S = TypeVar("S", bound=msgspec.Struct)

_FLOAT: Final = re.compile(r"Expected `int\b.*`, got `float` - at `\$(?P<path>[^`]+)`")
_OF_A_KEY: Final = "[...]"
_MOST_WHOLE: Final = 100
_ZONE: Final = "End it with Z or an offset, as 2026-01-31T09:00:00Z."
_STRANGER: Final = "is not known here"


def of_texts(wanted: type[S], said: Mapping[str, str]) -> S:
    """The values are all text, as in a query. Raises InvalidInput naming the member.

    Numbers are read from it, but an instant is none: it has to be said as in a document.
    """
    return converted(wanted, {**said, **_instants(wanted, said)}, strict=False)


def converted(wanted: type[S], value: dict[str, Any], *, strict: bool = True) -> S:
    """strict: False where numbers may be text. Raises InvalidInput naming the member.

    A whole number may be written 3.0 where one is meant, as JSON Schema has it; in a document it stays as it is.
    """
    for tries in itertools.count():
        try:
            return msgspec.convert(value, wanted, strict=strict)
        except msgspec.ValidationError as error:
            if tries >= _MOST_WHOLE or not _made_whole(value, str(error)):
                raise _refusal(wanted, error) from None
    raise AssertionError("unreachable")


def _instants(wanted: type[msgspec.Struct], said: Mapping[str, str]) -> dict[str, datetime]:
    read: dict[str, datetime] = {}
    for name in _names_of_instants(wanted) & said.keys():
        try:
            read[name] = msgspec.convert(said[name], Instant)
        except msgspec.ValidationError as error:
            raise values.refusal(name, error, wanted=wanted, zone_hint=_ZONE) from None
    return read


@cache
def _names_of_instants(wanted: type[msgspec.Struct]) -> frozenset[str]:
    shape = inspect.type_info(wanted)
    assert isinstance(shape, inspect.StructType)
    return frozenset(member.encode_name for member in shape.fields if _is_instant(member.type))


def _is_instant(node: inspect.Type) -> bool:
    choices = node.types if isinstance(node, inspect.UnionType) else (node,)
    return any(isinstance(choice, inspect.DateTimeType) for choice in choices)


def _refusal(wanted: type[msgspec.Struct], error: msgspec.ValidationError) -> InvalidInput:
    refused = values.refusal("", error, stranger=_STRANGER, wanted=wanted, zone_hint=_ZONE)
    if (refused.code, refused.field) == ("unknown_member", "kind") and "type" in wanted.__struct_encode_fields__:
        return InvalidInput("kind", _STRANGER, code=refused.code, hint="A request names the kind in `type`.")
    return refused


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
