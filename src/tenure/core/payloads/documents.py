"""JSON documents: what the product accepts as payload, result, checkpoint or progress, settled above the stores.

Documents travel and rest as text. Accepted: objects with string keys, arrays, strings of valid Unicode without
NUL, integers of at most 308 digits (exact), finite floats, booleans, null; nested at most 64 deep; at most the
given number of UTF-8 bytes. 1 and 1.0 are different documents. A number with a point or an exponent is the nearest
double, stored in its shortest spelling; blanks are not stored.
"""

import json
import math
import re
from collections.abc import Callable
from typing import Any, Final

import msgspec

from tenure.core import defaults
from tenure.core.errors import InvalidInput, TooLarge
from tenure.core.payloads import plain_documents, structure
from tenure.core.payloads.paths import Steps, written

_LONG_NUMBER: Final = re.compile(r"\d{16,}|[eE]")
UNSTORABLE: Final = re.compile("[\0\ud800-\udfff]")
_BIGGEST: Final = 10**defaults.INTEGER_DIGITS
_LONG_INTEGER: Final = "integer string conversion"
"""What Python says of an integer that has more digits than it reads at once."""

_FITS_64_BITS: Final = (-(2**63), 2**63 - 1)

_encode = msgspec.json.Encoder().encode
_encode_sorted = msgspec.json.Encoder(order="sorted").encode
_decode = msgspec.json.Decoder().decode


def dump(field: str, value: Any, most: int = defaults.PAYLOAD_BYTES) -> str:
    """The JSON text of a Python value.

    field: the argument's name, for the message. value: any of dict, list, tuple, str, int, float, bool, None.
    most: the limit in UTF-8 bytes, inclusive.
    Raises InvalidInput, or TooLarge over the limit or depth.
    """
    plain = _check(field, value, defaults.DEPTH)
    text = (_encode(value) if plain else _dump_big(value)).decode()
    return _within(field, text, most)


def canonical(value: Any) -> bytes:
    """The one spelling of a checked value: keys sorted, no spaces. What digests are made of."""
    try:
        return _encode_sorted(value)
    except OverflowError:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def load(text: str) -> Any:
    """The Python value of a stored document; every digit of its integers is kept."""
    return json.loads(text) if _LONG_NUMBER.search(text) else _decode(text)


def parse(
    field: str,
    text: str | bytes | bytearray,
    most: int = defaults.PAYLOAD_BYTES,
    depth: int = defaults.DEPTH,
    judged: Callable[[Any], Any] | None = None,
) -> Any:
    """The value of a document from outside. most: UTF-8 bytes, inclusive. depth: of nesting, inclusive. judged: may
    mend the value, and says what of it is judged here; the rest is for `dump`, which refuses it alike.

    Raises InvalidInput for anything but one JSON document as the module's head describes: broken UTF-8, NaN,
    duplicate keys, numbers out of range; TooLarge over the limit or depth.
    """
    if not isinstance(text, str) and len(text) <= most and (plain := plain_documents.parsed(text, depth)) is not None:
        return plain
    try:
        raw = text if isinstance(text, str) else text.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(field, "is not valid UTF-8", code="invalid_json") from error
    _within(field, raw, most)
    value = _decoded(field, raw) if judged is None else _decoded_however_deep(field, raw, depth)
    _check(field, value if judged is None else judged(value), depth)
    return value


def _decoded_however_deep(field: str, raw: str, depth: int) -> Any:
    """The same of a text that is nested deeper than a parser goes, without what lies too deep anyway."""
    try:
        return _decoded(field, raw)
    except TooLarge:
        pruned = structure.pruned(raw.encode(errors="surrogatepass"), depth + 1)
    try:
        return _decoded(field, pruned.decode(errors="surrogatepass"))
    except InvalidInput:
        raise _too_deep(field) from None


def _decoded(field: str, raw: str) -> Any:
    """With a `_Flaw` in the place of each value that is refused: whoever walks over it knows where it stands."""
    try:
        try:
            return _strictly.decode(raw)
        except ValueError as error:
            if _LONG_INTEGER not in str(error):
                raise
            return _finding_long_integers.decode(raw)
    except RecursionError:
        raise _too_deep(field) from None
    except ValueError as error:
        raise InvalidInput(field, f"is not JSON: {error}", code="invalid_json") from None


