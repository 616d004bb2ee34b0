"""How many values a JSON text holds and how deep they lie, told by its marks before anything is made of them.

An empty list is two bytes of text and thirty times as many in memory: what a text may become is bounded by its values,
not by its length alone.
"""

import re
from collections.abc import Iterator
from typing import Final

from tenure.core.errors import TooLarge

_MARKS: Final = (b",", b"[", b"{")
"""Each value of a text is the first, or comes after one of these."""

_QUOTE: Final = b'"'
_STRETCH: Final = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+){0,20000}+', re.DOTALL)
"""Of a text in quotes, as far as other threads may be kept waiting."""

_NESTING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{}]', re.DOTALL)
"""A text in quotes, a bracket or a brace."""


def check_values(field: str, text: bytes | bytearray, most: int) -> None:
    """Raises TooLarge for a text with more than so many values: members, items, and itself. Of what is no JSON it
    counts what looks like values."""
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


def pruned(text: bytes, depth: int) -> bytes:
    """The text without what is nested deeper. What is left of one that is no JSON is none either, or nested too
    deep."""
    kept, start = [], 0
    for level, opening, closing in _nested(text):
        if level == depth:
            kept.append(text[start : opening + 1])
            start = closing
    return b"".join([*kept, text[start:]])


def _nested(text: bytes) -> Iterator[tuple[int, int, int]]:
    """The lists and objects, inner ones first: how many each lies in, where it opens, and where it closes."""
    openings: list[int] = []
    for mark in _NESTING.finditer(text):
        if mark[0] in (b"[", b"{"):
            openings.append(mark.start())
        elif mark[0] in (b"]", b"}") and openings:
            opening = openings.pop()
            yield len(openings), opening, mark.start()
