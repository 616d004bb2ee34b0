"""Whether the server gives the connections that workers want, and handlers do not wait for one another."""

from collections.abc import Iterator

from tenure.app.settings import MOST_PROCESSES, MOST_SLOTS, Settings
from tenure.cli.finding import Finding, Level
from tenure.core import defaults, pool
from tenure.core.pool import Need
from tenure.stores.protocol import Room


def of_connections(shared: int | None, room: Room | None, settings: Settings) -> Iterator[Finding]:
    """By what the settings here say of a worker. shared: the size of this process's own pool; None: there is none.

    Raises Misconfigured for a setting that is no number.
    """
    if shared is None:
        return
    slots = settings.whole("slots", MOST_SLOTS) or defaults.SLOTS
    processes = settings.whole("processes", MOST_PROCESSES) or 1
    need = Need(slots, processes=processes, room=None if room is None else room.limit)
    said = settings.connections()
    size = said or pool.size(need)
    overdrawn, short = pool.overdrawn(need, size), None if said is None else pool.short(need, size)
    wanted = f"a worker process of {slots} slots has up to {size + pool.RESERVED} connections"
    if overdrawn is not None:
        yield Finding("connections", Level.WRONG, overdrawn)
    if short is not None:
        yield Finding("connections", Level.NOTE, short)
    if room is None:
        yield Finding("connections", Level.NOTE, f"{wanted}; the pooler between must have room for each of them")
    elif room.left < pool.RESERVED:
        words = (
            f"of the server's {room.limit} connections {room.left} are left, "
            f"and a worker cannot start with fewer than {pool.RESERVED}"
        )
        yield Finding("connections", Level.WRONG, words)
    elif overdrawn is None and short is None:
        yield Finding("connections", Level.OK, f"{wanted}, and of the server's {room.limit} {room.left} are left")
