"""Error texts as they may be stored: without secrets, URLs and paths, within their limit, storable anywhere."""

import re
from typing import Any, Final

from tenure.core import defaults
from tenure.core.payloads.documents import UNSTORABLE

_LOOKED_AT: Final = 32_768
_STEERS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_RULES: Final = (
    (re.compile(r"\b([a-z][a-z0-9+.-]{0,30}://)[^\s'\"<>]+", re.IGNORECASE), r"\1…"),
    (
        re.compile(
            r"""(?ix)\b(password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|authorization|cookie)
                (["']?\s*[:=]\s*["']?)(?:bearer\s+|basic\s+)?[^\s"',;&}]+"""
        ),
        r"\1\2…",
    ),
    (re.compile(r"(?i)\b(bearer|basic)\s+[a-z0-9._~+/=-]{8,}"), r"\1 …"),
    (re.compile(r"(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]+"), "…"),
    (re.compile(r"(?<![\w.])(?:[A-Za-z]:)?(?:[\\/][\w.@~+-]+){2,}"), "…"),
)


def message(text: str) -> str:
    """An error message for everyone who may see the job: cleaned, then cut to 4 KiB.

    What lies far beyond the cut is not looked at: a search through megabytes would hold up the whole process.
    """
    text = _beginning(text)
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return cut(text, defaults.MESSAGE_BYTES)


def shown(text: str) -> str:
    """Text of others as a terminal gets to see it: what would steer it, or turn the order of letters, is written out as
    an escape of JSON (in which it means the same)."""
    return _STEERS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def code(text: str) -> str:
    """A code of whoever wrote it, storable and cut to the length that faces allow."""
    said = storable(text)
    return said if len(said) <= defaults.CODE_CHARACTERS else f"{said[: defaults.CODE_CHARACTERS - 1]}…"


def reason(text: str) -> str:
    """Why somebody did something, as the audit keeps it: storable, up to 4 KiB."""
    return cut(text, defaults.MESSAGE_BYTES)


def _beginning(text: str) -> str:
    """At most the first 32 Ki characters, without the word that the end cuts in two unless it is a very long one."""
    if len(text) <= _LOOKED_AT:
        return text
    end = max(text.rfind(space, 0, _LOOKED_AT) for space in " \n\t")
    return text[: end if end > _LOOKED_AT // 2 else _LOOKED_AT]


def traceback(text: str) -> str:
    """A traceback for operators: storable, its end kept when it is over 16 KiB."""
    data = storable(text).encode()
    return data[-defaults.TRACEBACK_BYTES :].decode(errors="ignore")


def cut(text: str, most: int) -> str:
    """`text` made storable and cut to at most `most` UTF-8 bytes, never inside a character."""
    data = storable(text).encode()
    return text_of(data[: most - 3]) + "…" if len(data) > most else text_of(data)


def text_of(data: bytes) -> str:
    return data.decode(errors="ignore")


def storable(text: str) -> str:
    """With U+FFFD in the place of each NUL and lone surrogate."""
    return UNSTORABLE.sub("\ufffd", text)


def storable_texts(value: Any, depth: int = defaults.DEPTH) -> Any:
    """A JSON value with all its texts made storable, keys too. depth: of nesting; what lies deeper stays as it is."""
    if type(value) is str:
        return storable(value)
    if depth == 0:
        return value
    if type(value) is list:
        return [storable_texts(item, depth - 1) for item in value]
    if type(value) is dict:
        return {storable(key): storable_texts(item, depth - 1) for key, item in value.items()}
    return value
