"""What all errors of the product have in common."""

from typing import ClassVar

from tenure.core.raised import Raised


class TenureError(Raised):
    """Base of every error of the product.

    code: short, stable, machine-readable. hint: what to do next, a sentence.
    """

    code: ClassVar[str] = "error"
    hint: ClassVar[str] = ""

    def __init__(self, message: str, *, code: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        if code is not None:
            self.code = code  # type: ignore[misc]
        if hint is not None:
            self.hint = hint  # type: ignore[misc]

    def __str__(self) -> str:
        return f"{self.message} ({self.code}). {self.hint}".rstrip()
