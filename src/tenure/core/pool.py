"""How many connections to the database the handlers and producers of one process share: its pool.

A worker's claims, heartbeats, upkeep and wake-ups have connections apart, so a pool that is too small loses no lease:
its callers wait for one another.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from tenure.core import defaults

RESERVED: Final = 4
"""Connections of a worker process beside its pool: for claims, heartbeats, upkeep, and for hearing wake-ups."""

LONG_WAIT: Final = 5.0
"""Seconds after which a wait for a connection is a trouble. One is had for a few milliseconds in the ordinary way, and
whoever gets none in `PATIENCE` is refused."""

PATIENCE: Final = 60.0
"""Seconds that a caller waits for a connection at most. A handler's lease is renewed meanwhile, so it waits rather than
fails."""


class Need(NamedTuple):
    """What a worker's pool is measured by.

    attempts: how many may run at once that share it; those in child processes have connections of their own, if they
    want any. processes: workers like this one, itself included. room: how many connections the server gives to all its
    clients; None: that is not known.
    """

    attempts: int
    processes: int = 1
    room: int | None = None

    @property
    def largest(self) -> int | None:
        """The largest pool that the server has room for; less than 1: for none."""
        return None if self.room is None else self.room // self.processes - RESERVED


def at_once(slots: int, kinds: Iterable[tuple[int, int | None]]) -> int:
    """How many jobs run at once at most. kinds: of each the slots that one job takes, and how many slots its jobs may
    take together."""
    jobs, left = 0, slots
    for each, together in sorted(kinds, key=lambda kind: kind[0]):
        more = min(left, left if together is None else together) // each
        jobs, left = jobs + more, left - more * each
    return jobs


def size(need: Need) -> int:
    """Of a pool whose size nobody has said: one for each attempt within bounds, and within the server's."""
    wanted = min(max(need.attempts, defaults.CONNECTIONS), defaults.CONNECTIONS_OF_WORKER)
    return wanted if need.largest is None else max(1, min(wanted, need.largest))


def overdrawn(need: Need, pool: int) -> str | None:
    """What is wrong, and the right size, where the server does not give as many connections as there may be; else
    None."""
    if need.room is None or need.largest is None or pool <= need.largest:
        return None
    opened = need.processes * (pool + RESERVED)
    whose = "this worker" if need.processes == 1 else f"{need.processes} worker processes"
    remedy = f"say {setting(need.largest)}, or" if need.largest > 0 else "start fewer processes, or"
    return (
        f"{whose} may open {opened} connections to the database ({pool} of handlers in each process), and its server "
        f"gives {need.room} to all clients: {remedy} raise its max_connections"
    )


def short(need: Need, pool: int) -> str | None:
    """What may wait, and the right size, where attempts share fewer connections than there are of them; else None."""
    if pool >= need.attempts:
        return None
    begun = (
        f"up to {need.attempts} attempts at once share {pool} connections to the database, "
        "and those that keep one let others wait"
    )
    if need.largest is None or need.attempts <= need.largest:
        return f"{begun}: {setting(need.attempts)} gives one to each"
    return (
        f"{begun}: its server has room for {setting(max(1, need.largest))}; "
        "for one each take fewer slots, or raise max_connections"
    )


def lasting(callers: int, seconds: float, pool: int, attempts: int) -> str | None:
    """What is wrong where callers have waited for a connection for too long; else None."""
    if not callers or seconds < LONG_WAIT:
        return None
    told = f"{callers} wait for one of {pool} connections to the database, the first for {seconds:.1f} s"
    remedy = (
        f"{setting(attempts)} gives one to each attempt" if pool < attempts else "`database_connections` allows more"
    )
    return f"{told}: {remedy}"


def setting(connections: int) -> str:
    """How a pool of this size is asked for."""
    return f"`--database-connections {connections}`"
