"""FAULTS B79 at its size: a million rows past their period, among them whatever has to stay."""

import os
import sys
import time
from datetime import timedelta

import pytest

from tenure.core.retention import Retention
from tenure.core.states import State
from tenure.engine.upkeep.pruner import BATCH, BETWEEN_BATCHES, Pruner
from tests.crash.harness import Site
from tests.faults.migrations import migrating as at

ROWS = int(os.environ.get("TENURE_ROWS", "1000000"))
FEW = 1000
KEPT = Retention(
    succeeded=timedelta(hours=1), cancelled=timedelta(hours=1), failed=timedelta(hours=9), keys=timedelta(hours=9)
)
STAY = {
    "waits": "state = 'ready', ended_at = NULL",
    "is_due_later": "state = 'scheduled', ended_at = NULL",
    "is_blocked": "state = 'blocked', ended_at = NULL, order_key = 'line'",
    "runs": "state = 'running', ended_at = NULL, attempt = 1, lease_token = 'held'",
    "retries": "state = 'scheduled', ended_at = NULL, attempt = 2",
    "is_a_dead_letter": "state = 'failed'",
}
"""By kind: what is said of jobs that are three hours old."""


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_of_a_million_rows_only_the_ended_ones_past_their_period_go_a_thousand_at_a_time(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    at.old_jobs(site, ROWS, hours=3)
    for kind, said in STAY.items():
        at.old_jobs(site, FEW, kind, hours=3)
        at.told(site, f"UPDATE tenure_jobs SET {said} WHERE kind = '{kind}'")
    at.old_jobs(site, FEW, "has_just_ended")
    at.old_jobs(site, FEW, "has_a_key", hours=3)
    at.told(site, "UPDATE tenure_jobs SET idempotency_key = CAST(id AS text) WHERE kind = 'has_a_key'")
    pruner = Pruner(site.app.opened(), KEPT, interval=60.0)
    batches, left = [], ROWS
    began = time.monotonic()
    while pruner.tick() == BETWEEN_BATCHES:
        before, left = left, at.asked(site, "SELECT count(*) FROM tenure_jobs WHERE kind = 'old'")
        batches.append(before - left)
    took = time.monotonic() - began
    with capsys.disabled():
        sys.stderr.write(f"\n{ROWS:,} of {ROWS + 8 * FEW:,} rows pruned in {len(batches):,} batches, {took:.0f} s\n")
    assert max(batches) <= BATCH
    assert at.asked(site, "SELECT count(*) FROM tenure_jobs WHERE kind = 'old'") == 0
    for kind in (*STAY, "has_just_ended", "has_a_key"):
        assert at.asked(site, f"SELECT count(*) FROM tenure_jobs WHERE kind = '{kind}'") == FEW, kind
    assert at.asked(site, "SELECT count(*) FROM tenure_jobs WHERE kind = 'has_a_key' AND payload IS NOT NULL") == 0
    assert at.asked(site, "SELECT count(*) FROM tenure_jobs WHERE kind <> 'has_a_key' AND payload IS NULL") == 0
    assert site.counts()[State.FAILED] == FEW
