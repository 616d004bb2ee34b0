"""A hint taken by a worker: it claims that very job where the store lets it, and a wrong hint changes nothing."""

import threading
from datetime import timedelta

import pytest

from tenure.core.errors import StoreUnavailable
from tenure.core.hints import Woken
from tenure.core.kind import Kind
from tenure.core.states import State
from tenure.engine.attempts.handler import by_kind
from tenure.engine.claiming import dispatcher
from tenure.engine.claiming.waking import Waking
from tenure.testing.clock import FakeClock
from tests.conformance.asking import NOBODY, Ask, done, new
from tests.engine.troubled import WAIT, Troubled
from tests.engine.workshop import Desk, succeeding


class Woke:
    """A desk and its ear; `looks` counts how often it was sent to look for work."""

    def __init__(self, desk: Desk, queues: tuple[str, ...] = ("default",)) -> None:
        self.desk, self.looks = desk, 0
        self._waking = Waking(desk.store, desk.dispatcher, by_kind([succeeding()]), queues, self._look)

    def _look(self) -> None:
        self.looks += 1
        self.desk.claimer.hint()

    def __call__(self, job_id: str) -> Woken:
        return self._waking.wake(job_id)


@pytest.fixture
def wake(desk: Desk) -> Woke:
    return Woke(desk)


def test_a_ready_job_is_claimed_and_begun(ask: Ask, desk: Desk, wake: Woke) -> None:
    ask.enqueued(priority=30)
    wanted = ask.enqueued()
    assert wake(wanted) is Woken.CLAIMED
    assert [run.lease.job_id for run in desk.started] == [wanted]
    assert desk.roster.free == 3


def test_a_second_hint_of_one_job_does_nothing(ask: Ask, desk: Desk, wake: Woke) -> None:
    job_id = ask.enqueued()
    assert [wake(job_id), wake(job_id)] == [Woken.CLAIMED, Woken.RUNNING]
    assert ask.job(job_id).attempt == len(desk.started) == 1


def test_an_old_hint_of_a_finished_job_wakes_nothing(ask: Ask, desk: Desk, wake: Woke) -> None:
    succeeded, cancelled = ask.enqueued(), ask.enqueued()
    ask.report(done(ask.lease(only=succeeded)))
    ask.cancel(cancelled)
    before = ask.job(succeeded)
    assert [wake(succeeded), wake(cancelled)] == [Woken.ENDED, Woken.ENDED]
    assert ask.job(succeeded) == before
    assert desk.started == []


def test_a_hint_of_an_earlier_turn_does_not_shorten_the_wait_for_a_retry(ask: Ask, wake: Woke) -> None:
    job_id = ask.enqueued(delay=10)
    assert wake(job_id) is Woken.WAITING
    ask.clock.advance(11)
    assert wake(job_id) is Woken.WAITING
    ask.promote()
    assert wake(job_id) is Woken.CLAIMED


def test_what_is_not_for_this_worker_is_left(ask: Ask, desk: Desk, wake: Woke) -> None:
    strangers = [ask.enqueued("other"), ask.enqueued(version=2), ask.enqueued(queue="mail")]
    assert [wake(job_id) for job_id in strangers] == [Woken.FOREIGN] * 3
    assert [wake(job_id) for job_id in (NOBODY, "no id", "")] == [Woken.UNKNOWN] * 3
    assert desk.started == []


def test_without_a_free_slot_the_next_free_one_looks(ask: Ask, desk: Desk, wake: Woke) -> None:
    ids = [answer.id for answer in ask.enqueue(*(new() for _ in range(5)))]
    for job_id in ids[:4]:
        assert wake(job_id) is Woken.CLAIMED
    assert wake(ids[4]) is Woken.BUSY
    assert (wake.looks, desk.roster.free) == (1, 0)
    desk.say(desk.started[0])
    desk.dispatcher.tick()
    assert [run.lease.job_id for run in desk.started] == ids


def test_a_claim_on_its_way_is_waited_for_where_it_has_booked_every_slot(
    ask: Ask, desk: Desk, store: Troubled, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dispatcher, "FULL_WAIT", WAIT)
    hold, answers = store.hold("claim"), []
    claiming = threading.Thread(target=desk.claim)
    claiming.start()
    assert hold.entered.wait(WAIT)
    assert desk.roster.are_booked
    mail = Woke(desk, ("default", "mail"))
    job_id = ask.enqueued(queue="mail")
    waking = threading.Thread(target=lambda: answers.append(mail(job_id)))
    waking.start()
    hold.go.set()
    waking.join(WAIT)
    claiming.join(WAIT)
    assert answers == [Woken.CLAIMED]


def test_a_limit_holds_against_hints(ask: Ask, desk: Desk, wake: Woke) -> None:
    ask.run(ask.verbs.put_kinds([Kind(name="k", concurrency=1)], replace=True))
    first, second = ask.enqueued(), ask.enqueued()
    assert [wake(second), wake(first)] == [Woken.CLAIMED, Woken.CLOSED]
    assert desk.roster.free == 3


def test_a_deadline_holds_against_hints(ask: Ask, clock: FakeClock, wake: Woke) -> None:
    job_id = ask.enqueued(deadline=clock() + timedelta(seconds=5))
    clock.advance(6)
    assert wake(job_id) is Woken.CLOSED


def test_a_rival_that_was_quicker_leaves_the_slot_free(ask: Ask, desk: Desk, store: Troubled, wake: Woke) -> None:
    job_id = ask.enqueued()
    store.meanwhile("claim", lambda: ask.lease(only=job_id))
    assert wake(job_id) is Woken.RUNNING
    assert desk.roster.free == 4


def test_hints_change_no_turn_of_the_common_claims(ask: Ask, desk: Desk, wake: Woke) -> None:
    a, b, c = (ask.enqueued(tenant=tenant) for tenant in "abc")
    assert wake(b) is Woken.CLAIMED
    assert [run.lease.job_id for run in desk.claim()] == [a, c]


def test_a_claim_whose_answer_was_lost_is_settled_by_the_next_round(
    ask: Ask, desk: Desk, store: Troubled, wake: Woke
) -> None:
    job_id = ask.enqueued()
    store.lose_answer("claim", StoreUnavailable("the answer was lost"))
    with pytest.raises(StoreUnavailable):
        wake(job_id)
    assert (ask.job(job_id).state, desk.started, desk.roster.free) == (State.RUNNING, [], 3)
    desk.dispatcher.tick()
    assert [run.lease.job_id for run in desk.started] == [job_id]
    assert ask.job(job_id).attempt == 1


def test_a_worker_that_leaves_takes_nothing_more(ask: Ask, desk: Desk, wake: Woke) -> None:
    job_id = ask.enqueued()
    desk.dispatcher.stop_claiming()
    assert wake(job_id) is Woken.NO_WORKER
    assert ask.job(job_id).state is State.READY


def test_a_claim_that_comes_back_after_the_stop_goes_back_unbegun(
    ask: Ask, desk: Desk, store: Troubled, wake: Woke
) -> None:
    job_id = ask.enqueued()
    store.meanwhile("claim", desk.dispatcher.stop_claiming)
    assert wake(job_id) is Woken.NO_WORKER
    desk.dispatcher.tick()
    assert (desk.started, ask.job(job_id).state, ask.job(job_id).returns) == ([], State.READY, 1)


def test_a_worker_of_a_service_looks_for_work_in_the_common_order(desk: Desk) -> None:
    looks: list[str] = []
    waking = Waking(None, desk.dispatcher, {}, (), lambda: looks.append("look"))
    assert waking.wake(NOBODY) is Woken.LOOKING
    assert looks == ["look"]
