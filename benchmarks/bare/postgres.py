"""Bare PostgreSQL: slim rows, prepared statements, one client a process.

Arguments: URL, what to do, how many jobs. `python -m benchmarks.bare.postgres URL drain 40000`.
"""

import sys
import time
from uuid import uuid4

import psycopg

from benchmarks.child import answer, await_go

BATCH = 100
BULK = 1000

SCHEMA = """
CREATE TABLE IF NOT EXISTS bare_jobs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text NOT NULL,
    payload text NOT NULL,
    state text NOT NULL DEFAULT 'ready',
    priority int NOT NULL DEFAULT 0,
    run_at timestamptz NOT NULL DEFAULT now(),
    attempt int NOT NULL DEFAULT 0,
    token text,
    worker text,
    started_at timestamptz,
    expires_at timestamptz,
    ended_at timestamptz
);
CREATE INDEX IF NOT EXISTS bare_ready ON bare_jobs (priority DESC, run_at, id) WHERE state = 'ready';
CREATE TABLE IF NOT EXISTS bare_attempts (
    job_id bigint NOT NULL,
    number int NOT NULL,
    worker text NOT NULL,
    started_at timestamptz NOT NULL,
    ended_at timestamptz NOT NULL,
    outcome text NOT NULL,
    PRIMARY KEY (job_id, number)
);
"""
FILL = "INSERT INTO bare_jobs (kind, payload) SELECT 'noop', '{}' FROM generate_series(1, %s)"
CLAIM = """
UPDATE bare_jobs SET state = 'running', attempt = attempt + 1, token = %s, worker = %s, started_at = now(),
    expires_at = now() + interval '60 s'
WHERE id IN (
    SELECT id FROM bare_jobs WHERE state = 'ready'
    ORDER BY priority DESC, run_at, id LIMIT %s FOR UPDATE SKIP LOCKED
)
RETURNING id, kind, payload, attempt
"""
COMPLETE = """
WITH done AS (
    UPDATE bare_jobs SET state = 'succeeded', ended_at = now(), token = NULL
    WHERE id = ANY(%s) AND token = %s AND state = 'running'
    RETURNING id, attempt, worker, started_at
)
INSERT INTO bare_attempts SELECT id, attempt, worker, started_at, now(), 'succeeded' FROM done
"""
INSERT = "INSERT INTO bare_jobs (kind, payload) VALUES (%s, %s) RETURNING id"


def prepare(url: str, jobs: int = 0) -> None:
    """The tables, with so many ready jobs in them."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(SCHEMA)
        if jobs:
            connection.execute(FILL, [jobs])


def drain(connection: psycopg.Connection) -> int:
    """Claims and completes by the hundred until nothing is left."""
    done, worker = 0, uuid4().hex
    while True:
        token = uuid4().hex
        taken = connection.execute(CLAIM, [token, worker, BATCH], prepare=True).fetchall()
        if not taken:
            return done
        connection.execute(COMPLETE, [[row[0] for row in taken], token], prepare=True)
        done += len(taken)


def insert_singly(connection: psycopg.Connection, jobs: int) -> int:
    """One insert, one commit, one after the other."""
    for number in range(jobs):
        connection.execute(INSERT, ["noop", f'{{"number":{number}}}'], prepare=True).fetchall()
    return jobs


def insert_in_bulk(connection: psycopg.Connection, jobs: int) -> int:
    """A thousand rows in one statement and one commit."""
    place = ", ".join(["(%s, %s)"] * BULK)
    text = f"INSERT INTO bare_jobs (kind, payload) VALUES {place} RETURNING id"
    for start in range(0, jobs, BULK):
        values = [value for n in range(start, start + BULK) for value in ("noop", f'{{"number":{n}}}')]
        connection.execute(text, values, prepare=True).fetchall()
    return jobs


def main() -> None:
    url, what, jobs = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with psycopg.connect(url, autocommit=True) as connection:
        await_go()
        began = time.time()
        if what == "drain":
            done = drain(connection)
        else:
            done = {"singles": insert_singly, "bulk": insert_in_bulk}[what](connection, jobs)
        answer(began=began, ended=time.time(), jobs=done)


if __name__ == "__main__":
    main()
