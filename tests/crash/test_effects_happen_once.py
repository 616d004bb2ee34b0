"""Workers killed around an effect, and an outside that times out around it: it happens once, or the job says honestly
that nobody knows."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tenure.core.job import Job
from tenure.core.ledger.effect import Effect
from tenure.testing import barriers
from tests.crash.effect_tasks import KINDS
from tests.crash.harness import Site, until
from tests.crash.outside import TROUBLES, Outside

RECORDED = ("after_effect_record", "after_flush")
"""Points at which the ledger knows, or the success of the job is in the database already."""


@pytest.fixture
def outside() -> Iterator[Outside]:
    service = Outside()
    yield service
    service.close()


def ledger(site: Site, job: str) -> list[Effect]:
    found: list[Effect] = site.run(site.verbs.effects([job]))[job]
    return found


def check(site: Site, outside: Outside, ended: Job, kind: str, *, is_unknown: bool, acted: int) -> None:
    """Once; or, where the outside cannot be asked, uncertain and as often as it happened, which is once at most."""
    (row,) = ledger(site, ended.id)
    assert sum(outside.acts.values()) == acted
    if kind == "plain" and is_unknown:
        assert (ended.state, ended.end_code, row.state) == ("failed", "effect_uncertain", "uncertain")
        return
    assert (ended.state, row.state) == ("succeeded", "confirmed")
    assert ended.result == row.result == f'"{row.key}"'


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("point", [*sorted(barriers.EFFECT_NAMES), "after_flush"])
def test_an_effect_whose_worker_is_killed_happens_once(site: Site, outside: Outside, point: str, kind: str) -> None:
    job = site.enqueue(f"effect_{kind}", sort=kind, url=outside.url)
    killed = site.start(environment=barriers.killing(point))
    assert killed.wait() == -9, killed.log
    site.start()
    (ended,) = site.ended(job)
    acted = 0 if kind == "plain" and point == "before_effect" else 1
    check(site, outside, ended, kind, is_unknown=point not in RECORDED, acted=acted)
    if point in RECORDED:
        assert len(outside.requests) == 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("trouble", TROUBLES)
def test_an_effect_whose_answer_does_not_come_happens_once(
    site: Site, outside: Outside, trouble: str, kind: str
) -> None:
    outside.next = trouble
    job = site.enqueue(f"effect_{kind}", sort=kind, url=outside.url)
    site.start()
    (ended,) = site.ended(job)
    acted = 0 if kind == "plain" and trouble == "hangs_then_does_not" else 1
    check(site, outside, ended, kind, is_unknown=True, acted=acted)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", ["on_loop", "in_child"])
def test_an_effect_happens_once_wherever_its_handler_runs(site: Site, outside: Outside, place: str, kind: str) -> None:
    """Killed after the call, before its record: on the loop it is the worker, else the child. Every child of that
    worker would die there again, so another worker takes over from a call that is repeated."""
    job = site.enqueue(f"effect_{kind}_{place}", sort=kind, url=outside.url)
    worker = site.start(environment=barriers.killing("after_effect"))
    if place == "on_loop":
        assert worker.wait() == -9, worker.log
        site.start()
    elif kind == "idempotent":
        until(lambda: len(outside.requests) > 1, "a second child calls")
        worker.kill()
        site.start()
    (ended,) = site.ended(job)
    check(site, outside, ended, kind, is_unknown=True, acted=1)


def test_a_worker_that_is_killed_again_and_again_makes_one_effect(site: Site, outside: Outside) -> None:
    job = site.enqueue("effect_required", sort="required", url=outside.url)
    for point in ("before_effect", "before_effect", "after_effect", "before_flush"):
        killed = site.start(environment=barriers.killing(point))
        assert killed.wait() == -9, killed.log
    site.start()
    (ended,) = site.ended(job)
    check(site, outside, ended, "required", is_unknown=True, acted=1)


@pytest.mark.parametrize("point", ["before_effect", "after_effect"])
def test_a_worker_that_thaws_after_another_has_taken_over_adds_nothing(
    site: Site, outside: Outside, tmp_path: Path, point: str
) -> None:
    stop = barriers.Stop(point, tmp_path)
    job = site.enqueue("effect_asked", sort="asked", url=outside.url)
    frozen = site.start(environment=stop.environment)
    stop.wait()
    frozen.freeze(site.is_writable)
    site.start()
    (ended,) = site.ended(job)
    before = ledger(site, job)
    stop.go()
    frozen.thaw()
    frozen.leave()
    check(site, outside, ended, "asked", is_unknown=True, acted=1)
    assert len(outside.requests) == 1
    assert ledger(site, job) == before
