"""What was asked cannot be asked so."""

from collections.abc import Iterable

from tenure.core.errors.base import TenureError
from tenure.core.spelling import meant


class InvalidInput(TenureError, ValueError):
    """A bad argument. `field` is its name, with a path inside it where there is one (`payload.items[3]`)."""

    code = "invalid_input"

    def __init__(self, field: str, message: str, *, code: str | None = None, hint: str | None = None) -> None:
        super().__init__(f"{field}: {message}", code=code, hint=hint)
        self.field = field


class TooLarge(InvalidInput):
    """A size beyond its bound: in bytes, in depth, in number."""

    code = "too_large"


class UnknownKind(InvalidInput):
    """No task is declared, and no kind stored, under this name. known: names that there are, as far as the caller may
    know them."""

    code = "unknown_kind"
    hint = "Declare it with @app.task, or run `tenure kinds set`."

    def __init__(self, kind: str, known: Iterable[str] = ()) -> None:
        hint = f"{meant(kind, known)} {self.hint}".lstrip()
        super().__init__("kind", f"no task or kind is named {kind!r}", hint=hint)


class Misconfigured(TenureError, ValueError):
    """A declaration or a setting that cannot work."""

    code = "misconfigured"
