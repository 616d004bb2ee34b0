"""How many values a JSON text holds, counted in its bytes before anything is made of them.

An empty list is two bytes of text and thirty times as many in memory: what a text may become is bounded by its values,
not by its length alone.
"""

import re
from typing import Final

from tenure.core.errors import TooLarge

_MARKS: Final = (b",", b"[", b"{")
"""Each value of a text is the first, or comes after one of these."""

_QUOTE: Final = b'"'
_STRETCH: Final = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+){0,20000}+', re.DOTALL)
"""Of a text in quotes, as far as other threads may be kept waiting."""


def check_values(field: str, text: bytes | bytearray, most: int) -> None:
    """Raises TooLarge for a text with more than so many values: members, items, and itself. Of what is no JSON it counts
    what looks like values."""
    if 1 + _marks(text, 0, len(text)) <= most:
        return
    count, at = 1, 0
    while at < len(text):
        opening = text.find(_QUOTE, at)
        count += _marks(text, at, len(text) if opening < 0 else opening)
        if count > most:
            raise TooLarge(field, f"holds more than {most:,} values", code="too_many_values")
        at = len(text) if opening < 0 else _behind_string(text, opening + 1)


def _behind_string(text: bytes | bytearray, at: int) -> int:
    """at: where its first character stands."""
    while at + 1 < len(text) and text[at : at + 1] != _QUOTE:
        stretch = _STRETCH.match(text, at)
        if stretch is None or stretch.end() == at:
            break
        at = stretch.end()
    return at + 1


def _marks(text: bytes | bytearray, start: int, end: int) -> int:
    return sum(text.count(mark, start, end) for mark in _MARKS)
