"""Secret members of a payload as its JSON Schema knows them: which it marks (`writeOnly: true`), and whether a path of
`secret=` leads anywhere in it."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from tenure.core import defaults
from tenure.core.errors import InvalidInput
from tenure.core.payloads import paths
from tenure.core.secrecy.secret_paths import ANY, MOST, steps_of

_SHAPES: Final = ("anyOf", "oneOf", "allOf")
_TOLD: Final = 20
"""Names of members that a refusal lists."""

_VISITS: Final = 10_000
"""Places of a schema that are looked at; a schema of more marks nothing beyond them."""


def marked(schema: dict[str, Any] | None) -> tuple[str, ...]:
    """Paths of the members that it says are write-only, in order, the first hundred of them."""
    if schema is None:
        return ()
    found: set[str] = set()
    places = [(schema, "", 0)]
    for _ in range(_VISITS):
        if not places:
            break
        place, path, depth = places.pop()
        for step, member in _members(schema, place):
            inside = paths.inside(path, [step])
            if any(shape.get("writeOnly") is True for shape in _shapes(schema, member)):
                found.add(inside)
            elif depth < defaults.DEPTH // 4:
                places.append((member, inside, depth + 1))
    return tuple(sorted(found)[:MOST])


def check_places(
    field: str, schema: dict[str, Any] | None, secret: Sequence[str], *, are_all_named: bool = False
) -> None:
    """Raises InvalidInput naming the first path that leads nowhere in it.

    are_all_named: objects have no members but those that the schema names, unless it says so.
    """
    if schema is None:
        return
    for path in secret:
        places: list[dict[str, Any]] = [schema]
        so_far = ""
        for step in steps_of(path):
            here = [shape for place in places for shape in _shapes(schema, place)]
            places = [member for shape in here for member in _past(schema, shape, step, are_all_named)]
            if not places:
                raise _nowhere(field, path, step, so_far or "the payload", here)
            so_far = f"{so_far}.{step}".lstrip(".")


def _past(root: dict[str, Any], shape: dict[str, Any], step: str, are_all_named: bool) -> Iterator[dict[str, Any]]:
    """The schemas of what one step leads to; an empty one where anything may be."""
    known, others = shape.get("properties", {}), shape.get("additionalProperties")
    if _says_nothing(shape):
        yield {}
    elif step != ANY and step in known:
        yield known[step]
    else:
        if step == ANY:
            yield from (member for _, member in _members(root, shape))
        elif isinstance(others, dict):
            yield others
        is_open = others is True or (others is None and not (known and are_all_named))
        is_any_list = step == ANY and _may_be(shape, "array") and "items" not in shape
        if is_any_list or (is_open and _may_be(shape, "object")):
            yield {}


def _says_nothing(shape: dict[str, Any]) -> bool:
    return not shape.keys() & {"type", "properties", "items", "prefixItems", "enum", "const"}


def _may_be(shape: dict[str, Any], kind: str) -> bool:
    said = shape.get("type", kind)
    return kind in said if isinstance(said, list) else bool(said == kind)


def _members(root: dict[str, Any], place: Any) -> Iterator[tuple[str, Any]]:
    """The steps that a schema knows from here, each with the schema of what is there."""
    for shape in _shapes(root, place):
        yield from shape.get("properties", {}).items()
        for word in ("items", "additionalProperties"):
            if isinstance(shape.get(word), dict):
                yield ANY, shape[word]
        yield from ((ANY, element) for element in shape.get("prefixItems", ()))


def _shapes(root: dict[str, Any], place: Any, depth: int = 8) -> Iterator[dict[str, Any]]:
    """What a value there may be: the schema itself, or each that it refers to."""
    if not isinstance(place, dict) or depth == 0:
        return
    others: Iterable[Any] = [one for word in _SHAPES for one in place.get(word, ())]
    if isinstance(place.get("$ref"), str):
        others = [*others, _referred(root, place["$ref"])]
    if not others or not _says_nothing(place) or "writeOnly" in place:
        yield place
    for other in others:
        yield from _shapes(root, other, depth - 1)


def _referred(root: dict[str, Any], reference: str) -> Any:
    """What a reference inside of the schema leads to; None for any other."""
    found: Any = root
    for step in reference.removeprefix("#").split("/")[1:] if reference.startswith("#") else [None]:
        name = None if step is None else step.replace("~1", "/").replace("~0", "~")
        found = found.get(name) if isinstance(found, dict) else None
    return found


def _nowhere(field: str, path: str, step: str, where: str, here: Sequence[dict[str, Any]]) -> InvalidInput:
    if step != ANY and any(_may_be(shape, "array") and "array" in str(shape.get("type")) for shape in here):
        return InvalidInput(field, f"{path!r} leads nowhere: {where} is a list", hint=f"Write * before {step}.")
    names = sorted({name for shape in here for name in shape.get("properties", {})})
    hint = f"Its members are {', '.join(names[:_TOLD])}." if names else "It has no members."
    return InvalidInput(field, f"{path!r} leads nowhere: {where} has no member {step!r}", hint=hint)
