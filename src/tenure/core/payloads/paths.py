"""Where inside an argument a value stands: `payload.items[3].name`, `payload["a.b"]`.

Names with dots, brackets, quotes or spaces are quoted as JSON, so that every path can be taken apart again.
"""

import json
import re
from collections.abc import Iterable
from typing import Any, Final

_PLAIN: Final = re.compile(r"[^.\[\]\"\s]+")
_STEP: Final = re.compile(r'\.?(?P<plain>[^.\[\]"\s]+)|\[(?P<index>\d+)\]|\[(?P<quoted>"(?:[^"\\]|\\.)*")\]')

Steps = Any
"""A path that is not written out yet: text, or `(place, step)`. Cheap to make where it is seldom needed."""


def written(place: Steps) -> str:
    """The path of a place."""
    steps: list[str | int] = []
    while isinstance(place, tuple):
        place, step = place
        steps.append(step)
    return inside(place, reversed(steps))


def inside(path: str, steps: Iterable[str | int]) -> str:
    """The path of what lies these steps inside of `path`. path: may be empty."""
    for step in steps:
        path = f"{path}[{step}]" if isinstance(step, int) else member(path, step)
    return path


def member(path: str, name: str) -> str:
    """The path of a member of an object. path: may be empty."""
    if not _PLAIN.fullmatch(name):
        return f"{path}[{json.dumps(name, ensure_ascii=False)}]"
    return f"{path}.{name}" if path else name


def below(outer: str, path: str) -> str:
    """`path`, which is one inside of `outer`, as seen from outside."""
    return f"{outer}{path}" if path.startswith("[") else f"{outer}.{path}"


def steps(path: str) -> list[str | int]:
    """The names and indexes of a path, as far as it can be read."""
    found: list[str | int] = []
    at = 0
    while at < len(path) and (step := _STEP.match(path, at)) is not None:
        found.append(_value(step))
        at = step.end()
    return found


def _value(step: "re.Match[str]") -> str | int:
    if step["index"] is not None:
        return int(step["index"])
    return step["plain"] if step["plain"] is not None else str(json.loads(step["quoted"]))
