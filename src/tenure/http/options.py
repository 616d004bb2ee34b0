"""How the HTTP service behaves. Durations in seconds, sizes in bytes."""

from dataclasses import dataclass, field
from typing import Final

from tenure.core import defaults
from tenure.core.retention import Retention

BODY_BYTES: Final = 256 * 1024
"""A payload of 64 KiB written in the longest way that JSON has (three bytes of it for one), and what goes round it."""

BATCH_BYTES: Final = 16 * 1024 * 1024
HELD_BYTES: Final = 2 * BATCH_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class JwtOptions:
    """Tokens of an issuer, beside API keys. Whom one names is called `sub@issuer`, in the audit and as a worker.

    keys: a JWK set as JSON text, or the path of a file with one.
    algorithms: those that are taken, whatever a token says of itself.
    """

    issuer: str
    audience: str
    keys: str
    algorithms: tuple[str, ...] = ("RS256", "ES256")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceOptions:
    """insecure_local: nobody is asked for a key; only requests of this machine, and of no foreign page, are answered.

    body_bytes, batch_bytes: the longest body of an operation on one job and on many. held_bytes: of all bodies over
    64 KiB that are held at once, never less than batch_bytes. values: members and items that one body may hold.
    head_bytes: request line and headers. body_seconds: how long a body may take to arrive. answer_seconds: how long the
    database may take, beyond the wait of a long poll. failures: failed authentications that one address has free;
    failures_per_minute: how many it gets back. upkeep: whether due jobs, lost leases and old rows are looked after
    here; sweep, prune: how often.
    """

    insecure_local: bool = False
    jwt: JwtOptions | None = None
    body_bytes: int = BODY_BYTES
    batch_bytes: int = BATCH_BYTES
    held_bytes: int = HELD_BYTES
    values: int = 250_000
    head_bytes: int = 16 * 1024
    body_seconds: float = 20.0
    answer_seconds: float = 10.0
    failures: int = 20
    failures_per_minute: float = 20.0
    upkeep: bool = True
    sweep: float = defaults.SWEEP_INTERVAL
    prune: float = 60.0
    retention: Retention = field(default_factory=Retention)
