"""The keys: the first one seals, each one opens what it has sealed. AES-256-GCM of the library `cryptography`."""

import binascii
import os
import re
from collections.abc import Iterator
from typing import Any, Final

from tenure.core.errors import Misconfigured
from tenure.core.secrecy.sealed import (
    KEY_ID_LENGTH,
    Column,
    RowKey,
    at_rest,
    belonging,
    damaged,
    head_of,
    is_sealed,
    key_id_of,
)

SETTING: Final = "encryption_keys"
KEY_BYTES: Final = 32
NONCE_BYTES: Final = 12
_KEY_ID: Final = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{KEY_ID_LENGTH - 1}}}")
_FORM: Final = "Write <id>:<base64 of 32 random bytes>, several with commas between them, the one that seals first."


class Keyring:
    """Safe to share between threads. Shows the ids of its keys, never the keys."""

    def __init__(self, text: str) -> None:
        """text: the setting. Raises Misconfigured, which names no key; also where `cryptography` is not installed."""
        cipher = _cipher()
        self._ciphers: dict[str, Any] = {}
        for place, (key_id, key) in enumerate(_keys(text), start=1):
            if key_id in self._ciphers:
                raise _bad(f"key {place} has the id {key_id!r} of an earlier one")
            self._ciphers[key_id] = cipher(key)
        self.first = next(iter(self._ciphers))
        self._head = head_of(self.first)

    def __repr__(self) -> str:
        return f"<Keyring {', '.join(self.ids)}>"

    @property
    def ids(self) -> tuple[str, ...]:
        """The first one seals."""
        return tuple(self._ciphers)

    def seal(self, text: str, column: Column, place: RowKey) -> str:
        """The sealed text of a document in its place; one that is sealed already stays as it is."""
        if is_sealed(text):
            return at_rest(text)
        nonce = os.urandom(NONCE_BYTES)
        sealed = self._ciphers[self.first].encrypt(nonce, text.encode(), belonging(column, place))
        return self._head + binascii.b2a_base64(nonce + sealed, newline=False).decode()

    def open(self, text: str, column: Column, place: RowKey) -> str:
        """The document; the sealed text itself where its key is missing, marked as damaged where that does not open
        it."""
        key_id = key_id_of(text)
        if key_id is None:
            return text
        cipher = self._ciphers.get(key_id)
        if cipher is None:
            return text
        try:
            raw = binascii.a2b_base64(text[len(head_of(key_id)) :], strict_mode=True)
            opened: bytes = cipher.decrypt(raw[:NONCE_BYTES], raw[NONCE_BYTES:], belonging(column, place))
        except (_invalid_tag(), ValueError):
            return damaged(text)
        return opened.decode()


def _keys(text: str) -> Iterator[tuple[str, bytes]]:
    """Raises Misconfigured."""
    for place, said in enumerate(text.split(","), start=1):
        key_id, colon, encoded = said.strip().partition(":")
        if not colon or not _KEY_ID.fullmatch(key_id):
            raise _bad(f"key {place} has no id of 1 to {KEY_ID_LENGTH} letters, digits and ._- before a colon")
        try:
            key = binascii.a2b_base64(encoded.strip(), strict_mode=True)
        except ValueError:
            raise _bad(f"key {place} ({key_id!r}) is not base64") from None
        if len(key) != KEY_BYTES:
            raise _bad(f"key {place} ({key_id!r}) is {len(key)} bytes long, not {KEY_BYTES}")
        yield key_id, key


def _bad(why: str) -> Misconfigured:
    return Misconfigured(f"{SETTING}: {why}", code="bad_encryption_keys", hint=_FORM)


def _cipher() -> Any:
    """The cipher's class. Raises Misconfigured where it is not installed."""
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError as error:
        raise Misconfigured(
            f"{SETTING} needs cryptography, which is not installed",
            hint="Run pip install 'tenure[encryption]', in a clone of its source pip install '.[encryption]'.",
        ) from error
    return AESGCM


def _invalid_tag() -> type[Exception]:
    from cryptography.exceptions import InvalidTag

    return InvalidTag
