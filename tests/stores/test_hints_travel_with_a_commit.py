"""Who tells the waiting workers of another process of a new job: the commit that makes it, or the announcer's
thread."""

import contextlib
import os
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta

import psycopg
import pytest

from tenure.core.job import NewJob
from tenure.operations.enqueue import enqueue
from tenure.stores.postgres import statements, wakeups
from tenure.stores.postgres.store import PostgresStore
from tenure.stores.script import Rows, Statement, drive
from tests.conformance.asking import job_id, new
from tests.conformance.postgres_server import shared
from tests.databases import postgres_store
from tests.stores.hearing import PATIENCE, heard, unsaid, waiting_elsewhere

pytestmark = pytest.mark.postgres

MOMENT = 0.3
"""Seconds for which a test has the announcer keep the second hint of a queue back."""
_NO_ROOM = """
CREATE FUNCTION public.pg_notify(text, text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = '54000', MESSAGE = 'too many notifications in the NOTIFY queue';
END $$
"""


@pytest.fixture
def store() -> Iterator[PostgresStore]:
    yield from postgres_store()


@pytest.fixture
def waiting(store: PostgresStore) -> Iterator[psycopg.Connection]:
    with waiting_elsewhere(store.url) as connection:
        yield connection


def made(store: PostgresStore, *jobs: NewJob) -> None:
    """As an application does it: the hint is asked for when the jobs are there."""
    store.run(enqueue(store.verbs, jobs))
    store.announce({job.queue for job in jobs})


def job(**said: object) -> NewJob:
    return new(id=job_id(), **said)


@pytest.fixture
def known(store: PostgresStore, waiting: psycopg.Connection) -> psycopg.Connection:
    """As `waiting`, and the store has seen by now that somebody waits."""
    made(store, job())
    assert heard(waiting, 1) == ["default"]
    return waiting


def test_the_hint_is_there_with_the_commit_and_comes_once(store: PostgresStore, known: psycopg.Connection) -> None:
    store.run(enqueue(store.verbs, [job(queue="mail")]))
    assert heard(known, 1) == ["mail"]
    store.announce({"mail"})
    assert unsaid(store, known) == []


def test_a_second_job_within_a_moment_is_told_of_by_the_thread(
    store: PostgresStore, known: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wakeups, "_SAME_QUEUE_SECONDS", MOMENT)
    made(store, job(queue="mail"))
    made(store, job(queue="mail"))
    made(store, job(queue="mail"))
    assert heard(known, 2) == ["mail", "mail"]
    assert unsaid(store, known) == []


def test_a_commit_carries_nothing_while_nobody_waits(store: PostgresStore) -> None:
    made(store, job())
    assert store._announcer.carried("default") is None


@pytest.mark.parametrize("said", [{"delay": 60.0}, {"priority": 1, "delay": 0.5}], ids=["a minute", "half a second"])
def test_a_job_for_later_tells_nobody(store: PostgresStore, known: psycopg.Connection, said: dict[str, float]) -> None:
    store.run(enqueue(store.verbs, [job(queue="mail", **said)]))
    assert unsaid(store, known) == []


def test_a_job_for_an_instant_tells_nobody(store: PostgresStore, known: psycopg.Connection) -> None:
    later = store.run(store.verbs.now()) + timedelta(hours=1)
    store.run(enqueue(store.verbs, [job(queue="mail", run_at=later)]))
    assert unsaid(store, known) == []


def test_a_job_in_the_callers_own_transaction_is_told_of_only_when_that_is_asked_for(
    store: PostgresStore, known: psycopg.Connection
) -> None:
    with psycopg.connect(store.url) as theirs:

        def execute(statement: Statement) -> Rows:
            return theirs.execute(*statements.for_psycopg(statement)).fetchall()

        drive(enqueue(store.verbs, [job(queue="mail")], borrowed=True), execute)
    assert unsaid(store, known) == []


