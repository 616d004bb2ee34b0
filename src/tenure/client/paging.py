"""Lists that come in pages."""

from typing import Any, Protocol


class Page(Protocol):
    @property
    def next(self) -> Any:
        """The cursor of the following page, None at the end."""
