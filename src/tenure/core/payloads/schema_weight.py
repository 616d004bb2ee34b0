"""How often a JSON Schema may look at one value of a payload.

Shapes that branch and refer to themselves double the work with every level, until a small payload takes for ever. So
for each depth the looks at one value are counted along every way through the schema, and a schema with too many of
them is refused. References may lead to `#/…` in the same schema only: every way is known.
"""

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from tenure.core import defaults
from tenure.core.errors import InvalidInput, TooLarge

MOST_LOOKS: Final = 300
LONGEST_CHAIN: Final = 100

_HERE_ONE: Final = ("not", "if", "then", "else")
_HERE_MANY: Final = ("allOf", "anyOf", "oneOf")
_BELOW_ONE: Final = (
    "additionalProperties", "propertyNames", "items", "contains", "unevaluatedItems", "unevaluatedProperties",
)  # fmt: skip
_ELSEWHERE: Final = ("$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef")


_STATE_WORK: Final = 40
"""Of one character held against one piece of an expression, at the worst that was measured."""

_PIECE: Final = re.compile(
    r"\{(?P<least>\d{1,9})(?:,(?P<most>\d{0,9}))?\}|(?P<opening>\()|(?P<closing>\))|\[(?:\\.|[^\]\\])*\]|\\.|.",
    re.DOTALL,
)
"""Of a regular expression: a count, a bracket of a group, or what matches one character."""


def check_weight(field: str, schema: Any) -> int:
    """The looks at one value. Raises TooLarge (`too_complex`) for more than 300, InvalidInput for a reference
    elsewhere."""
    return _Weighing(field, schema).looks()


class Weight(NamedTuple):
    """What judging by a schema may cost. looks: at one value. length: of the schema, patterns: of its regular
    expressions with every counted repetition written out, both in characters."""

    looks: int
    length: int
    patterns: int

    def work(self, text: str) -> int:
        """Of judging this JSON text, at most. One is a nanosecond or two.

        Each value may be held against all that the schema says, and each character against every expression.
        """
        values = 1 + sum(text.count(mark) for mark in ",[{")
        return self.looks * (values * self.length + len(text) * (1 + _STATE_WORK * self.patterns))


def size_of_patterns(schema: Any) -> int:
    """`[ab]{50}` is fifty times as long as `[ab]`."""
    found: list[str] = []
    for part in _parts(schema):
        if isinstance(part, dict):
            found += [part["pattern"]] if isinstance(part.get("pattern"), str) else []
            found += part["patternProperties"] if isinstance(part.get("patternProperties"), dict) else []
    return sum(map(_written_out, found))


def _written_out(pattern: str) -> int:
    """The length in pieces, each taken as often as the counts around it say."""
    groups, last = [0], 0
    for piece in _PIECE.finditer(pattern):
        if piece["least"] is not None:
            times = max(1, int(piece["most"] or piece["least"]))
            groups[-1] += last * (times - 1)
            last *= times
            continue
        last = 1
        if piece["opening"]:
            groups.append(0)
        elif piece["closing"] and len(groups) > 1:
            last += groups.pop()
        groups[-1] += last
    return sum(groups)


