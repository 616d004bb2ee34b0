"""What the database says afterwards: the store's own instants, so that nobody's polling counts."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from typing import Any

import psycopg


def ask(url: str, text: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """Rows of one statement; instants as seconds. `{seconds:column}` is written by `seconds`."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"), timeout=30)) as connection:
            rows = connection.execute(text, tuple(values)).fetchall()
            connection.commit()
            return rows
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(text.replace("?", "%s"), values)
        return cursor.fetchall() if cursor.description else []


def seconds(url: str, column: str) -> str:
    """The SQL of an instant as seconds since 1970."""
    return f"{column} / 1e6" if url.startswith("sqlite") else f"extract(epoch FROM {column})::float8"


def drained(url: str) -> tuple[int, float, float]:
    """How many attempts have ended, when the first began and the last ended."""
    first, last = seconds(url, "min(started_at)"), seconds(url, "max(ended_at)")
    ((jobs, began, ended),) = ask(url, f"SELECT count(*), {first}, {last} FROM tenure_attempts")
    return jobs, began, ended


def ended_between(url: str, began: float, ended: float) -> int:
    """How many attempts ended in an interval."""
    at = seconds(url, "ended_at")
    ((jobs,),) = ask(url, f"SELECT count(*) FROM tenure_attempts WHERE {at} >= ? AND {at} <= ?", (began, ended))
    return int(jobs)


def seconds_for_first(url: str, jobs: int, since: float) -> float:
    """From the first claim past `since` to the end of the nth attempt begun after it."""
    start, end = seconds(url, "started_at"), seconds(url, "ended_at")
    rows = ask(
        url,
        f"SELECT {start}, {end} FROM tenure_attempts WHERE {start} >= ? ORDER BY ended_at LIMIT ?",
        (since, jobs),
    )
    if len(rows) < jobs:
        raise RuntimeError(f"only {len(rows)} of {jobs} attempts have ended")
    return float(rows[-1][1] - min(row[0] for row in rows))
