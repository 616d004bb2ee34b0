"""Lease tokens as a worker over HTTP gets to see them: `<stored token>.<mac>`.

The mac binds the token to the worker's name, which no principal of another source has, under the database's digest
key. Nobody else can use a token that leaked, and what the database holds is no token: owner and token are checked
before any statement.
"""

import hmac
from hashlib import blake2b
from typing import Final

_MAC_BYTES: Final = 16
_PURPOSE: Final = b"lease"


def sealed(stored: str, worker: str, digest_key: bytes) -> str:
    """The token for `worker`. stored: what the job's row holds."""
    return f"{stored}.{_mac(stored, worker, digest_key)}"


def opened(token: str, worker: str, digest_key: bytes) -> str | None:
    """What the job's row holds, or None for a token that was not made for `worker` on this database."""
    stored, _, mac = token.rpartition(".")
    expected = _mac(stored, worker, digest_key)
    return stored if stored and hmac.compare_digest(mac.encode(errors="replace"), expected.encode()) else None


def _mac(stored: str, worker: str, digest_key: bytes) -> str:
    said = f"{stored}\n{worker}".encode(errors="surrogatepass")
    return blake2b(said, key=digest_key, digest_size=_MAC_BYTES, person=_PURPOSE).hexdigest()