class _Weighing:
    """here: the shapes that judge the same value as a shape does. below: groups of shapes for the values inside it; of
    one group at most one shape meets each value. extra: choices that are compared member by member."""

    def __init__(self, field: str, root: Any) -> None:
        self._field, self._root = field, root
        self._here: dict[int, list[Any]] = {}
        self._below: dict[int, list[list[Any]]] = {}
        self._extra: dict[int, int] = {}
        self._shapes: list[dict[str, Any]] = []

    def looks(self) -> int:
        """Raises TooLarge, InvalidInput."""
        if not isinstance(self._root, dict):
            return 1
        if any(_renames(part) for part in _parts(self._root) if part is not self._root):
            raise self._elsewhere()
        self._walk()
        above: dict[int, int] = {}
        for _ in range(defaults.DEPTH + 1):
            looks: dict[int, int] = {}
            for shape in self._shapes:
                self._count(shape, above, looks, 0)
            if looks[id(self._root)] > MOST_LOOKS:
                raise TooLarge(
                    self._field,
                    f"may look more than {MOST_LOOKS} times at one value",
                    code="too_complex",
                    hint="Take fewer alternatives, or shapes that do not refer to themselves more than once.",
                )
            above = looks
        return max(1, above[id(self._root)])

    def _count(self, shape: dict[str, Any], inner: dict[int, int], looks: dict[int, int], chain: int) -> int:
        """The looks at one value so many levels down, when `shape` judges the value at the top."""
        known = looks.get(id(shape))
        if known is not None:
            return known
        if chain > LONGEST_CHAIN:
            raise InvalidInput(self._field, "refers to itself without going deeper", code="bad_schema")
        here = sum(self._count(other, inner, looks, chain + 1) for other in self._here[id(shape)])
        if inner:
            here += sum(max(inner[id(other)] for other in group) for group in self._below[id(shape)])
        else:
            here += 1 + self._extra[id(shape)]
        looks[id(shape)] = here
        return here

    def _walk(self) -> None:
        waiting = [self._root]
        while waiting:
            shape = waiting.pop()
            if id(shape) in self._here:
                continue
            self._shapes.append(shape)
            self._here[id(shape)] = _shapes(self._judging_here(shape))
            groups = [_shapes(group) for group in _judging_below(shape)]
            self._below[id(shape)] = [group for group in groups if group]
            self._extra[id(shape)] = sum(isinstance(choice, (dict, list)) for choice in _listed(shape.get("enum")))
            waiting += self._here[id(shape)]
            for group in self._below[id(shape)]:
                waiting += group

    def _judging_here(self, shape: dict[str, Any]) -> list[Any]:
        found = [shape[word] for word in _HERE_ONE if word in shape]
        for word in _HERE_MANY:
            found += _listed(shape.get(word))
        found += [*_valued(shape.get("dependentSchemas")), *_valued(shape.get("dependencies"))]
        if "$ref" in shape:
            found.append(self._followed(shape["$ref"]))
        if any(word in shape for word in _ELSEWHERE):
            raise self._elsewhere()
        return found

    def _followed(self, reference: Any) -> Any:
        """The part of the schema that `#/$defs/Name` names, written as it is: an escaped name leads elsewhere."""
        if not isinstance(reference, str) or "%" in reference or not (reference == "#" or reference.startswith("#/")):
            raise self._elsewhere()
        found = self._root
        for step in reference.split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            if isinstance(found, list) and name.isdecimal() and int(name) < len(found):
                found = found[int(name)]
            elif isinstance(found, dict) and name in found:
                found = found[name]
            else:
                raise InvalidInput(self._field, f"refers to {reference}, which is not there", code="bad_schema")
        return found

    def _elsewhere(self) -> InvalidInput:
        return InvalidInput(
            self._field, "refers elsewhere", code="bad_schema", hint="Refer to `#/$defs/…` in the same schema."
        )


def _judging_below(shape: dict[str, Any]) -> list[list[Any]]:
    groups = [[shape[word]] for word in _BELOW_ONE if word in shape]
    groups += [[pattern] for pattern in _valued(shape.get("patternProperties"))]
    groups += [_valued(shape.get("properties")), _listed(shape.get("prefixItems"))]
    return groups


def _shapes(values: list[Any]) -> list[Any]:
    """Those that look at anything: not `true`, not `false`."""
    return [value for value in values if isinstance(value, dict)]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _valued(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else []


def _renames(part: Any) -> bool:
    """Whether references inside it would start from another place than the schema's root."""
    return isinstance(part, dict) and isinstance(part.get("$id"), str)


def _parts(schema: Any) -> Iterator[Any]:
    """The schema and everything in it, whether it judges or not."""
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, (dict, list)):
            waiting += part.values() if isinstance(part, dict) else part
