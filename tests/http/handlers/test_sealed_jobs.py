"""Jobs whose documents do not open at the service: lists never fail, nobody is handed one, and JSON says why."""

from collections.abc import Iterator

import pytest

from tenure.stores.memory import MemoryStore
from tenure.stores.sealing.sealing import sealing
from tenure.testing import FakeClock
from tests.http.handlers.asking import ADMIN, OTHER_WORKER, WORKER, Asking
from tests.http.handlers.conftest import asking
from tests.sealing_keys import keyring


@pytest.fixture
def store(clock: FakeClock) -> MemoryStore:
    return MemoryStore(clock=clock, keyring=keyring("a"))


@pytest.fixture
def owner(store: MemoryStore) -> Iterator[Asking]:
    """A service that has the key."""
    yield from asking(store)


@pytest.fixture
def stranger(store: MemoryStore, clock: FakeClock) -> Iterator[Asking]:
    """Another one on the same database, with another key."""
    other = MemoryStore(clock=clock, keyring=keyring("b"))
    other._tables, other._lock = store._tables, store._lock
    other.verbs = sealing(store.verbs._verbs, other.keyring)  # type: ignore[attr-defined]
    yield from asking(other)


def test_a_job_is_shown_without_what_does_not_open(owner: Asking, stranger: Asking) -> None:
    job = owner(ADMIN, "enqueue", {"type": "sum", "payload": {"n": 1}}).body
    assert "sealed_with" not in job
    assert job["payload"] == {"n": 1}
    for shown in (
        stranger(ADMIN, "show_job", id=job["id"]).body,
        stranger(ADMIN, "list_jobs")["jobs"][0],
    ):
        assert (shown["payload"], shown["sealed_with"], shown["unrecoverable"]) == (None, "a", False)


def test_a_claim_hands_out_only_what_opens(owner: Asking, stranger: Asking) -> None:
    lost = [owner(ADMIN, "enqueue", {"type": "sum"})["id"] for _ in range(3)]
    good = stranger(ADMIN, "enqueue", {"type": "sum", "payload": {"n": 2}})["id"]
    claimed = stranger(WORKER, "claim", {"limit": 4})["jobs"]
    assert [job["id"] for job in claimed] == [good]
    for job_id in lost:
        job = stranger(ADMIN, "show_job", id=job_id).body
        assert (job["state"], job["error_code"]) == ("scheduled", "sealed_key_missing")


def test_a_service_that_opens_nothing_in_a_queue_leaves_it_alone_for_a_while(owner: Asking, stranger: Asking) -> None:
    jobs = [owner(ADMIN, "enqueue", {"type": "sum"})["id"] for _ in range(3)]
    assert [stranger(WORKER, "claim").status for _ in range(3)] == [204] * 3
    states = [owner(ADMIN, "show_job", id=job_id).body["state"] for job_id in jobs]
    assert states == ["scheduled", "ready", "ready"]
    assert len(owner(WORKER, "claim", {"limit": 3})["jobs"]) == 2


def test_checkpoints_and_effects_say_that_they_do_not_open(owner: Asking, stranger: Asking) -> None:
    owner(ADMIN, "enqueue", {"type": "sum"})
    job = owner(OTHER_WORKER, "claim").body
    said = {"lease_token": job["lease_token"]}
    owner(OTHER_WORKER, "save_checkpoint", {**said, "value": [1]}, id=job["id"], name="page")
    owner(OTHER_WORKER, "begin_effect", {**said, "request_id": "r1"}, id=job["id"], name="charge")
    ended = {**said, "request_id": "r1", "state": "confirmed", "result": {"id": 9}}
    owner(OTHER_WORKER, "finish_effect", ended, id=job["id"], name="charge")
    (saved,) = stranger(ADMIN, "list_checkpoints", id=job["id"])["checkpoints"]
    assert ("value" in saved, saved["sealed_with"]) == (False, "a")
    (effect,) = stranger(ADMIN, "list_effects", id=job["id"])["effects"]
    assert (effect["result"], effect["sealed_with"]) == (None, "a")
    (saved,) = owner(ADMIN, "list_checkpoints", id=job["id"])["checkpoints"]
    assert (saved["value"], "sealed_with" in saved) == ([1], False)


SECRET = "planted71c0ffee"


def test_a_service_that_does_not_know_the_secrets_of_a_job_stores_no_word_of_its_worker(
    owner: Asking, stranger: Asking
) -> None:
    owner(ADMIN, "set_kind", {"secret": ["card"]}, name="sum")
    job_id = owner(ADMIN, "enqueue", {"type": "sum", "payload": {"card": SECRET}})["id"]
    said = {"lease_token": owner(WORKER, "claim")["lease_token"]}
    words = {"error": f"no {SECRET}", "code": SECRET}
    stranger(WORKER, "heartbeat", {**said, "progress": SECRET}, id=job_id)
    stranger(WORKER, "begin_effect", {**said, "request_id": "r"}, id=job_id, name="charge")
    ended = {**said, "request_id": "r", "state": "uncertain", **words}
    assert SECRET not in str(stranger(WORKER, "finish_effect", ended, id=job_id, name="charge").body)
    failed = stranger(WORKER, "fail", {**said, **words, "traceback": SECRET, "retry_in": 0}, id=job_id)
    assert (failed["error"], SECRET in str(failed.body)) == ("•••", False)
    said = {"lease_token": owner(WORKER, "claim")["lease_token"]}
    stranger(WORKER, "release", {**said, "code": SECRET}, id=job_id)
    for asked in (owner, stranger):
        for operation in ("show_job", "list_attempts", "list_effects"):
            assert SECRET not in str(asked(ADMIN, operation, id=job_id).body)
