"""Workers killed at random, again and again, over jobs in three queues."""

import os
import random
import time
from collections import Counter
from collections.abc import Sequence

import pytest

from tests.crash.harness import Site, WorkerProcess, check_history, until

QUEUES = ("mail", "documents", "imports")
LONG = 6
"""Jobs that go before all others and outlast most workers: their leases are ended again and again, and claimed anew at
once."""

OPTIONS = ("--queues", ",".join(QUEUES), "--slots", "4", "--lease", "1", "--poll", "0.05", "--sweep", "0.2")


def test_jobs_in_three_queues_survive_workers_that_are_killed_at_random(site: Site) -> None:
    """B11 (short): 150 jobs, 25 kills."""
    torture(site, jobs=150, kills=25, at_once=3)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_thousand_jobs_survive_three_hundred_kills(site: Site) -> None:
    """B11: 1,000 jobs, 300 kills."""
    torture(site, jobs=1_000, kills=300, at_once=3)


def torture(site: Site, jobs: int, kills: int, at_once: int) -> None:
    """Kills `kills` workers, each up to 50 ms after it has said that it works; `at_once` of them live at any time.

    The jobs take longer together than the kills, so that there is work to be lost at every kill.
    """
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")  # noqa: T201 (shown by pytest when the test fails)
    dice = random.Random(seed)
    first = {"priority": 100, "max_attempts": 10_000}
    ids = [site.enqueue("ledger", using=first | {"queue": QUEUES[0]}, n=n, seconds=0.3) for n in range(LONG)]
    ids += site.enqueue_many(jobs - LONG, queues=QUEUES, seconds=0.04)
    herd = [site.start(*OPTIONS) for _ in range(at_once)]
    for _ in range(kills):
        until(lambda: any(worker.is_ready for worker in herd), "a worker is ready")
        place = dice.choice([place for place, worker in enumerate(herd) if worker.is_ready])
        kill(herd[place], dice)
        assert sum(site.counts().values()) == jobs
        herd[place] = site.start(*OPTIONS)
    for worker in herd:
        kill(worker.ready(), dice)
    calm(site, ids)


def kill(worker: WorkerProcess, dice: random.Random) -> None:
    time.sleep(dice.uniform(0.005, 0.05))  # the moment of the kill is what is random here; nothing waits for it
    os.kill(worker.pid, 9)
    assert worker.wait() == -9


def calm(site: Site, ids: Sequence[str]) -> None:
    """One worker ends what is left; then nothing is lost, nothing was done twice at once, and all of it is told."""
    site.start(*OPTIONS, "--slots", "50")
    counts = site.all_ended(seconds=300)
    assert counts == {"succeeded": len(ids)}
    jobs, histories = site.jobs(ids), site.histories(ids)
    check_history(jobs.values(), histories)
    assert {line.job for line in site.ledger() if line.event == "end"} == set(ids)
    assert set(Counter((line.job, line.attempt) for line in site.ledger() if line.event == "start").values()) == {1}
    told = {(one.job_id, one.number) for attempts in histories.values() for one in attempts}
    assert {(line.job, line.attempt) for line in site.ledger()} <= told
    assert any(len(attempts) > 1 for attempts in histories.values()), "no kill hit a job"
