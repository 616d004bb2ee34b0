"""Which encodings of PostgreSQL will do: SQLite takes every text, and so has every other place of jobs."""

from typing import Final

from tenure.core.errors import Misconfigured

_EVERY_TEXT: Final = "UTF8"


def check(name: str | None, message: str, hint: str) -> None:
    """Raises Misconfigured where not every text can be said in the encoding of this name: some jobs alone would be
    refused, in words of the driver or the server. None: nobody says which it is."""
    if name not in (None, _EVERY_TEXT):
        raise Misconfigured(message, hint=hint)
