"""Order keys hold over workers that are killed at random, by what the attempts themselves say."""

import random
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from tenure.core.attempt import Attempt, Outcome
from tests.crash.harness import Site
from tests.crash.test_limits_hold_under_kills import most_at_once
from tests.crash.test_torture import kill

OPTIONS = ("--slots", "2", "--lease", "1", "--poll", "0.05", "--sweep", "0.2")
KEYS, EACH, LATER = 6, 16, 5


def test_jobs_of_a_key_run_in_order_one_at_a_time_while_workers_are_killed(site: Site) -> None:
    """Three workers, one of them killed again and again, while a producer adds to the keys in transactions of its
    own."""
    dice = random.Random(11)
    herd = [worker.ready() for worker in [site.start(*OPTIONS) for _ in range(3)]]
    items = [item_of(site, place) for place in range(KEYS * EACH)]
    lines = by_key([job.id for job in site.app.enqueue_many(items)])
    for _ in range(LATER):
        place = dice.randrange(len(herd))
        with transaction(site) as connection:
            more = site.app.enqueue_many([item_of(site, key) for key in range(KEYS)], connection=connection)
            kill(herd[place], dice)
        for key, job in enumerate(more):
            lines[key].append(job.id)
        herd[place] = site.start(*OPTIONS).ready()
    assert site.all_ended(seconds=120) == {"succeeded": KEYS * (EACH + LATER)}
    lost = 0
    for line in lines:
        histories = site.histories(line)
        check_line(line, histories)
        lost += sum(len(history) - 1 for history in histories.values())
    assert lost, "no kill hit a job"


def item_of(site: Site, place: int) -> Any:
    return site.app.item("ledger", {"n": place, "seconds": 0.25}, order_key=f"key {place % KEYS}")


def by_key(ids: list[str]) -> list[list[str]]:
    return [ids[key::KEYS] for key in range(KEYS)]


def check_line(line: list[str], histories: dict[str, list[Attempt]]) -> None:
    """The order of successes is that of enqueueing, and no two attempts of the key overlap."""
    won = [attempt for history in histories.values() for attempt in history if attempt.outcome is Outcome.SUCCEEDED]
    assert [attempt.job_id for attempt in sorted(won, key=lambda one: one.fencing_token)] == line
    assert [attempt.job_id for attempt in sorted(won, key=lambda one: one.ended_at)] == line
    assert most_at_once([attempt for history in histories.values() for attempt in history]) == 1


@contextmanager
def transaction(site: Site) -> Iterator[Any]:
    """One of the producer's, which commits at the end."""
    if site.is_sqlite:
        connection = sqlite3.connect(site.url.removeprefix("sqlite:///"), isolation_level=None, timeout=30)
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
            connection.execute("COMMIT")
        finally:
            connection.close()
        return
    with psycopg.connect(site.url) as connection:
        yield connection
