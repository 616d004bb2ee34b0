"""Python values of users ↔ plain JSON values: datetimes, UUIDs, decimals, dataclasses, structs, pydantic models."""

import re
import sys
from datetime import datetime
from typing import Any, Final

import msgspec

from tenure.core import defaults, fields
from tenure.core.errors import InvalidInput, TooLarge
from tenure.core.payloads import documents, paths

_PLACE: Final = re.compile(r"^(?P<what>.*?)(?: - at `(?P<where>.*)`)?$", re.DOTALL)
_OF_A_KEY: Final = "key` in `"
_MEMBER: Final = re.compile(r"^Object (?P<which>missing required|contains unknown) field `(?P<name>.*)`$", re.DOTALL)
_OUT_OF_RANGE: Final = "Number out of range"
_NO_INSTANT: Final = "Invalid RFC3339 encoded datetime"
_INSTANT: Final = "must be an instant (RFC 3339): a date, a time and a zone"
_TEXT: Final = frozenset({str})
_SCALARS: Final = frozenset({str, int, float, bool, type(None)})


def is_flat(arguments: dict[Any, Any]) -> bool:
    """Whether a dict is its own plain JSON value: text, numbers, truth and nothing, by name."""
    return _TEXT.issuperset(map(type, arguments)) and _SCALARS.issuperset(map(type, arguments.values()))


def plain(field: str, value: Any, *, text_keys: bool = False) -> Any:
    """The plain JSON value of `value`. text_keys: numbers as keys of objects become text.

    Raises InvalidInput naming `field` for a type that has none, TooLarge for a value that contains itself.
    """
    try:
        return msgspec.to_builtins(value, str_keys=text_keys, enc_hook=_plain_other)
    except RecursionError:
        raise TooLarge(field, f"is nested more than {defaults.DEPTH} deep", code="too_deep") from None
    except InvalidInput:
        raise
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(value, dict):
            for name, member in value.items():
                plain(paths.member(field, str(name)), member, text_keys=text_keys)
        raise InvalidInput(field, f"is no JSON value: {error}", code="not_json") from error


def check_zones(field: str, value: Any, plain_value: Any, *, text_keys: bool = False) -> None:
    """Raises InvalidInput for a datetime without a zone anywhere in `value`, where no type of the handler asks for one.

    plain_value: what `plain` made of it; it differs from the same with its datetimes kept only where there are any.
    """
    kept = msgspec.to_builtins(value, builtin_types=(datetime,), str_keys=text_keys, enc_hook=_plain_other)
    if kept != plain_value:
        _check_zones(field, kept, defaults.DEPTH)


def typed(wanted: type[Any], value: Any) -> Any:
    """The hook of msgspec for types that it does not know: pydantic models. Raises ValueError."""
    if _is_model(wanted):
        pydantic = sys.modules["pydantic"]
        try:
            return wanted.model_validate(value)
        except pydantic.ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(str(step) for step in first["loc"])
            raise ValueError(f"{place}: {first['msg']}" if place else first["msg"]) from None
    raise ValueError(f"nothing can make a {wanted.__name__} of JSON; take a dataclass, a msgspec Struct or a model")


def schema(wanted: type[Any]) -> dict[str, Any]:
    """The hook of msgspec for the JSON Schema of such a type: an object, no more is said. Raises TypeError."""
    if _is_model(wanted):
        return {"type": "object"}
    raise TypeError(f"{wanted.__name__} has no JSON Schema")


def refusal(
    field: str,
    error: msgspec.ValidationError,
    *,
    stranger: str = "is not a parameter of the handler",
    wanted: type[msgspec.Struct] | None = None,
    zone_hint: str = "Write datetime.now(UTC), or give the datetime a tzinfo.",
) -> InvalidInput:
    """msgspec's word on a value of `field`, with the path in the field's name.

    field: empty where members are named by themselves. stranger: what is said of a member that nobody asked for.
    wanted: the struct of the wire that it does not fit, from which is told what is allowed; payloads have none.
    zone_hint: what to write for an instant without a zone, and for what is none.
    """
    found = _PLACE.match(str(error))
    what, where = (found["what"], found["where"]) if found else (str(error), None)
    path = field + (where or "$").removeprefix(_OF_A_KEY).removeprefix("$")
    member = _MEMBER.match(what)
    if member is None:
        if "timezone" in what:
            return InvalidInput(path.removeprefix("."), _lower(what), code="naive_datetime", hint=zone_hint)
        if what == _NO_INSTANT:
            return InvalidInput(path.removeprefix("."), _INSTANT, code="wrong_form", hint=zone_hint)
        if what == _OUT_OF_RANGE:
            return documents.out_of_range(path.removeprefix("."))
        from tenure.app import wire_words  # Few processes refuse anything, and its patterns take memory.

        told = wire_words.plainly(what) or (None if wanted is None else wire_words.told(wanted, path, what))
        code, words = told or ("wrong_type", _lower(what))
        return InvalidInput(path.removeprefix("."), words, code=code)
    path = paths.member(path.removeprefix("."), member["name"])
    if member["which"] == "missing required":
        return InvalidInput(path, "is missing", code="missing_member")
    return InvalidInput(path, stranger, code="unknown_member")


def _lower(words: str) -> str:
    return f"{words[:1].lower()}{words[1:]}"


def _check_zones(place: paths.Steps, kept: Any, depth: int) -> None:
    """As deep as a payload may be; what lies deeper is refused for that."""
    if isinstance(kept, datetime) and kept.utcoffset() is None:
        fields.instant(paths.written(place), kept)
    elif depth and isinstance(kept, dict):
        for name, member in kept.items():
            _check_zones((place, name), member, depth - 1)
    elif depth and isinstance(kept, (list, tuple)):
        for index, member in enumerate(kept):
            _check_zones((place, index), member, depth - 1)


def _plain_other(value: Any) -> Any:
    if _is_model(type(value)):
        return value.model_dump(mode="json")
    for base in (str, int, float):
        if isinstance(value, base):
            return base(value)
    raise TypeError(f"{type(value).__name__} is not a JSON type")


def _is_model(kind: Any) -> bool:
    pydantic = sys.modules.get("pydantic")
    return pydantic is not None and isinstance(kind, type) and issubclass(kind, pydantic.BaseModel)
