"""What `retry_count`, `worker_id`, `claimed_at` and `error` of a job say, wherever it has got to. On every store."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

import pytest

from tenure.core import defaults
from tenure.engine.upkeep.reaper import Reaper
from tenure.testing import FakeClock
from tests.http.handlers.asking import ADMIN, PRODUCER, VIEWER, WORKER, Asking, principal

LOST: Final = "the lease ended before the worker reported"
SECOND: Final = principal("worker", "w2")


class Life:
    """One job and its clock. claims: when each attempt began."""

    def __init__(self, ask: Asking, clock: FakeClock) -> None:
        self.ask, self.clock = ask, clock
        self.claims: list[datetime] = []
        self.token = ""
        self.worker = WORKER

    def enqueue(self, **said: Any) -> None:
        self.said = {"type": "sum", "idempotency_key": "k", "max_retries": 2, **said}
        self.id: str = self.ask(PRODUCER, "enqueue", self.said)["id"]
        self.clock.advance(1)

    def claim(self, worker: Any = WORKER) -> None:
        self.worker = worker
        job = self.ask(worker, "claim", {"lease_seconds": 10})
        assert job["id"] == self.id
        self.token = job["lease_token"]
        self.claims.append(self.clock())
        self.clock.advance(1)

    def report(self, verb: str, **said: Any) -> Any:
        told = self.ask(self.worker, verb, {"lease_token": self.token, **said}, id=self.id)
        assert told.status == 200
        return told.body

    def fail(self, error: str, **said: Any) -> Any:
        return self.report("fail", **{"error": error, "retry_in": 0, **said})

    def lose(self) -> None:
        self.clock.advance(60)
        self.sweep()

    def sweep(self) -> None:
        Reaper(self.ask.service.store, 5).tick()

    def wake(self) -> None:
        self.clock.advance(3600)
        store = self.ask.service.store
        store.run(store.verbs.promote(1))

    def cancel(self) -> None:
        assert self.ask(ADMIN, "cancel", id=self.id).status == 200

    def redrive(self) -> None:
        assert self.ask(ADMIN, "redrive", id=self.id).status == 200

    def told(self) -> dict[str, Any]:
        """The words, which every answer about the job has alike."""
        shown = self.ask(PRODUCER, "show_job", id=self.id).body
        [listed] = self.ask(PRODUCER, "list_jobs")["jobs"]
        met = self.ask(PRODUCER, "enqueue", self.said).body
        [in_batch] = self.ask(PRODUCER, "enqueue_many", {"jobs": [self.said]})["jobs"]
        for other in (listed, met, in_batch["job"]):
            assert words(other) == words(shown)
        assert words(self.ask(VIEWER, "show_job", id=self.id).body) == words(shown) | {"error": None}
        return shown


class Told(NamedTuple):
    """attempt: the number of the one that `worker_id` and `claimed_at` are of; 0: both are null."""

    status: str
    retry_count: int
    attempt: int
    error: str | None


def words(job: dict[str, Any]) -> dict[str, Any]:
    return {name: job.get(name) for name in ("status", "retry_count", "worker_id", "claimed_at", "error")}


def waiting(life: Life) -> None:
    life.enqueue()


def running(life: Life) -> None:
    life.enqueue()
    life.claim()


def requeued(life: Life) -> None:
    running(life)
    life.fail("first")


def runs_again(life: Life) -> None:
    requeued(life)
    life.claim(SECOND)


def completed(life: Life) -> None:
    running(life)
    life.report("complete", result=1)


def completed_late(life: Life) -> None:
    runs_again(life)
    life.report("complete")


def exhausted(life: Life) -> None:
    runs_again(life)
    life.fail("second")
    life.claim()
    life.fail("third")


def terminal(life: Life) -> None:
    running(life)
    life.fail("no such account", **{"class": "terminal"})


def terminal_later(life: Life) -> None:
    runs_again(life)
    life.fail("no such account", **{"class": "uncertain"})


def no_retries(life: Life) -> None:
    life.enqueue(max_retries=0)
    life.claim()
    life.fail("only")


def throttled_without_retries(life: Life) -> None:
    life.enqueue(max_retries=0)
    life.claim()
    life.fail("slow down", **{"class": "throttled"})


def snoozed(life: Life) -> None:
    runs_again(life)
    life.report("snooze", delay=30)


def released(life: Life) -> None:
    runs_again(life)
    life.report("release")


def interrupted(life: Life) -> None:
    life.enqueue(max_retries=0)
    life.claim()
    life.report("release")


def released_too_often(life: Life) -> None:
    life.enqueue(max_retries=1)
    for _ in range(defaults.RELEASES + 1):
        life.claim()
        life.report("release")
    life.wake()
    life.claim()
    life.report("release")


def deadline_while_waiting(life: Life) -> None:
    life.enqueue(deadline=life.clock() + timedelta(seconds=60))
    life.claim()
    life.fail("first", retry_in=20)
    life.lose()


def deadline_never_run(life: Life) -> None:
    life.enqueue(deadline=life.clock() + timedelta(seconds=60))
    life.lose()


def deadline_before_the_next_try(life: Life) -> None:
    life.enqueue(deadline=life.clock() + timedelta(seconds=60))
    life.claim()
    life.fail("first")
    life.claim(SECOND)
    life.fail("second", retry_in=100)


def lease_lost(life: Life) -> None:
    running(life)
    life.lose()


def lease_lost_and_running(life: Life) -> None:
    lease_lost(life)
    life.claim(SECOND)


def lease_lost_and_failed(life: Life) -> None:
    lease_lost_and_running(life)
    life.fail("it broke", **{"class": "terminal"})


def lease_lost_for_good(life: Life) -> None:
    life.enqueue(max_retries=1)
    life.claim()
    life.fail("first")
    life.claim(SECOND)
    life.lose()


def cancelled_waiting(life: Life) -> None:
    waiting(life)
    life.cancel()


def cancelled_after_a_requeue(life: Life) -> None:
    requeued(life)
    life.cancel()


def cancelled_running(life: Life) -> None:
    runs_again(life)
    life.cancel()
    life.fail("stopped")


def cancelled_and_released(life: Life) -> None:
    running(life)
    life.cancel()
    life.report("release")


def cancelled_by_the_handler(life: Life) -> None:
    runs_again(life)
    life.fail("not wanted", **{"class": "cancel"})


def asked_to_stop(life: Life) -> None:
    running(life)
    life.cancel()


def redriven(life: Life) -> None:
    exhausted(life)
    life.redrive()


def redriven_and_terminal(life: Life) -> None:
    redriven(life)
    life.claim(SECOND)
    life.fail("again", **{"class": "terminal"})


def redriven_and_cancelled(life: Life) -> None:
    redriven(life)
    life.cancel()


LIVES: Final[dict[Callable[[Life], None], Told]] = {
    waiting: Told("pending", 0, 0, None),
    running: Told("running", 0, 1, None),
    requeued: Told("pending", 1, 0, "first"),
    runs_again: Told("running", 1, 2, "first"),
    completed: Told("completed", 0, 1, None),
    completed_late: Told("completed", 1, 2, "first"),
    exhausted: Told("failed", 2, 3, "third"),
    terminal: Told("failed", 0, 1, "no such account"),
    terminal_later: Told("failed", 1, 2, "no such account"),
    no_retries: Told("failed", 0, 1, "only"),
    throttled_without_retries: Told("failed", 0, 1, "slow down"),
    snoozed: Told("pending", 1, 0, "first"),
    released: Told("pending", 1, 0, "first"),
    interrupted: Told("failed", 0, 1, "the attempt was stopped before it had ended"),
    released_too_often: Told("failed", 1, 22, "the attempt was stopped before it had ended"),
    deadline_while_waiting: Told("failed", 1, 0, "first"),
    deadline_never_run: Told("failed", 0, 0, None),
    deadline_before_the_next_try: Told("failed", 1, 2, "second"),
    lease_lost: Told("pending", 1, 0, LOST),
    lease_lost_and_running: Told("running", 1, 2, LOST),
    lease_lost_and_failed: Told("failed", 1, 2, "it broke"),
    lease_lost_for_good: Told("failed", 1, 2, LOST),
    cancelled_waiting: Told("cancelled", 0, 0, None),
    cancelled_after_a_requeue: Told("cancelled", 1, 0, "first"),
    cancelled_running: Told("cancelled", 1, 2, "stopped"),
    cancelled_and_released: Told("cancelled", 0, 1, None),
    cancelled_by_the_handler: Told("cancelled", 1, 2, "not wanted"),
    asked_to_stop: Told("running", 0, 1, None),
    redriven: Told("pending", 0, 0, "third"),
    redriven_and_terminal: Told("failed", 0, 4, "again"),
    redriven_and_cancelled: Told("cancelled", 0, 0, "third"),
}


@pytest.mark.parametrize(("live", "expected"), LIVES.items(), ids=[live.__name__ for live in LIVES])
def test_a_job_says_where_it_has_got_to(
    ask: Asking, clock: FakeClock, live: Callable[[Life], None], expected: Told
) -> None:
    life = Life(ask, clock)
    live(life)
    told = life.told()
    at = None if told["claimed_at"] is None else datetime.fromisoformat(told["claimed_at"])
    assert (told["status"], told["retry_count"], told["error"]) == (
        expected.status,
        expected.retry_count,
        expected.error,
    )
    assert at == (life.claims[expected.attempt - 1] if expected.attempt else None)
    history = ask(ADMIN, "list_attempts", id=life.id)["attempts"]
    assert (told["worker_id"] is None) == (expected.attempt == 0)
    if told["status"] in ("completed", "failed", "cancelled") and expected.attempt:
        assert told["worker_id"] == history[expected.attempt - 1]["worker_id"]
    assert told["lease_expires_at"] is None or told["status"] == "running"


@pytest.mark.parametrize(
    ("verb", "said", "retry_count"),
    [("complete", {}, 1), ("fail", {"class": "terminal"}, 1), ("fail", {"class": "cancel"}, 1), ("fail", {}, 2)],
)
def test_the_answer_to_a_report_says_the_same_as_the_job_does_then(
    ask: Asking, clock: FakeClock, verb: str, said: dict[str, Any], retry_count: int
) -> None:
    life = Life(ask, clock)
    runs_again(life)
    first = life.report(verb, **said)
    again = life.report(verb, **said)
    assert words(first) == words(again) == words(life.told())
    assert first["retry_count"] == retry_count
    ended = first["status"] != "pending"
    assert (first["worker_id"], first["claimed_at"] is not None) == (("w2", True) if ended else (None, False))


def test_a_page_of_jobs_asks_once_for_all_their_ends(memory: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[set[str]] = []
    look = memory.service.verbs.last_attempts
    monkeypatch.setattr(type(memory.service.verbs), "last_attempts", lambda _, ids: asked.append(set(ids)) or look(ids))
    ids = set()
    for _ in range(3):
        memory(PRODUCER, "enqueue", {"type": "sum"})
        job = memory(WORKER, "claim")
        memory(WORKER, "complete", {"lease_token": job["lease_token"]}, id=job["id"])
        ids.add(job["id"])
    asked.clear()
    memory(PRODUCER, "enqueue", {"type": "sum"})
    told = memory(VIEWER, "list_jobs")["jobs"]
    assert asked == [ids]
    assert {job["worker_id"] for job in told} == {"w1", None}
