"""Secret values in texts: found in the spellings in which programs write them, and replaced by the mask.

The rule, by the length of a value in characters:

- 4 and more    replaced wherever it stands, also inside of a longer word
- 3             replaced where it stands alone, with no letter, digit or _ beside it (a card's check number)
- fewer         never: a text without every "1" or "a" says nothing any more

A number counts by its digits as JSON writes them. true, false, null and the names of members are no secrets.

Spellings: the value itself, as JSON and as Python write it, percent-encoded, in base64 (also inside of something
longer), and each long line of a value of several lines. Of a job with up to a hundred values also as JSON and Python
write what either has written, such as a body of JSON in an exception. A value that is cut, changed or hashed is not
recognised.
"""

import base64
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from tenure.core.secrecy.secret_paths import MASK

_ANYWHERE: Final = 4
_ALONE: Final = 3
_LINE: Final = 16
"""Characters from which on a line of a longer value counts by itself."""

_IN_BASE64: Final = 8
"""Characters from which on a value is looked for in base64."""

_UNRESERVED: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
"""Bytes that percent-encoding leaves as they are (RFC 3986)."""

_WRITTEN_OTHERWISE: Final = re.compile(r"""[\x00-\x1f\x7f"'\\/]""")
"""Characters of ASCII that JSON or Python may write as escapes."""

_ESCAPE: Final = re.compile(r"(?<=\\)u([0-9a-f]{4})")

MOST: Final = 500
"""Values that are looked for. Of a job that has more, no text is told at all."""

NESTED: Final = 100
"""Values up to which they are looked for inside of what is written twice; more would take long."""

_WORK: Final = 1_000_000
"""Looks for one spelling in one part of a document, of which no more are taken."""

LOOKED_AT: Final = 65_536
"""Characters of a text that are looked at; what lies beyond them is left off."""


class SecretValues:
    """The secret values of one job. Replacing them costs milliseconds a text, of hundreds of values a tenth of a
    second."""

    __slots__ = ("_alone", "_are_too_many", "_spellings")

    def __init__(self, found: Iterable[Any]) -> None:
        """found: plain JSON values, with everything in them."""
        texts = {text for value in found for text in _texts(value)}
        self._are_too_many = len(texts) > MOST
        told = set() if self._are_too_many else texts
        spellings = {spelling for text in told for spelling in _spellings(text, is_nested=len(told) <= NESTED)}
        self._spellings = sorted((one for one in spellings if len(one) >= _ANYWHERE), key=len, reverse=True)
        short = "|".join(sorted(re.escape(text) for text in told if len(text) == _ALONE))
        self._alone = re.compile(rf"(?<!\w)(?:{short})(?!\w)") if short else None

    def hidden(self, text: str, *, keeps_end: bool = False, is_cut: bool = False) -> str:
        """The text without them. keeps_end: of a long text the end is looked at, not the beginning.

        is_cut: the text was cut before (at its beginning, where it keeps its end), perhaps inside of a secret value.
        """
        if self._are_too_many:
            return MASK
        if len(text) > LOOKED_AT:
            text = text[-LOOKED_AT:] if keeps_end else text[:LOOKED_AT]
            is_cut = True
        for spelling in self._spellings:
            text = text.replace(spelling, MASK)
        if self._alone is not None:
            text = self._alone.sub(MASK, text)
        if is_cut:
            return self._without_part_at_begin(text) if keeps_end else self._without_part_at_end(text)
        return text

    def _without_part_at_end(self, text: str) -> str:
        ends = len(text)
        for spelling in self._spellings:
            at = text.find(spelling[:_ANYWHERE], max(0, len(text) - len(spelling)))
            while at >= 0:
                if spelling.startswith(text[at:]):
                    ends = min(ends, at)
                    break
                at = text.find(spelling[:_ANYWHERE], at + 1)
        return text if ends == len(text) else f"{text[:ends]}{MASK}"

    def _without_part_at_begin(self, text: str) -> str:
        begins = 0
        for spelling in self._spellings:
            at = text.rfind(spelling[-_ANYWHERE:], 0, len(spelling))
            while at >= 0:
                if spelling.endswith(text[: at + _ANYWHERE]):
                    begins = max(begins, at + _ANYWHERE)
                    break
                at = text.rfind(spelling[-_ANYWHERE:], 0, at + _ANYWHERE - 1)
        return text if begins == 0 else f"{MASK}{text[begins:]}"

    def within(self, value: Any) -> Any:
        """A plain JSON value without them, in texts, numbers and the names of members. What would take long is hidden
        whole."""
        if self._are_too_many:
            return MASK
        parts = _parts(value)
        if not self._may_be_in("\n".join(parts)):
            return value
        return MASK if len(parts) * len(self._spellings) > _WORK else self._within(value)

    def _may_be_in(self, text: str) -> bool:
        return any(one in text for one in self._spellings) or bool(self._alone and self._alone.search(text))

    def _within(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.hidden(value)
        if isinstance(value, dict):
            return {self.hidden(name): self._within(member) for name, member in value.items()}
        if isinstance(value, list):
            return [self._within(element) for element in value]
        if isinstance(value, bool) or value is None:
            return value
        written = json.dumps(value)
        return value if (told := self.hidden(written)) == written else told


def _parts(document: Any) -> list[str]:
    """Every text, number and name of a member as it stands there, before JSON writes any of it otherwise."""
    found: list[str] = []
    left = [document]
    while left:
        value = left.pop()
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, dict):
            found += value
            left += value.values()
        elif isinstance(value, list):
            left += value
        elif value is not None and not isinstance(value, bool):
            found.append(json.dumps(value))
    return found


