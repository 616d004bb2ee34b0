"""A process that is a scheduler and nothing else: `python -m tests.crash.scheduling URL CLOCK`.

CLOCK is a file with the instant that it believes in, in microseconds, which somebody else moves on. It ends with its
parent.
"""

import mmap
import os
import struct
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tenure.core.errors import StoreError
from tenure.engine.upkeep.scheduler import Scheduler
from tenure.stores.protocol import Store

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PAUSE = 0.002


class SharedClock:
    """One clock of several processes."""

    def __init__(self, path: Path) -> None:
        if not path.exists():
            path.write_bytes(b"\0" * 8)
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), 8)

    def __call__(self) -> datetime:
        return _EPOCH + timedelta(microseconds=struct.unpack("<q", self._map[:8])[0])

    def to(self, instant: datetime) -> None:
        self._map[:8] = struct.pack("<q", (instant - _EPOCH) // timedelta(microseconds=1))


def store_on(url: str, clock: SharedClock) -> Store:
    if url.startswith("sqlite:"):
        from tenure.stores.sqlite.store import SqliteStore

        return SqliteStore(url, clock=clock)
    from tenure.stores.postgres.store import PostgresStore

    return PostgresStore(url, clock=clock)


def main() -> None:
    store, parent = store_on(sys.argv[1], SharedClock(Path(sys.argv[2]))), os.getppid()
    store.open()
    scheduler = Scheduler(store)
    while os.getppid() == parent:
        try:
            scheduler.tick()
        except StoreError:
            continue
        time.sleep(_PAUSE)


if __name__ == "__main__":
    main()
