"""The base of every answer's body."""

import msgspec


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """Base of all of them."""
