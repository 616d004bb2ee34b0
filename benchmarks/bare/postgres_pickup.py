"""Bare pick-up on PostgreSQL: insert and commit, then NOTIFY; another process listens and claims.

Arguments: URL, `listen` or `send`, how many jobs. Both answer monotonic instants by job, which processes of one
machine share.
"""

import random
import sys
import time

import psycopg

from benchmarks.bare.postgres import CLAIM, COMPLETE, INSERT
from benchmarks.child import answer, await_go

SETTLED = 1.5
APART = (0.03, 0.07)


def listen(url: str, jobs: int) -> dict[str, float]:
    """When each job had been claimed."""
    taken: dict[str, float] = {}
    with psycopg.connect(url, autocommit=True) as waiting, psycopg.connect(url, autocommit=True) as working:
        waiting.execute("LISTEN bare")
        await_go()
        while len(taken) < jobs:
            for _hint in waiting.notifies(timeout=0.5, stop_after=1):
                pass
            while rows := working.execute(CLAIM, ["t", "w", 10], prepare=True).fetchall():
                now = time.monotonic()
                taken.update({str(row[0]): now for row in rows})
                working.execute(COMPLETE, [[row[0] for row in rows], "t"], prepare=True)
    return taken


def send(url: str, jobs: int) -> dict[str, float]:
    """When each enqueue had returned."""
    sent: dict[str, float] = {}
    with psycopg.connect(url, autocommit=True) as connection:
        await_go()
        time.sleep(SETTLED)
        for _number in range(jobs):
            time.sleep(random.uniform(*APART))
            rows = connection.execute(INSERT, ["noop", "{}"], prepare=True).fetchall()
            connection.execute("NOTIFY bare", prepare=True)
            sent[str(rows[0][0])] = time.monotonic()
    return sent


def main() -> None:
    url, what, jobs = sys.argv[1], sys.argv[2], int(sys.argv[3])
    answer(at=(listen if what == "listen" else send)(url, jobs))


if __name__ == "__main__":
    main()
