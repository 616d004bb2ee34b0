"""Handlers whose effects are of the kinds that Tenure knows: a request, a file, a row beside the jobs, a row
elsewhere."""

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from tenure import Context, Tenure, make_inbox
from tests.crash import breaking_files
from tests.crash.outside import find

REQUESTS = ("request", "request_asked", "request_idempotent")
FILES = ("file", "file_on_fsspec")
HELPERS = (*REQUESTS, *FILES, "row", "row_elsewhere")
TIMEOUT = 0.6
ROW = "INSERT INTO domain (job, attempt) VALUES ({0}, {0})"


def declare(app: Tenure) -> None:
    """Declares `effect_<helper>`. Each requires its effect, so that no success is without it."""
    breaking_files.register()
    patient: dict[str, Any] = {"max_attempts": 20, "backoff": (0.05, 0.2), "effects": ["charge"]}

    def send(ctx: Context, sort: str, url: str) -> str:
        key, idempotent = f"{ctx.job.id}:charge", sort == "request_idempotent"
        asked: dict[str, Any] = {"reconcile": partial(found, url)} if sort == "request_asked" else {}
        answer = ctx.request(
            "charge", "POST", f"{url}/acts/{key}", idempotent=idempotent, timeout=TIMEOUT,
            key_header="Idempotency-Key" if idempotent else None, **asked,
        )  # fmt: skip
        return str(answer.status)

    def store(ctx: Context, sort: str, url: str) -> str:
        return ctx.artifact("charge", b"made once", to=f"{url}/made.txt", timeout=TIMEOUT).sha256

    def write(ctx: Context, sort: str, url: str) -> int:
        from tests.crash.application import connect

        def insert(connection: Any) -> int:
            place = "?" if isinstance(connection, sqlite3.Connection) else "%s"
            connection.execute(ROW.format(place), (ctx.job.id, ctx.attempt.number))
            return 1

        opening = partial(committing, partial(connect, url))
        elsewhere = sort == "row_elsewhere"
        return int(ctx.transaction("charge", opening, insert, inbox=elsewhere, timeout=TIMEOUT))

    for helper in HELPERS:
        handler = send if helper in REQUESTS else store if helper in FILES else write
        app.task(kind=f"effect_{helper}", **patient)(handler)


def found(url: str, key: str) -> Any:
    """What the outside knows, as `ctx.request` would have answered it."""
    from tenure import happened
    from tenure.core.ledger.reconciling import Happened

    told = find(url, key)
    return happened({"status": 201}) if isinstance(told, Happened) else told


@contextmanager
def committing(connect: Any) -> Iterator[Any]:
    """A connection whose transaction is committed at the end."""
    with closing(connect()) as connection, connection:
        yield connection


def other_database(folder: Path) -> str:
    """An SQLite file of the domain's own, with an inbox; its URL."""
    path = folder / "other.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE domain (job TEXT NOT NULL, attempt INTEGER NOT NULL)")
        make_inbox(connection)
    return f"sqlite:///{path}"


def opened(url: str) -> AbstractContextManager[Any]:
    """A connection to look with."""
    from tests.crash.application import connect

    return closing(connect(url))
