"""Processes of a later release, whose further migrations are the files of FOLDER.

`python -m tests.faults.migrations.later_release URL FOLDER [BATCH]` migrates; in the middle of batch number BATCH of a
rewrite of SQLite it is killed. With `python -m tenure …` in the place of BATCH it does that.
"""

import os
import runpy
import signal
import sqlite3
import sys
from functools import partial
from pathlib import Path

from tenure.app.databases.addresses import store_of
from tenure.stores.migrations import Migration, check_steps, in_order
from tenure.stores.postgres import migrate as postgres
from tenure.stores.postgres import migration_text
from tenure.stores.sqlite import migrating as sqlite
from tenure.stores.sqlite.migration_batches import Batches


def further(folder: Path, url: str) -> list[Migration]:
    """The files of a folder, as a release would have them."""
    found = in_order(Migration(file.stem, file.read_text()) for file in folder.glob("*.sql"))
    for migration in found:
        check_steps(migration, sqlite.refuse if url.startswith("sqlite") else migration_text.refuse)
    return found


def main(url: str, folder: str, batch: str = "0", *command: str) -> None:
    more = further(Path(folder), url)
    for place in (postgres, sqlite):
        place.known = partial(tuple, (*place.known(), *more))
    if command:
        _minus_m, module, *sys.argv[1:] = command
        runpy.run_module(module, run_name="__main__")
    else:
        die_in(int(batch))
        store_of(url).migrate()


def die_in(batch: int) -> None:
    write, written = Batches._write, []

    def dying(self: Batches, connection: sqlite3.Connection, within: str, bounds: tuple[object, ...]) -> None:
        write(self, connection, within, bounds)
        written.append(within)
        if len(written) == batch:
            os.kill(os.getpid(), signal.SIGKILL)

    Batches._write = dying  # type: ignore[method-assign]


if __name__ == "__main__":
    main(*sys.argv[1:])
