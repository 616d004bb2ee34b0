"""A worker killed at each named point: its job is taken up again, and history says what happened."""

import pytest

from tenure.testing import barriers
from tests.crash.harness import Site, check_history

WRITTEN = {"after_flush"}
"""Points at which the success of the job is in the database already."""

UNBEGUN = {"after_claim", "before_handler"}
"""Points before the handler's first line."""


@pytest.mark.parametrize("point", sorted(barriers.NAMES - {"before_release"}))
def test_a_worker_killed_at_a_named_point_leaves_a_job_that_the_next_one_ends(site: Site, point: str) -> None:
    job = site.enqueue("ledger", n=7)
    killed = site.start(environment=barriers.killing(point))
    assert killed.wait() == -9, killed.log
    site.start()
    (ended,) = site.ended(job)
    history = site.history(job)
    check_history([ended], {job: history})
    assert ended.result == "7"
    if point in WRITTEN:
        assert [attempt.outcome for attempt in history] == ["succeeded"]
        assert len(site.lines(job, "end")) == 1
        return
    assert [(attempt.outcome, attempt.error_code) for attempt in history] == [
        ("lease_expired", "worker_lost"), ("succeeded", None),
    ]  # fmt: skip
    assert history[0].worker != history[1].worker
    assert history[0].lease_lost_at == history[0].ended_at
    assert [line.attempt for line in site.lines(job)] == ([2] if point in UNBEGUN else [1, 2])


def test_a_worker_killed_as_it_gives_its_jobs_back_loses_none(site: Site) -> None:
    gate = site.folder / "gate"
    job = site.enqueue("waits_at_a_gate", gate=str(gate))
    killed = site.start("--shutdown-grace", "0.1", environment=barriers.killing("before_release"))
    site.started(job)
    killed.send(15)
    assert killed.wait() == -9, killed.log
    gate.touch()
    site.start()
    (ended,) = site.ended(job)
    check_history([ended], site.histories([job]))
    assert site.history(job)[0].outcome == "lease_expired"
