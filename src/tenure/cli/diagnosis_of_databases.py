"""What `tenure doctor` says of the database itself: its library, its clock, and what lies in the way of its
statements."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from tenure.cli.finding import Finding, Level
from tenure.cli.rendering import duration
from tenure.core.counting import counted
from tenure.stores.reading import Burden

MENDED_SQLITE: Final = (3, 51, 3)
CLOCK_DIFFERENCE: Final = timedelta(seconds=2)
OLD_SNAPSHOT: Final = timedelta(minutes=5)
LONG_LOG: Final = 64 << 20


def of_sqlite(url: str, version: tuple[int, ...]) -> Iterator[Finding]:
    """The bug that can lose a write-ahead log when two connections check it in at once; mended in 3.51.3."""
    if not url.startswith("sqlite:"):
        return
    text = ".".join(map(str, version))
    if version >= MENDED_SQLITE:
        yield Finding("sqlite", Level.OK, f"SQLite {text}")
    else:
        words = (
            f"SQLite {text} has the WAL-reset bug, mended in 3.51.3: several processes on one file can, rarely, damage "
            "it. Upgrade Python's SQLite, or keep to one process."
        )
        yield Finding("sqlite", Level.NOTE, words)


def of_clock(url: str, here: datetime, store: datetime) -> Iterator[Finding]:
    """The store's clock decides. A difference to that of PostgreSQL only puzzles people and producers that send run_at;
    an SQLite file that has seen a later instant waits for it."""
    gap = store - here
    length = duration(abs(gap).total_seconds())
    if abs(gap) <= CLOCK_DIFFERENCE:
        yield Finding("clock", Level.OK, "this machine and the database agree on the time")
    elif url.startswith("sqlite:"):
        words = (
            f"the database has seen an instant {length} ahead of this machine's clock, and its time stands still until "
            "then: delayed jobs, retries and leases that have ended wait. Set the clock where it is behind, else wait"
        )
        yield Finding("clock", Level.WRONG, words)
    else:
        side = "ahead of" if gap > timedelta() else "behind"
        yield Finding("clock", Level.WRONG, f"the database's clock is {length} {side} this machine's; set one of them")


def of_burden(burden: Burden | None) -> Iterator[Finding]:
    """An old snapshot keeps dead rows in every statement's way."""
    if burden is None:
        return
    rows = f"{counted(burden.dead_rows, 'dead row')} of jobs"
    if burden.oldest_snapshot > OLD_SNAPSHOT.total_seconds():
        words = (
            f"a transaction has been open for {duration(burden.oldest_snapshot)} and keeps {rows} from being cleaned "
            "away, which slows every claim: find it in pg_stat_activity (or pg_prepared_xacts) and end it"
        )
        yield Finding("snapshots", Level.WRONG, words)
    else:
        yield Finding("snapshots", Level.OK, f"no transaction is open for long; {rows}")


def of_log(url: str) -> Iterator[Finding]:
    """A reader that stays keeps SQLite's write-ahead log from starting afresh."""
    if not url.startswith("sqlite:///"):
        return
    log = Path(url.removeprefix("sqlite:///") + "-wal")
    size = log.stat().st_size if log.exists() else 0
    if size > LONG_LOG:
        words = f"the write-ahead log is {size >> 20} MiB long: some process has been reading for long; let it end"
        yield Finding("log", Level.WRONG, words)
    else:
        yield Finding("log", Level.OK, f"the write-ahead log is {size >> 20} MiB long")