def _check(place: Steps, value: Any, depth: int) -> bool:
    """Refuses what the module's head does not list. True when every integer fits in 64 bits."""
    kind = type(value)
    if kind is str:
        if _is_unstorable(value):
            raise bad_text(written(place), value)
        return True
    if kind is bool or value is None:
        return True
    if kind is int:
        if not -_BIGGEST < value < _BIGGEST:
            raise out_of_range(written(place))
        return bool(_FITS_64_BITS[0] <= value <= _FITS_64_BITS[1])
    if kind is float:
        if not math.isfinite(value):
            raise out_of_range(written(place))
        return True
    if depth == 0 and kind in (dict, list, tuple):
        raise _too_deep(written(place))
    if kind is dict:
        return _check_object(place, value, depth)
    if kind is list or kind is tuple:
        return _check_array(place, value, depth)
    if kind is _Flaw:
        raise value.at(place)
    raise InvalidInput(
        written(place), f"{kind.__name__} is not a JSON type", hint="Pass text, numbers, lists and dicts."
    )


def _check_object(place: Steps, value: dict[Any, Any], depth: int) -> bool:
    plain = True
    for key, item in value.items():
        if type(key) is not str:
            raise InvalidInput(written(place), f"has the key {key!r}, which is no text")
        if _is_unstorable(key):
            raise bad_text(written(place), key, "has a key that contains")
        plain &= _check((place, key), item, depth - 1)
    return plain


def _check_array(place: Steps, value: list[Any] | tuple[Any, ...], depth: int) -> bool:
    plain = True
    for index, item in enumerate(value):
        plain &= _check((place, index), item, depth - 1)
    return plain


def _is_unstorable(text: str) -> bool:
    """As UNSTORABLE finds it, several times sooner."""
    if text.isascii():
        return "\0" in text
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return "\0" in text


def _dump_big(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def _within(field: str, text: str, most: int) -> str:
    if len(text) * 4 > most:
        size = len(text) if text.isascii() else len(text.encode(errors="surrogatepass"))
        if size > most:
            raise TooLarge(field, f"is {size:,} bytes, more than the {most:,} allowed")
    return text


def bad_text(path: str, value: str, contains: str = "contains") -> InvalidInput:
    if "\0" in value:
        return InvalidInput(path, f"{contains} NUL (U+0000), which PostgreSQL cannot store", code="nul_character")
    return InvalidInput(path, f"{contains} a lone surrogate, which is no Unicode text", code="lone_surrogate")


def out_of_range(path: str) -> InvalidInput:
    """The refusal of a number that the databases would not keep as it is."""
    return InvalidInput(
        path,
        f"is a number out of range: integers have at most {defaults.INTEGER_DIGITS} digits, floats are finite",
        code="number_out_of_range",
    )


def _too_deep(path: str) -> TooLarge:
    return TooLarge(path, f"is nested more than {defaults.DEPTH} deep", code="too_deep")


class _Flaw:
    """Stands in a parsed document for what is refused. key: the member of an object that is there twice; None: the
    value itself is a number out of range."""

    def __init__(self, key: str | None = None) -> None:
        self._key = key

    def at(self, place: Steps) -> InvalidInput:
        """The refusal."""
        if self._key is None:
            return out_of_range(written(place))
        where = written((place, self._key))
        return InvalidInput(where, "stands twice: an object has the same key twice", code="duplicate_key")


def _no_number(_name: str) -> _Flaw:
    return _Flaw()


def _integer(text: str) -> int | _Flaw:
    return int(text) if len(text) <= defaults.INTEGER_DIGITS + 1 else _Flaw()


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any] | _Flaw:
    members = dict(pairs)
    return members if len(members) == len(pairs) else _Flaw(_repeated(pairs))


def _repeated(pairs: list[tuple[str, Any]]) -> str:
    """The first key that is there for the second time."""
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            break
        seen.add(key)
    return key


_strictly: Final = json.JSONDecoder(parse_constant=_no_number, object_pairs_hook=_members)
_finding_long_integers: Final = json.JSONDecoder(
    parse_constant=_no_number, parse_int=_integer, object_pairs_hook=_members
)
