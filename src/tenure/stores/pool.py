"""What a store tells of the connections that the handlers and producers of this process share."""

from typing import NamedTuple

import msgspec


class PoolWait(NamedTuple):
    """callers: how many of this process wait for a connection now. seconds: how long the first of them has."""

    callers: int = 0
    seconds: float = 0.0


class Room(msgspec.Struct, frozen=True, kw_only=True):
    """Connections of a server. limit: how many it gives to all its clients, as far as this user and database may have
    them. left: how many of these nobody has now."""

    limit: int
    left: int


class NoPool:
    """Part of a store whose callers share no connections."""

    @property
    def pool(self) -> int | None:
        return None

    def resize(self, size: int) -> bool:
        return True

    def waiting(self) -> PoolWait:
        return PoolWait()

    def room(self) -> Room | None:
        return None
