"""Whether a payload fits the JSON Schema (2020-12) of its kind's row, where the code of the kind is not at hand.

The library jsonschema-rs judges, without network and files. What a schema may cost is bounded before it is taken:
its size, its depth, its regular expressions (which are matched in linear time: no look-around, no back-references), and
how often one value may be looked at (`core.payloads.schema_weight`).
"""

import functools
from typing import TYPE_CHECKING, Any, Final

from tenure.core import defaults
from tenure.core.errors import InvalidInput
from tenure.core.payloads import documents, json_types, paths
from tenure.core.payloads.schema_weight import Weight, check_weight, size_of_patterns

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator, ValidationError

SCHEMA_BYTES: Final = 65_536
_REGEX_BYTES: Final = 1 << 20
_TYPES: Final = {
    "dict": "object", "list": "array", "str": "string", "bool": "boolean", "NoneType": "null", "int": "integer",
    "float": "number", "Decimal": "number",
}  # fmt: skip
_MASK: Final = "it"
"""Stands for the value in the library's messages, which would repeat it."""


def stored(field: str, schema: dict[str, Any]) -> str:
    """The text of a schema that can be judged by. Raises InvalidInput, or TooLarge, naming `field`."""
    text = documents.dump(field, schema, SCHEMA_BYTES)
    _made(field, text)
    return text


def check(field: str, schema: str, value: Any) -> None:
    """Raises InvalidInput naming the first member of `value` (plain JSON) that does not fit.

    schema: text that `stored` made, or a handler's signature; one that cannot be judged by refuses every value.
    """
    from jsonschema_rs import ValidationError

    try:
        _compiled(field, schema).validate(value)
    except ValidationError as error:
        raise _refusal(field, error) from None


def weight(schema: str) -> Weight:
    """What judging by it may cost. Takes a second itself at the most. schema: as for `check`."""
    try:
        parsed = documents.parse("schema", schema, SCHEMA_BYTES)
        return Weight(check_weight("schema", parsed), len(schema), size_of_patterns(parsed))
    except InvalidInput:
        return Weight(1, len(schema), 0)  # It refuses every value at once.


@functools.lru_cache(maxsize=1000)
def _compiled(field: str, text: str) -> "Draft202012Validator":
    try:
        return _made("schema", text)
    except InvalidInput as error:
        raise InvalidInput(
            field,
            f"cannot be judged, since the JSON Schema of its kind cannot be used: {error.message}",
            code="unusable_schema",
            hint="Give the kind another schema.",
        ) from error


def _made(field: str, text: str) -> "Draft202012Validator":
    from jsonschema_rs import Draft202012Validator, ReferencingError, RegexOptions, ValidationError

    schema = documents.parse(field, text, SCHEMA_BYTES)
    check_weight(field, schema)
    expressions = RegexOptions(_REGEX_BYTES, _REGEX_BYTES)
    try:
        return Draft202012Validator(
            schema, mask=_MASK, pattern_options=expressions, offline=True, validate_formats=False
        )
    except ValidationError as error:
        where = paths.inside(field, error.instance_path)
        raise InvalidInput(where, f"is no JSON Schema: {_words(error)}", code="bad_schema") from None
    except (ValueError, ReferencingError) as error:
        raise InvalidInput(field, f"is no JSON Schema: {error}", code="bad_schema") from None


def _refusal(field: str, error: "ValidationError") -> InvalidInput:
    error = _nearest(error)
    path, said = paths.inside(field, error.instance_path), error.kind.as_dict()
    if error.kind.name == "required":
        return InvalidInput(paths.member(path, said["property"]), "is missing", code="missing_member")
    if error.kind.name in ("additionalProperties", "unevaluatedProperties"):
        stranger = paths.member(path, said["unexpected"][0])
        return InvalidInput(stranger, "is not a parameter of the handler", code="unknown_member")
    return InvalidInput(path, _words(error), code="wrong_type")


def _nearest(error: "ValidationError") -> "ValidationError":
    """Of several shapes none of which fits: what is wrong with the only one that the value resembles, if there is
    one."""
    while error.kind.name in ("anyOf", "oneOf"):
        options: list[list[ValidationError]] = error.kind.as_dict()["context"]
        here = error.instance_path
        alike = [of for of in options if of and not (of[0].kind.name == "type" and of[0].instance_path == here)]
        if len(alike) != 1:
            return error
        error = alike[0][0]
    return error


def _words(error: "ValidationError") -> str:
    if error.kind.name == "type":
        return json_types.must_be(error.kind.as_dict()["types"], _TYPES[type(error.instance).__name__])
    said = error.message.removeprefix(f"{_MASK} ")
    return said if len(said) <= defaults.NAME_CHARACTERS else f"{said[: defaults.NAME_CHARACTERS]}…"
