"""What the tests of migrations share: a later release, in this process and in processes of its own, and what the server
tells of those who wait."""

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from tenure.stores.postgres import migrate as postgres
from tenure.stores.sqlite import migrating as sqlite
from tests.conformance.postgres_server import shared
from tests.crash.harness import PATIENCE, ROOT, Site, WorkerProcess, until
from tests.faults.migrations.later_release import further

TABLE = "-- tenure: transaction\nCREATE TABLE tenure_later (a INTEGER);\n"
COLUMN = "-- tenure: transaction\nALTER TABLE tenure_jobs ADD COLUMN of_a_later_release text;\n"
BATCHES = """-- tenure: in batches by {key}
UPDATE tenure_jobs SET trace = 'filled in'
WHERE trace IS NULL AND kind = 'old';
"""
INDEX = "-- tenure: concurrently\nCREATE INDEX CONCURRENTLY tenure_jobs_later ON tenure_jobs (kind);\n"
UNIQUE = "-- tenure: concurrently\nCREATE UNIQUE INDEX CONCURRENTLY tenure_jobs_later ON tenure_jobs (kind);\n"
DROPPED = "-- tenure: concurrently\nDROP INDEX CONCURRENTLY tenure_jobs_payloads;\n"
NAME = "0002_of_a_later_release"


def text_for(site: Site, first: str = COLUMN) -> str:
    """Every kind of step that the database of a site knows. first: what is done in one transaction."""
    if site.is_sqlite:
        plain = INDEX.replace("concurrently", "transaction").replace(" CONCURRENTLY", "")
        return first + BATCHES.format(key="seq") + plain
    return first + BATCHES.format(key="id") + INDEX + DROPPED


class Migrating:
    """A migration in a thread of its own. said: what it has told so far."""

    def __init__(self, migrate: Callable[[Callable[[str], None]], list[str]]) -> None:
        self.said: list[str] = []
        pool = ThreadPoolExecutor(1)
        self._future: Future[list[str]] = pool.submit(migrate, self.said.append)
        pool.shutdown(wait=False)

    @property
    def goes_on(self) -> bool:
        return not self._future.done()

    def applied(self) -> list[str]:
        return self._future.result(PATIENCE)


class LaterRelease:
    """Its files, and who runs it: this process, unlike the workers that it starts, and processes of its own."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder / "later"
        self.folder.mkdir()
        self._monkeypatch = monkeypatch
        self._started: list[subprocess.Popen[bytes]] = []

    def brings(self, site: Site, text: str) -> None:
        (self.folder / f"{NAME}.sql").write_text(text)
        for place in (postgres, sqlite):
            both = (*place.known(), *further(self.folder, site.url))
            self._monkeypatch.setattr(place, "known", partial(tuple, both))

    def migrates(self, site: Site) -> Migrating:
        return Migrating(site.app.opened().migrate)

    def process(self, site: Site, batch: int = 0) -> "subprocess.Popen[bytes]":
        """That migrates, and is killed in the middle of this batch, where one is said."""
        started = subprocess.Popen([*self._begun(site), str(batch)], cwd=ROOT, stdout=subprocess.DEVNULL)
        self._started.append(started)
        return started

    def worker(self, site: Site, *options: str) -> WorkerProcess:
        """That runs jobs."""
        return site.start(*options, prefix=self._begun(site))

    def _begun(self, site: Site) -> list[str]:
        return [sys.executable, "-m", "tests.faults.migrations.later_release", site.url, str(self.folder)]

    def close(self) -> None:
        for one in self._started:
            one.kill()
            one.wait(PATIENCE)


def old_jobs(site: Site, count: int, kind: str = "old", hours: int = 0) -> None:
    """Jobs that have ended so many hours ago, made by one statement; in PostgreSQL with ids in no order."""
    columns = {
        "run_at": "{now}", "created_at": "{now}", "updated_at": "{now}", "ended_at": "{now}", "version": "1",
        "priority": "0", "state": "'succeeded'", "queue": "'default'", "tenant": "'default'", "kind": f"'{kind}'",
        "max_attempts": "1", "args_digest": "'d'", "policy": "'{{}}'", "tags": "'[]'", "payload": "'{{}}'",
        "run_time_limit": "60",
    }  # fmt: skip
    names, values = ", ".join(columns), ", ".join(columns.values())
    if site.is_sqlite:
        import sqlite3

        micros = values.format(now=f"CAST(unixepoch('now', '-{hours} hours') * 1000000 AS INTEGER)")
        with sqlite3.connect(site.url.removeprefix("sqlite:///")) as connection:
            connection.execute(
                f"WITH RECURSIVE n(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n < {count}) "
                f"INSERT INTO tenure_jobs (id, {names}) SELECT '{kind} ' || n, {micros} FROM n"
            )
        connection.close()
        return
    micros = values.format(now=f"clock_timestamp() - interval '{hours} hours'")
    shared().execute(
        f"INSERT INTO tenure_jobs (id, seq, {names}) "
        f"SELECT gen_random_uuid(), nextval('tenure_job_seq'), {micros} FROM generate_series(1, {count})",
        site.url,
    )


def told(site: Site, text: str) -> None:
    """Runs one statement."""
    if site.is_sqlite:
        import sqlite3

        with sqlite3.connect(site.url.removeprefix("sqlite:///")) as connection:
            connection.execute(text)
        connection.close()
    else:
        shared().execute(text, site.url)


def asked(site: Site, text: str) -> int:
    """The only number that a statement answers."""
    if site.is_sqlite:
        import sqlite3

        connection = sqlite3.connect(site.url.removeprefix("sqlite:///"))
        try:
            return int(connection.execute(text).fetchone()[0])
        finally:
            connection.close()
    return int(shared().execute(text, site.url)[0][0])


def filled(site: Site) -> int:
    return asked(site, "SELECT count(*) FROM tenure_jobs WHERE trace = 'filled in'")


def steps_done(site: Site) -> int:
    return asked(site, f"SELECT coalesce(max(steps), 0) FROM tenure_migrations WHERE name = '{NAME}'")


def indexes(site: Site, *, valid: bool) -> int:
    """How many of the later release there are, whole or not."""
    found = f"indexrelid = to_regclass('tenure_jobs_later') AND indisvalid = {valid}"
    return asked(site, f"SELECT count(*) FROM pg_index WHERE {found}")


def build_waits(site: Site) -> bool:
    """An index is being built, and waits for the transactions that were there before."""
    here = "datname = current_database()"
    return bool(
        asked(site, f"SELECT count(*) FROM pg_stat_progress_create_index WHERE {here} AND phase LIKE 'waiting for%'")
    )


def waits_for(site: Site, mode: str) -> bool:
    """Somebody waits for the table of jobs in this mode."""
    waiting = f"NOT granted AND relation = 'tenure_jobs'::regclass AND mode = '{mode}'"
    return bool(asked(site, f"SELECT count(*) FROM pg_locks WHERE {waiting}"))


def migrators(site: Site) -> int:
    """Sessions on the server."""
    mine = "datname = current_database() AND application_name = 'tenure-migrate'"
    return asked(site, f"SELECT count(*) FROM pg_stat_activity WHERE {mine}")


def killed(site: Site, process: "subprocess.Popen[bytes]") -> None:
    """SIGKILL, and waits until the server has noticed."""
    process.kill()
    process.wait(PATIENCE)
    until(lambda: migrators(site) == 0, "the server ends what the killed process had begun")
