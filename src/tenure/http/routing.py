"""Which operation a path and a method name. Paths without parameters come before those with."""

import uuid
from collections.abc import Iterable
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from tenure.core import fields
from tenure.core.errors import NotFound
from tenure.edge.operation import Operation
from tenure.http.refusals import Refused, refused

_PARAMETER: Final = "{"


class Routed(Protocol):
    @property
    def operation(self) -> Operation: ...


R = TypeVar("R", bound=Routed)


class Found(NamedTuple, Generic[R]):
    """What stands at a path: by method, with the path's parameters as they were sent. is_open: whether everything here
    answers without a credential."""

    by_method: dict[str, R]
    parameters: dict[str, str]
    is_open: bool

    def get(self, method: str) -> R | None:
        """The one of a method; HEAD is GET without its body."""
        return self.by_method.get("GET" if method == "HEAD" else method)

    def take(self, method: str) -> R:
        """As `get`. Raises Refused: 404 or 405."""
        if not self.by_method:
            raise refused(404, "no_such_route", "There is nothing at this path.", "/docs lists every operation.")
        found = self.get(method)
        if found is None:
            raise _not_allowed(self.by_method)
        return found


class Routes(Generic[R]):
    def __init__(self, routed: Iterable[R]) -> None:
        self._plain: dict[tuple[str, ...], dict[str, R]] = {}
        self._patterns: dict[tuple[str, ...], dict[str, R]] = {}
        for one in routed:
            path = tuple(one.operation.path[1:].split("/"))
            kept = self._patterns if _PARAMETER in one.operation.path else self._plain
            kept.setdefault(path, {})[one.operation.method] = one
        places = {**self._plain, **self._patterns}.items()
        self._open = {
            path for path, by_method in places if all(it.operation.action is None for it in by_method.values())
        }

    def find(self, segments: tuple[str, ...]) -> Found[R]:
        """What stands at a path; nothing where nothing does."""
        plain = self._plain.get(segments)
        if plain is not None:
            return Found(plain, {}, segments in self._open)
        for pattern, by_method in self._patterns.items():
            if _fits(pattern, segments):
                pairs = zip(pattern, segments, strict=True)
                parameters = {part[1:-1]: said for part, said in pairs if part[0] == _PARAMETER}
                return Found(by_method, parameters, pattern in self._open)
        return Found({}, {}, False)


def checked(parameters: dict[str, str]) -> dict[str, str]:
    """The parameters of a path in their canonical spelling.

    Raises NotFound for an id that none can have, InvalidInput for a name that none can have.
    """
    return {name: _id(said) if name == "id" else fields.name(name, said) for name, said in parameters.items()}


def _id(said: str) -> str:
    try:
        return str(uuid.UUID(said))
    except ValueError:
        raise NotFound("there is nothing with this id") from None


def _fits(pattern: tuple[str, ...], segments: tuple[str, ...]) -> bool:
    if len(pattern) != len(segments):
        return False
    return all(said if part[0] == _PARAMETER else part == said for part, said in zip(pattern, segments, strict=True))


def _not_allowed(by_method: dict[str, R]) -> Refused:
    known = sorted({*by_method, *(["HEAD"] if "GET" in by_method else [])})
    allowed = ", ".join(known)
    return refused(405, "method_not_allowed", f"This path takes {allowed}.", headers=[("Allow", allowed)])
