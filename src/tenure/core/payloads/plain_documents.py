"""Most documents from outside are plain, which is seen at a glance: a strict parser costs four times as much.

A glance never refuses. What it does not take is for `core.payloads.documents` to judge.
"""

import re
from typing import Any, Final

import msgspec

from tenure.core import defaults

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode
_LONG_INTEGER: Final = re.compile(rb"[0-9]{%d}" % (defaults.INTEGER_DIGITS + 1))


def parsed(text: bytes | bytearray, depth: int) -> Any:
    """The value of a document that a strict parser takes; None for `null`, and for what has to be looked at closely.

    Without escapes there is no text that cannot be stored. It has as many quotes as what it is written as again, unless
    a key stood in it twice.
    """
    if b"\\" in text or text.count(b"{") + text.count(b"[") > depth:
        return None
    if len(text) > defaults.INTEGER_DIGITS and _LONG_INTEGER.search(text):
        return None
    try:
        value = _decode(text)
        return value if _encode(value).count(b'"') == text.count(b'"') else None
    except (ValueError, RecursionError):
        return None
