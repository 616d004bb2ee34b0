"""FAULTS B57: a wake-up carries a queue's name and nothing else, and a transaction sends one for each queue at most."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing

import psycopg
import pytest
from sqlalchemy import create_engine
from sqlalchemy.orm import Session

from tenure import Tenure
from tenure.stores.postgres import wakeups
from tenure.stores.postgres.store import PostgresStore
from tests.databases import postgres_store
from tests.stores.hearing import notified, waiting_elsewhere

pytestmark = pytest.mark.postgres

SECRET = "what nobody may hear "
LARGE = 60_000
LONGEST_NAME = "\N{GRINNING FACE}" * 200
SOME = [LONGEST_NAME, "mail", "reports"]
Sent = list[psycopg.Notify]


@pytest.fixture
def store() -> Iterator[PostgresStore]:
    yield from postgres_store()


@pytest.fixture
def app(store: PostgresStore) -> Tenure:
    app = Tenure()

    @app.task(kind="letter")
    def letter(text: str) -> None: ...

    app.use(store)
    app.declare_kinds()
    return app


@pytest.fixture
def sent(app: Tenure, store: PostgresStore) -> Iterator[Callable[[], Sent]]:
    """What has been sent since the last call, and since the store has seen that somebody waits."""
    with waiting_elsewhere(store.url) as waiting:
        app.enqueue("letter", {"text": ""}, queue="first")
        notified(store, waiting)
        assert store._announcer._heard
        yield lambda: notified(store, waiting)


@pytest.fixture
def session(store: PostgresStore) -> Iterator[Session]:
    engine = create_engine(store.url.replace("postgresql", "postgresql+psycopg", 1))
    with Session(engine) as session:
        yield session
    engine.dispose()


def queues_in(notifies: Sent) -> Counter[str]:
    """How often each was named. Nothing else may be carried: `<sender> <queue>`, however large the jobs are."""
    for notify in notifies:
        assert notify.channel == wakeups.CHANNEL
        assert len(notify.payload.encode()) < 1_000
        assert SECRET not in notify.payload
    return Counter(notify.payload.partition(" ")[2] for notify in notifies)


@pytest.mark.parametrize("size", [9_000, LARGE])
def test_the_hint_of_one_job_is_its_queues_name(app: Tenure, sent: Callable[[], Sent], size: int) -> None:
    handle = app.enqueue("letter", {"text": SECRET * (size // len(SECRET))}, queue=LONGEST_NAME)
    notifies = sent()
    assert queues_in(notifies) == {LONGEST_NAME: 1}
    assert handle.id not in notifies[0].payload


@pytest.mark.parametrize("size", [7_000, 9_000])
def test_a_name_that_is_longer_than_any_call_allows_keeps_no_wake_up_from_arriving(
    store: PostgresStore, size: int
) -> None:
    """A row that somebody wrote by hand: its queue's name goes as a digest, where it would not fit."""
    name, other = "q" * size, PostgresStore(store.url)
    other.open()
    listener = other.listen([name])

    def heard() -> bool:
        store.announce([name, "mail"])
        return listener.wait(0.1)

    with closing(other), closing(listener):
        assert any(heard() for _ in range(200))


def test_a_bulk_of_ten_thousand_sends_one_hint_for_each_queue(app: Tenure, sent: Callable[[], Sent]) -> None:
    app.enqueue_many([app.item("letter", {"text": SECRET}, queue=SOME[n % 3]) for n in range(10_000)])
    assert queues_in(sent()) == dict.fromkeys(SOME, 1)


def test_a_transaction_of_a_session_sends_one_hint_for_each_queue_however_often_it_enqueues(
    app: Tenure, sent: Callable[[], Sent], session: Session
) -> None:
    for number in range(60):
        app.enqueue("letter", {"text": SECRET}, queue=SOME[number % 3], connection=session)
    app.enqueue_many([app.item("letter", {"text": SECRET}, queue=queue) for queue in SOME], connection=session)
    assert sent() == []
    session.commit()
    assert queues_in(sent()) == dict.fromkeys(SOME, 1)


def test_a_transaction_of_a_session_that_rolls_back_sends_none(
    app: Tenure, sent: Callable[[], Sent], session: Session
) -> None:
    app.enqueue("letter", {"text": SECRET}, queue="mail", connection=session)
    session.rollback()
    session.commit()
    assert sent() == []


def test_what_a_savepoint_took_back_takes_no_hint_of_the_rest_with_it(
    app: Tenure, sent: Callable[[], Sent], session: Session
) -> None:
    app.enqueue("letter", {"text": SECRET}, queue="mail", connection=session)
    with session.begin_nested() as savepoint:
        app.enqueue("letter", {"text": SECRET}, queue="mail", connection=session)
        savepoint.rollback()
    session.commit()
    assert queues_in(sent()) == {"mail": 1}


def test_a_transaction_on_a_bare_connection_carries_nothing(
    app: Tenure, store: PostgresStore, sent: Callable[[], Sent]
) -> None:
    """It has no hook after its commit; workers poll."""
    with psycopg.connect(store.url) as theirs:
        for _ in range(20):
            app.enqueue("letter", {"text": SECRET}, queue="mail", connection=theirs)
    assert sent() == []