def test_a_job_that_is_known_already_leaves_later_hints_alone(
    store: PostgresStore, known: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its insert carried a hint that nobody asked for."""
    once = {"queue": "mail", "idempotency_key": "once"}
    store.run(enqueue(store.verbs, [job(**once)]))
    assert heard(known, 1) == ["mail"]
    monkeypatch.setattr(wakeups, "_SAME_QUEUE_SECONDS", 0.0)
    store.run(enqueue(store.verbs, [job(**once)]))
    assert heard(known, 1) == ["mail"]
    store.announce({"mail"})
    assert heard(known, 1) == ["mail"]


def test_whether_anybody_waits_is_looked_at_again_while_commits_carry_the_hints(
    store: PostgresStore, known: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wakeups, "_LOOK_SECONDS", 0.0)
    monkeypatch.setattr(wakeups, "_SAME_QUEUE_SECONDS", 0.0)
    known.close()
    for _ in range(1000):
        made(store, job())
        if store._announcer.carried("default") is None:
            return
    pytest.fail("hints go on being carried to nobody")


def test_a_new_job_is_told_of_after_a_commit_that_carried_a_hint_for_one_that_was_known(
    store: PostgresStore, known: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That one is announced by nobody; a worker came for its hint before this job was there."""
    once = {"queue": "mail", "idempotency_key": "once"}
    made(store, job(**once))
    assert heard(known, 1) == ["mail"]
    monkeypatch.setattr(wakeups, "_SAME_QUEUE_SECONDS", 0.0)
    store.run(enqueue(store.verbs, [job(**once)]))
    assert heard(known, 1) == ["mail"]
    monkeypatch.setattr(wakeups, "_SAME_QUEUE_SECONDS", MOMENT)
    made(store, job(queue="mail"), job(queue="mail"))
    assert heard(known, 1) == ["mail"]


def test_a_new_job_is_told_of_after_an_insert_that_failed(
    store: PostgresStore, known: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wakeups, "_SAME_QUEUE_SECONDS", MOMENT)
    with pytest.raises(psycopg.DataError):
        store.run(store.verbs.insert([job(queue="mail", trace="\0")]))
    made(store, job(queue="mail"))
    assert heard(known, 1) == ["mail"]


def test_a_job_is_made_where_the_server_has_no_room_for_its_hint(store: PostgresStore) -> None:
    store.close()
    shared().execute(_NO_ROOM, store.url)
    shared().alter_database(store.url, "SET search_path = public, pg_catalog")
    again = PostgresStore(store.url)
    again._announcer._heard = True
    assert [answer.created for answer in again.run(enqueue(again.verbs, [job()]))] == [True]
    assert again.run(again.verbs.counts())
    again.close()


def test_two_jobs_that_are_announced_together_are_told_of_after_the_second(
    store: PostgresStore, known: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wakeups, "_SAME_QUEUE_SECONDS", MOMENT)
    store.run(enqueue(store.verbs, [job(queue="mail")]))
    assert heard(known, 1) == ["mail"]
    made(store, job(queue="mail"))
    assert heard(known, 1) == ["mail"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_worker_hears_of_the_jobs_that_a_process_forked_from_its_own_makes(store: PostgresStore) -> None:
    with closing(store.listen(["mail"])) as listener, psycopg.connect(store.url, autocommit=True) as other:
        while not listener.wait(0.05):
            other.execute("SELECT pg_notify(%s, 'other mail')", (wakeups.CHANNEL,))
        while listener.wait(0.05):
            pass
        child = os.fork()
        if child == 0:
            with contextlib.suppress(BaseException):
                store._announcer._listeners.clear()
                store._announcer._heard = True
                made(store, job(queue="mail"))
            os._exit(0)
        os.waitpid(child, 0)
        assert listener.wait(PATIENCE)


def test_what_a_parent_was_about_to_send_when_it_forked_keeps_no_hint_of_the_child_back(
    store: PostgresStore, waiting: psycopg.Connection
) -> None:
    store._announcer._pending.add("mail")
    made(store, job(queue="mail"))
    assert heard(waiting, 1) == ["mail"]
