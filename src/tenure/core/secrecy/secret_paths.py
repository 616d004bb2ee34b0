"""Which members of a document are secret, by paths: `card.number`, `items.*.token`, `headers["X-Key"]`.

A step is the name of a member, or `*`: every element of a list, or every member of an object. What stands at the end of
a path is hidden whole. So is what stands in its way in another shape (a text where an object was meant, a list where no
`*` was written), but for null.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final

from tenure.core import defaults, fields
from tenure.core.errors import InvalidInput, TooLarge
from tenure.core.payloads import paths

MASK: Final = "•••"
"""Stands for whatever is hidden."""

ANY: Final = "*"
MOST: Final = 100
"""Paths that one declaration names."""

PATH_CHARACTERS: Final = 1000
_HINT: Final = "Write for instance card.number, or items.*.token for a member of each element of a list."

Tree = dict[str | None, Any]
"""By step what comes after it; None among the steps is the end of a path."""


def checked(field: str, said: Any) -> tuple[str, ...]:
    """The paths as they may be stored: each once, in order. Raises InvalidInput, or TooLarge, naming `field`."""
    if isinstance(said, str) or not isinstance(said, Iterable):
        raise InvalidInput(field, "must be a list of paths", hint=_HINT)
    found = {_checked(field, path) for path in said}
    if len(found) > MOST:
        raise TooLarge(field, f"has {len(found)} paths, more than the {MOST} allowed")
    return tuple(sorted(found))


def joined(one: Iterable[str], other: Iterable[str]) -> tuple[str, ...]:
    """What either names."""
    return tuple(sorted({*one, *other}))


def steps_of(path: str) -> list[str]:
    """Of a checked path."""
    return [str(step) for step in paths.steps(path)]


def split(value: Any, secret: Sequence[str]) -> tuple[Any, list[Any]]:
    """A plain JSON value with its secret members hidden, and what stood there."""
    found: list[Any] = []
    return _split(value, [_tree(tuple(secret))], found), found


def _split(value: Any, trees: list[Tree], found: list[Any]) -> Any:
    if not trees:
        return value
    is_meant = any(None in tree for tree in trees)
    if not is_meant and value is None:
        return None
    if is_meant or not _leads_on(value, trees):
        found.append(value)
        return MASK
    if isinstance(value, dict):
        return {name: _split(member, _past(trees, name), found) for name, member in value.items()}
    return [_split(element, _past(trees, None), found) for element in value]


def _leads_on(value: Any, trees: list[Tree]) -> bool:
    """Whether every path can go on into the value."""
    return isinstance(value, dict) or (isinstance(value, list) and all(tree.keys() == {ANY} for tree in trees))


def _past(trees: list[Tree], name: str | None) -> list[Tree]:
    """What comes after a member, or after an element of a list (None)."""
    return [tree[step] for tree in trees for step in {ANY, name} if step is not None and step in tree]


@lru_cache(maxsize=1000)
def _tree(secret: tuple[str, ...]) -> Tree:
    root: Tree = {}
    for path in secret:
        node = root
        for step in steps_of(path):
            node = node.setdefault(step, {})
        node[None] = {}
    return root


def _checked(field: str, path: Any) -> str:
    text = fields.text(field, path)
    if len(text) > PATH_CHARACTERS:
        raise TooLarge(field, f"has a path of {len(text)} characters, more than the {PATH_CHARACTERS} allowed")
    steps = paths.steps(text)
    if any(isinstance(step, int) for step in steps):
        raise InvalidInput(field, f"{text!r} names one place in a list", hint="Write * for every element of it.")
    if not steps or paths.inside("", steps) != text:
        raise InvalidInput(field, f"{text!r} is no path", hint=_HINT)
    if len(steps) > defaults.DEPTH:
        raise TooLarge(field, f"has a path of {len(steps)} steps, more than the {defaults.DEPTH} allowed")
    return text
