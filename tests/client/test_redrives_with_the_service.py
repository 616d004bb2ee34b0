"""Dead letters, redrives and cancels of many, asked of the real service by the client; its own redriver sends."""

from datetime import timedelta

import pytest

from tenure.client import Client
from tenure.client.shapes import EnqueuedJob
from tenure.core.errors import Forbidden, InvalidInput, NotFound, TenureError
from tenure.edge.redrives import RedriveBody, RedrivePreviewBody
from tests.client.serving import Served
from tests.conformance.asking import NOBODY, job_id


@pytest.fixture
def chief(served: Served) -> Client:
    """An admin, with one kind declared and three of its jobs failed."""
    client = served.client()
    client.set_kind("mail", max_retries=1, remedies={"smtp_down": "look at the relay"})
    for _ in range(3):
        client.enqueue("mail", {})
    for job in client.claim_many(3, types=["mail"]):
        client.fail(job.id, job.lease_token, error_class="terminal", code="smtp_down", error="refused")
    return client


def test_a_redrive_from_the_failures_to_its_end(chief: Client) -> None:
    (group,) = chief.failures(type="mail").groups
    assert (group.jobs, group.last.error, group.remedy) == (3, "refused", "look at the relay")
    preview = chief.start_redrive(type="mail", preview=True)
    assert isinstance(preview, RedrivePreviewBody)
    assert (preview.total, preview.sendable) == (3, 3)
    named = job_id()
    redrive, again = (chief.start_redrive(type="mail", canary=3, id=named, why="mended") for _ in range(2))
    assert isinstance(redrive, RedriveBody)
    assert (redrive.id, redrive.total, redrive.why) == (named, 3, "mended")
    assert again.total == 3
    for _ in range(3):
        job = chief.claim(types=["mail"], wait=20.0)
        assert job is not None
        assert job.attempt == 2
        chief.complete(job.id, job.lease_token)
    assert [one.id for one in chief.redrives(limit=1)] == [named]
    assert {one.type for one in chief.redrive_jobs(named).jobs} == {"mail"}
    assert chief.show_redrive(named).state in ("running", "finished")


def test_it_is_paused_resumed_cancelled_and_forbidden(served: Served, chief: Client) -> None:
    assert chief.forbid_redrives(why="silence").forbidden
    with pytest.raises(Forbidden) as refused:
        chief.start_redrive()
    assert refused.value.code == "redrives_forbidden"
    assert chief.allow_redrives().changed
    redrive = chief.start_redrive(canary=1)
    assert isinstance(redrive, RedriveBody)
    assert chief.pause_redrive(redrive.id).changed
    assert chief.resume_redrive(redrive.id).redrive.state == "running"
    assert chief.cancel_redrive(redrive.id).redrive.state == "cancelled"
    assert not chief.cancel_redrive(redrive.id).changed
    with pytest.raises(NotFound):
        chief.show_redrive(NOBODY)
    with pytest.raises(TenureError) as conflict:
        chief.start_redrive(id=redrive.id, code="other")
    assert conflict.value.code == "redrive_id_reused"
    with pytest.raises(Forbidden):
        served.client("producer", "web").start_redrive()


def test_many_are_cancelled_and_one_is_superseded(chief: Client) -> None:
    older, newer = (chief.enqueue("mail", {}) for _ in range(2))
    assert chief.supersede(older.id, newer.id).happened == "superseded"
    with pytest.raises(TenureError) as refused:
        chief.supersede(older.id, chief.enqueue("mail", {}).id)
    assert refused.value.code == "not_waiting"
    with pytest.raises(InvalidInput):
        chief.cancel_many()
    meant = chief.cancel_many(type="mail", preview=True).meant
    assert isinstance(meant, list)
    assert sum(count.jobs for count in meant) == 2
    assert chief.cancel_many(type="mail").cancelled == 2


def test_a_newer_job_takes_the_place_of_an_older_one_of_its_key(chief: Client) -> None:
    older, newer = (chief.enqueue("mail", {}, supersession_key="k", debounce=timedelta(seconds=5)) for _ in range(2))
    assert isinstance(newer, EnqueuedJob)
    assert (newer.supersedes, newer.supersession_key, newer.state) == (older.id, "k", "scheduled")
    gone = chief.job(older.id)
    assert (gone.state, gone.end_code, gone.superseded_by) == ("cancelled", "superseded", newer.id)
    many = chief.enqueue_many([{"type": "mail", "supersession_key": "k"}, {"type": "mail", "supersession_key": "k"}])
    assert [one.job.state for one in many if one.job is not None] == ["cancelled", "ready"]
    kind = chief.set_kind("report", supersede_by=["account"], debounce=5.0)
    assert (kind.supersede_by, kind.debounce, kind.max_wait) == (("account",), 5.0, None)
