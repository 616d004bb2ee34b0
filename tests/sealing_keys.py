"""Encryption keys for tests: each is known by its id alone."""

import base64
import hashlib

from tenure.stores.sealing.keyring import Keyring


def said(*ids: str) -> str:
    """The setting with the keys of these ids, the first one sealing."""
    return ",".join(f"{key_id}:{base64.b64encode(hashlib.sha256(key_id.encode()).digest()).decode()}" for key_id in ids)


def keyring(*ids: str) -> Keyring:
    return Keyring(said(*ids))
