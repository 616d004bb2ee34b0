"""Whether a payload fits the JSON Schema of its kind's row, where the code of the kind is not at hand.

Judged are the keywords that decide over shape: $ref, anyOf, oneOf, enum, const, type, required, properties,
additionalProperties, items, prefixItems, minItems, maxItems, minLength, maxLength, minimum, maximum, exclusiveMinimum,
exclusiveMaximum. Everything else passes; the handler's own check comes before the run.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

from tenure.core.errors import InvalidInput

_DEEPEST: Final = 200
_NULL: Final = {"type": "null"}
_TYPES: Final[dict[str, tuple[str, ...]]] = {
    "dict": ("object",), "list": ("array",), "tuple": ("array",), "str": ("string",), "bool": ("boolean",),
    "NoneType": ("null",), "int": ("integer", "number"), "float": ("number",),
}  # fmt: skip
_BOUNDS: Final[dict[str, tuple[str, Callable[[Any, Any], bool]]]] = {
    "minimum": ("at least", lambda value, bound: value >= bound),
    "maximum": ("at most", lambda value, bound: value <= bound),
    "exclusiveMinimum": ("more than", lambda value, bound: value > bound),
    "exclusiveMaximum": ("less than", lambda value, bound: value < bound),
}
_SIZES: Final = {"minItems": (list, 1), "maxItems": (list, -1), "minLength": (str, 1), "maxLength": (str, -1)}


def check(field: str, schema: dict[str, Any], value: Any) -> None:
    """Raises InvalidInput naming the first member of `value` (plain JSON) that does not fit."""
    error = next(_problems(field, schema, value, schema, 0), None)
    if error is not None:
        raise error


def _problems(path: str, schema: Any, value: Any, root: dict[str, Any], depth: int) -> Iterator[InvalidInput]:
    if depth > _DEEPEST or schema is True:
        return
    if schema is False:
        yield _wrong(path, "is not expected here")
        return
    if "$ref" in schema:
        yield from _problems(path, _followed(schema["$ref"], root), value, root, depth + 1)
    for keyword in ("anyOf", "oneOf"):
        options = [option for option in schema.get(keyword, ()) if value is None or option != _NULL]
        if len(options) == 1:
            yield from _problems(path, options[0], value, root, depth + 1)
        elif options and all(next(_problems(path, o, value, root, depth + 1), None) for o in options):
            yield _wrong(path, f"fits none of the {len(options)} shapes that are allowed")
    yield from _single(path, schema, value)
    if isinstance(value, dict):
        yield from _members(path, schema, value, root, depth)
    elif isinstance(value, (list, tuple)):
        yield from _items(path, schema, value, root, depth)


def _single(path: str, schema: dict[str, Any], value: Any) -> Iterator[InvalidInput]:
    wanted = schema.get("type")
    allowed = [wanted] if isinstance(wanted, str) else wanted
    types = _TYPES[type(value).__name__]
    if allowed and not set(allowed) & set(types):
        yield _wrong(path, f"must be {' or '.join(allowed)}, not {types[0]}")
    choices = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if choices is not None and not any(choice == value and type(choice) is type(value) for choice in choices):
        yield _wrong(path, f"must be one of {', '.join(map(repr, choices))}")
    for keyword, (words, fits) in _BOUNDS.items():
        if keyword in schema and type(value) in (int, float) and not fits(value, schema[keyword]):
            yield _wrong(path, f"must be {words} {schema[keyword]}")
    for keyword, (kind, sign) in _SIZES.items():
        if keyword in schema and isinstance(value, kind) and sign * len(value) < sign * schema[keyword]:
            yield _wrong(path, f"has {len(value)} elements, {keyword} is {schema[keyword]}")


def _members(
    path: str, schema: dict[str, Any], value: dict[str, Any], root: dict[str, Any], depth: int
) -> Iterator[InvalidInput]:
    known, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    for name in schema.get("required", ()):
        if name not in value:
            yield InvalidInput(f"{path}.{name}", "is missing", code="missing_member")
    for name, item in value.items():
        if name in known:
            yield from _problems(f"{path}.{name}", known[name], item, root, depth + 1)
        elif others is False:
            yield InvalidInput(f"{path}.{name}", "is not a parameter of the handler", code="unknown_member")
        else:
            yield from _problems(f"{path}.{name}", others, item, root, depth + 1)


def _items(
    path: str, schema: dict[str, Any], value: list[Any] | tuple[Any, ...], root: dict[str, Any], depth: int
) -> Iterator[InvalidInput]:
    first = schema.get("prefixItems", [])
    for index, item in enumerate(value):
        fitting = first[index] if index < len(first) else schema.get("items", True)
        yield from _problems(f"{path}[{index}]", fitting, item, root, depth + 1)


def _followed(reference: str, root: dict[str, Any]) -> Any:
    """The part of the schema that a local reference (`#/$defs/Name`) names; anything for one that leads elsewhere."""
    found: Any = root
    for step in reference.removeprefix("#/").split("/"):
        found = found.get(step.replace("~1", "/").replace("~0", "~"), True) if isinstance(found, dict) else True
    return found


def _wrong(path: str, words: str) -> InvalidInput:
    return InvalidInput(path, words, code="wrong_type")
