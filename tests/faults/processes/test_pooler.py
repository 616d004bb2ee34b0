"""FAULTS §3: a connection pooler in transaction mode stands between the workers and PostgreSQL."""

import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from urllib.parse import urlsplit
from uuid import uuid4

import httpx2
import pytest

from tenure.core.states import State
from tenure.stores.postgres.store import PostgresStore
from tenure.stores.protocol import PoolWait
from tests.client.serving import serving
from tests.conformance.postgres_server import shared
from tests.crash.harness import ROOT, Site, check_history, until
from tests.databases import POOLER
from tests.faults.processes import pgbouncer

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.skipif("not __import__('tests.faults.processes.pgbouncer', fromlist=['program']).program()",
                       reason="PgBouncer is neither installed nor to be had from the system's packages"),
]  # fmt: skip


def test_four_workers_behind_a_pooler_of_two_connections_do_every_job_once(postgres_site: Site, tmp_path: Path) -> None:
    """B24: nothing needs a session; wake-ups fall back to polling, which is said once by each worker."""
    with pgbouncer.before(postgres_site.url, size=2) as pooled:
        through = Site(tmp_path, pooled)
        try:
            workers = [postgres_site.start("--lease", "3", "--slots", "5", url=pooled).ready() for _ in range(4)]
            ids = [*through.enqueue_many(300, seconds=0.01), through.enqueue("ledger", n=1, seconds=4)]
            check_history(through.ended(*ids), through.histories(ids))
            assert {len(attempts) for attempts in through.histories(ids).values()} == {1}
            cancelled = through.enqueue("waits_to_be_cancelled")
            postgres_site.started(cancelled)
            through.app.get(cancelled).cancel()  # type: ignore[union-attr]
            (ended,) = through.ended(cancelled)
            assert ended.state == "cancelled"
            assert [worker.leave() for worker in workers] == [0, 0, 0, 0]
            assert [worker.log.count("LISTEN does not work") for worker in workers] == [1, 1, 1, 1]
        finally:
            through.close()


def test_behind_a_pooler_no_worker_guesses_what_the_server_gives(postgres_site: Site) -> None:
    """B29: what the pooler has is not known; that attempts share too few connections is told all the same."""
    with pgbouncer.before(postgres_site.url, size=4) as pooled:
        store = PostgresStore(pooled)
        store.open()
        assert (store.room(), store.waiting()) == (None, PoolWait())
        store.close()
        worker = postgres_site.start("--slots", "900", "--database-connections", "500", url=pooled).ready()
        assert "`--database-connections 900` gives one to each" in worker.log
        assert "to all clients" not in worker.log
        assert worker.leave() == 0, worker.log


def test_jobs_survive_killed_workers_behind_a_pooler(postgres_site: Site) -> None:
    """B24: the lease is all that recovery needs; no advisory lock of a session is left behind."""
    with pgbouncer.before(postgres_site.url, size=2) as pooled:
        ids = postgres_site.enqueue_many(40, "hangs_at_first")
        killed = postgres_site.start("--slots", "40", url=pooled)
        until(lambda: postgres_site.counts()[State.RUNNING] == 40, "all of them run")
        killed.kill()
        postgres_site.start("--slots", "40", url=pooled)
        check_history(postgres_site.ended(*ids), postgres_site.histories(ids))
        assert {len(attempts) for attempts in postgres_site.histories(ids).values()} == {2}


def test_a_service_behind_a_pooler_whose_claims_overlap_gives_each_job_once(
    postgres_site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    """B24: eight callers claim, wait and complete at the same time through two connections."""
    ids = set(postgres_site.enqueue_many(200, "nothing"))
    with pgbouncer.before(postgres_site.url, size=2) as pooled, serving(pooled) as served:
        keys = [served.key("worker", f"w{number}") for number in range(8)]
        with ThreadPoolExecutor(len(keys)) as callers:
            together = Barrier(len(keys))
            done = list(callers.map(lambda key: worked_off(served.url, key, together), keys))
    claimed = [job_id for one in done for job_id in one]
    assert Counter(claimed) == Counter(ids)
    assert postgres_site.counts() == {State.SUCCEEDED: 200}
    assert {len(attempts) for attempts in postgres_site.histories(sorted(ids)).values()} == {1}
    assert caplog.text.count("LISTEN does not work") == 1


def worked_off(url: str, key: str, together: Barrier) -> list[str]:
    """What one caller has claimed and completed until nothing is left."""
    headers, mine = {"authorization": f"Bearer {key}"}, []
    with httpx2.Client(base_url=url, headers=headers, timeout=60, trust_env=False) as client:
        together.wait(60)
        while jobs := client.post("/jobs/claim", json={"limit": 4, "claim_id": uuid4().hex, "wait": 1}).json()["jobs"]:
            for job in jobs:
                mine.append(job["id"])
                told = client.post(f"/jobs/{job['id']}/complete", json={"lease_token": job["lease_token"]})
                assert told.status_code == 200, told.text
    return mine


@pytest.mark.timeout(300)
def test_every_guarantee_of_the_store_holds_behind_a_pooler() -> None:
    """B24: the suite of the guarantees once more, each statement through the pooler."""
    passes_behind_a_pooler("test_g*.py")


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_the_whole_conformance_suite_holds_behind_a_pooler() -> None:
    """B24: limits, lines, schedules and all the rest too."""
    passes_behind_a_pooler("test_*.py")


NOT_BEHIND_IT = {
    "test_g07_what_is_acknowledged_stays.py",  # a crash of the server, which is not this one's to stop
    "test_lockstep.py",  # what stores have in common, not how they are reached
    "test_pools_are_told.py",  # what the server gives, which nobody guesses behind a pooler (above)
}
NEEDS_A_THIRD_SESSION = "in_opposite_order_do_not_wait"
"""A test that works beside two transactions which stay open: the pooler has no connection left."""


def passes_behind_a_pooler(files: str) -> None:
    with pgbouncer.before(shared().url, size=2) as pooled:
        said = {"TENURE_TEST_POSTGRES": shared().url, POOLER: f"postgresql://{urlsplit(pooled).netloc}"}
        found = (ROOT / "tests" / "conformance").glob(files)
        suite = sorted(str(path) for path in found if path.name not in NOT_BEHIND_IT)
        which = ["-k", f"postgres and not {NEEDS_A_THIRD_SESSION}", "-m", "not slow"]
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *which, *suite],
            cwd=ROOT, env=os.environ | said, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout
