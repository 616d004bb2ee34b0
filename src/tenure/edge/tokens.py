"""Lease tokens as a worker over HTTP gets to see them: `<stored token>.<scope>.<mac>`.

The mac binds the token to the worker's name, which no principal of another source has, under the database's digest
key. Nobody else can use a token that leaked, and what the database holds is no token: owner and token are checked
before any statement. The scope is that of the claim, in short: while the credential still has it, the job lies in it
and need not be looked at.
"""

import hmac
from functools import lru_cache
from hashlib import blake2b
from typing import Final, NamedTuple

from tenure.core.principal import Principal, Scope

_MAC_BYTES: Final = 16
_SCOPE_BYTES: Final = 8
_PURPOSE: Final = b"lease"


class Opened(NamedTuple):
    """stored: what the job's row holds. is_of_scope: whether the scope is the one that the job was claimed in."""

    stored: str
    is_of_scope: bool


def sealed(stored: str, principal: Principal, digest_key: bytes) -> str:
    """The token for a worker. stored: what the job's row holds."""
    sealing = f"{stored}.{_short(principal.scope)}"
    return f"{sealing}.{_mac(sealing, principal.name, digest_key)}"


def opened(token: str, principal: Principal, digest_key: bytes) -> Opened | None:
    """None for a token that was not made for this worker on this database."""
    sealing, _, mac = token.rpartition(".")
    stored, _, scope = sealing.rpartition(".")
    expected = _mac(sealing, principal.name, digest_key)
    if not stored or not hmac.compare_digest(mac.encode(errors="replace"), expected.encode()):
        return None
    return Opened(stored, scope == _short(principal.scope))


def _mac(sealing: str, worker: str, digest_key: bytes) -> str:
    said = f"{sealing}\n{worker}".encode(errors="surrogatepass")
    return blake2b(said, key=digest_key, digest_size=_MAC_BYTES, person=_PURPOSE).hexdigest()


@lru_cache(maxsize=1024)
def _short(scope: Scope) -> str:
    """The same for the same tenants, kinds and queues."""
    said = [None if names is None else sorted(names) for names in (scope.tenants, scope.kinds, scope.queues)]
    return blake2b(repr(said).encode(errors="surrogatepass"), digest_size=_SCOPE_BYTES).hexdigest()
