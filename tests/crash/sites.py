"""Sites on either database, and on a server that its test may stop. Shared by the fixtures of several folders."""

import sqlite3
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tests.crash.application import connect
from tests.crash.harness import Site

if TYPE_CHECKING:
    from tests.conformance.postgres_server import OwnServer

DOMAIN = "CREATE TABLE domain (job TEXT NOT NULL, attempt INTEGER NOT NULL)"


def site_on(database: str, folder: Path) -> Iterator[Site]:
    """A fresh site on `sqlite` or `postgres`, closed at the end."""
    yield from (site_on_sqlite(folder) if database == "sqlite" else site_on_postgres(folder))


def site_on_sqlite(folder: Path) -> Iterator[Site]:
    path = folder / "jobs.db"
    site = Site(folder, f"sqlite:///{path}")
    connection = sqlite3.connect(path)
    connection.execute(DOMAIN)
    connection.close()
    yield site
    site.close()


def site_on_postgres(folder: Path) -> Iterator[Site]:
    from tests.conformance.postgres_server import shared

    server = shared()
    url = server.fresh_database()
    server.execute(DOMAIN, url)
    site = Site(folder, url)
    yield site
    site.close()
    server.drop_database(url)


@cache
def stoppable_server() -> "OwnServer":
    """A server that a test may stop: not the one whose connections other tests keep."""
    from tests.conformance.postgres_server import OwnServer

    return OwnServer()


def domain_rows(site: Site) -> list[tuple[str, int]]:
    """What handlers wrote beside their jobs: (job, attempt), in order."""
    connection = connect(site.url)
    try:
        rows = connection.execute("SELECT job, attempt FROM domain ORDER BY job, attempt").fetchall()
    finally:
        connection.close()
    return [(job, attempt) for job, attempt in rows]


def site_on_stoppable_postgres(folder: Path) -> Iterator[Site]:
    """A site on `stoppable_server()`, which its test may stop and must start again."""
    server = stoppable_server()
    url = server.fresh_database()
    server.execute(DOMAIN, url)
    site = Site(folder, url)
    yield site
    site.close()