def _texts(value: Any) -> Iterator[str]:
    """Every text and number in a plain JSON value, and the long lines of a text."""
    if isinstance(value, dict):
        for member in value.values():
            yield from _texts(member)
    elif isinstance(value, list):
        for element in value:
            yield from _texts(element)
    elif isinstance(value, str):
        lines = value.splitlines()
        yield from (line.strip() for line in lines if len(lines) > 1 and len(line.strip()) >= _LINE)
        yield from (text for text in {value, value.strip()} if len(text) >= _ALONE)
    elif value is not None and not isinstance(value, bool):
        written = json.dumps(value)
        if len(written) >= _ALONE:
            yield written


def _spellings(text: str, *, is_nested: bool) -> Iterator[str]:
    data = text.encode(errors="replace")
    yield text
    if not text.isascii() or _WRITTEN_OTHERWISE.search(text):
        written = {*_of_json(text), *_of_python(text), repr(data)[2:-1], repr(b'"' + data)[3:-1]}
        yield from written
        for one in written if is_nested else ():
            yield from (*_of_json(one), *_of_python(one))
    for left in (_UNRESERVED | {ord("/")}, _UNRESERVED):
        percent = "".join(chr(byte) if byte in left else f"%{byte:02X}" for byte in data)
        yield from (percent, percent.replace("%20", "+"))
    if len(text) >= _IN_BASE64:
        for shift in range(3):
            yield from _inside_base64(data, shift)


def _of_json(text: str) -> Iterator[str]:
    """Inside of a text in JSON: in letters or escapes, these in lower case or capitals, with or without one for the
    slash."""
    for written in (json.dumps(text, ensure_ascii=False)[1:-1], json.dumps(text)[1:-1]):
        yield written
        yield written.replace("/", "\\/")
    yield _ESCAPE.sub(lambda found: f"u{found[1].upper()}", written)


def _of_python(text: str) -> Iterator[str]:
    """Inside of a text that Python shows, whichever quotes stand around it."""
    for show in (repr, ascii):
        yield show(text)[1:-1]
        yield show(f'"{text}')[2:-1]
    yield text.encode("ascii", "backslashreplace").decode()


def _inside_base64(data: bytes, shift: int) -> Iterator[str]:
    """What stands in base64 for the data alone, where so many bytes (of three) come before it and any others after
    it."""
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        written = encode(b"\0" * shift + data).decode()
        yield written[(0, 2, 3)[shift] : (shift + len(data)) * 8 // 6]
