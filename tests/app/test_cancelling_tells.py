"""What a cancellation came to is told: not started, stopped at a safe point, too late, with the effects so far."""

import asyncio
import threading
import time
from collections.abc import Iterator

import pytest

from tenure import Cancel, Context, Retry, State, Tenure
from tenure.app.handling.ledger import StoreLedger
from tenure.core.reports import Completion, Report
from tenure.engine.attempts import verdict
from tenure.engine.attempts.run import Run
from tenure.operations.cancel import CancelAnswer
from tenure.operations.report import report
from tenure.stores.protocol import Store
from tenure.testing.draining import Hand


@pytest.fixture
def app(store: Store) -> Iterator[Tenure]:
    app = Tenure("memory://")

    @app.task(kind="work", backoff=(3600, 3600))
    def work() -> None: ...

    app.use(store)
    yield app
    app.close()


class Attempt:
    """One attempt in the hands of the test."""

    def __init__(self, app: Tenure) -> None:
        lease = Hand(app, advance=False).next()
        assert lease is not None
        self.run, self._store = Run(lease, time.monotonic()), app.opened()
        self.ctx = Context(self.run, StoreLedger(self._store, lease))

    def ends(self, how: BaseException | None) -> None:
        lease = self.run.lease
        done = Completion(lease.job_id, lease.token)
        said: Report = done if how is None else verdict.of_error(self.run, how, None)
        self._store.run(report(self._store.verbs, [said]))


def told(answer: CancelAnswer) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    assert answer.cancellation is not None
    return answer.cancellation.told, answer.cancellation.confirmed, answer.cancellation.open


def test_a_job_that_never_began_was_not_started(app: Tenure) -> None:
    assert told(app.enqueue("work").cancel()) == ("not_started", (), ())


def test_a_job_between_two_attempts_waited(app: Tenure) -> None:
    job = app.enqueue("work")
    Attempt(app).ends(Retry("later"))
    assert told(job.cancel()) == ("waited", (), ())


@pytest.mark.parametrize(
    ("how", "what", "state"),
    [
        (Cancel(), "stopped", State.CANCELLED),
        (Retry("broken"), "interrupted", State.CANCELLED),
        (None, "too_late", State.SUCCEEDED),
    ],
)
def test_a_running_job_is_told_by_how_it_ends(app: Tenure, how: BaseException | None, what: str, state: State) -> None:
    job = app.enqueue("work")
    attempt = Attempt(app)
    attempt.ctx.effect("charge", lambda call: "ch_1")
    with pytest.raises(ZeroDivisionError):
        raise_from(attempt.ctx)
    asked = job.cancel()
    assert told(asked) == ("asked", ("charge",), ("mail",))
    attempt.ends(how)
    after = job.cancel()
    assert (told(after), after.state) == ((what, ("charge",), ("mail",)), state)


def raise_from(ctx: Context) -> None:
    """Leaves the effect `mail` uncertain."""
    try:
        ctx.effect("mail", lambda call: 1 / 0)
    except BaseException as error:
        raise error.__cause__ or error from None


def test_a_cancel_may_wait_until_the_job_has_answered(app: Tenure) -> None:
    job = app.enqueue("work")
    attempt = Attempt(app)

    def end_when_asked() -> None:
        while job.refresh().row.cancel_requested_at is None:
            time.sleep(0.01)
        attempt.ends(Cancel())

    ending = threading.Thread(target=end_when_asked)
    ending.start()
    answer = app.get(job.id).cancel(wait=60)  # type: ignore[union-attr]
    ending.join()
    assert (told(answer)[0], answer.happened, answer.state) == ("stopped", "requested", State.CANCELLED)


def test_the_async_twin_waits_no_longer_than_it_is_told_to(app: Tenure) -> None:
    job = app.enqueue("work")
    Attempt(app)
    answer = asyncio.run(job.acancel(wait=0.05))
    assert (told(answer)[0], answer.state) == ("asked", State.RUNNING)
