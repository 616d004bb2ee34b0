"""Bare SQLite: WAL, synchronous=FULL, one connection.

Arguments: file, what to do, how many jobs. `python -m benchmarks.bare.sqlite FILE singles 5000`.
"""

import sqlite3
import sys
import time
from uuid import uuid4

from benchmarks.child import answer, await_go

BATCH = 100

SCHEMA = """
CREATE TABLE IF NOT EXISTS bare_jobs (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'ready',
    priority INTEGER NOT NULL DEFAULT 0,
    run_at INTEGER NOT NULL,
    attempt INTEGER NOT NULL DEFAULT 0,
    token TEXT,
    worker TEXT,
    started_at INTEGER,
    ended_at INTEGER
);
CREATE INDEX IF NOT EXISTS bare_ready ON bare_jobs (priority DESC, run_at, id) WHERE state = 'ready';
CREATE TABLE IF NOT EXISTS bare_attempts (
    job_id INTEGER NOT NULL, number INTEGER NOT NULL, worker TEXT NOT NULL,
    started_at INTEGER NOT NULL, ended_at INTEGER NOT NULL, outcome TEXT NOT NULL,
    PRIMARY KEY (job_id, number)
) WITHOUT ROWID;
"""
INSERT = "INSERT INTO bare_jobs (kind, payload, run_at) VALUES ('noop', ?, ?)"
CLAIM = """
UPDATE bare_jobs SET state = 'running', attempt = attempt + 1, token = ?1, worker = ?2, started_at = ?3
WHERE id IN (SELECT id FROM bare_jobs WHERE state = 'ready' ORDER BY priority DESC, run_at, id LIMIT ?4)
RETURNING id, kind, payload, attempt
"""
COMPLETE = """
UPDATE bare_jobs SET state = 'succeeded', ended_at = ?1, token = NULL WHERE id = ?2 AND token = ?3
"""
HISTORY = """
INSERT INTO bare_attempts
SELECT id, attempt, worker, started_at, ?1, 'succeeded' FROM bare_jobs WHERE id = ?2 AND token = ?3
"""


def connect(file: str) -> sqlite3.Connection:
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def prepare(file: str, jobs: int = 0) -> None:
    """The tables, with so many ready jobs in them."""
    connection = connect(file)
    connection.executescript(SCHEMA)
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany(INSERT, [("{}", n) for n in range(jobs)])
    connection.execute("COMMIT")
    connection.close()


def drain(connection: sqlite3.Connection) -> int:
    done, worker = 0, uuid4().hex
    while True:
        token = uuid4().hex
        connection.execute("BEGIN IMMEDIATE")
        taken = connection.execute(CLAIM, (token, worker, time.time_ns(), BATCH)).fetchall()
        connection.execute("COMMIT")
        if not taken:
            return done
        ends = [(time.time_ns(), row[0], token) for row in taken]
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(HISTORY, ends)
        connection.executemany(COMPLETE, ends)
        connection.execute("COMMIT")
        done += len(taken)


def insert_singly(connection: sqlite3.Connection, jobs: int) -> int:
    """One insert, one commit, one after the other."""
    for number in range(jobs):
        connection.execute(INSERT, (f'{{"number":{number}}}', number))
    return jobs


def main() -> None:
    file, what, jobs = sys.argv[1], sys.argv[2], int(sys.argv[3])
    connection = connect(file)
    await_go()
    began = time.time()
    done = drain(connection) if what == "drain" else insert_singly(connection, jobs)
    answer(began=began, ended=time.time(), jobs=done)
    connection.close()


if __name__ == "__main__":
    main()
