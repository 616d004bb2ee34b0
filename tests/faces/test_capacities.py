"""Capacities from Python and the command line, and in the caller's transaction."""

import asyncio
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import Result

from tenure import InvalidInput, Misconfigured, QueueFull, Retry, State, Tenure
from tenure.cli import exit_codes
from tenure.operations.redrive import redrive
from tenure.testing import drain
from tests.databases import postgres_store

Run = Callable[..., Result]


def test_capacities_are_set_listed_and_taken_away(tenure: Run, shop: Tenure, letter: Any) -> None:
    assert tenure("capacities", "list").output == "no capacities\n"
    done = tenure("capacities", "set", "--queue", "post", "--jobs", "2000", "--why", "the office is small")
    assert (done.exit_code, done.output) == (0, "queue post: 2,000 may wait\n")
    assert tenure("capacities", "set", "--queue", "post", "--tenant", "acme", "--jobs", "1").exit_code == 0
    assert tenure("capacities", "set", "--queue", "post", "--jobs", "2000").output == (
        "queue post: unchanged, 2,000 may wait\n"
    )
    letter.enqueue(to="ada")
    assert json.loads(tenure("capacities", "list", "--json").output)["capacities"] == [
        {"queue": "post", "tenant": None, "capacity": 2000, "waiting": 1},
        {"queue": "post", "tenant": "acme", "capacity": 1, "waiting": 0},
    ]
    assert "queue post of tenant acme" in tenure("capacities", "list").output
    assert tenure("capacities", "set", "--queue", "post").output == "queue post: no capacity\n"
    line = shop.store.run(shop.store.verbs.audit_lines(10))[-1]
    assert (line.verb, line.queue, line.why) == ("set_capacity", "post", "the office is small")


def test_without_queue_and_tenant_there_is_nothing_to_bound(tenure: Run, shop: Tenure) -> None:
    shop.opened()
    refused = tenure("capacities", "set", "--jobs", "3")
    assert refused.exit_code == exit_codes.USAGE
    assert "queue: is missing" in refused.output


def test_python_bounds_too_and_its_own_producer_keeps_to_it_at_once(shop: Tenure, letter: Any) -> None:
    letter.enqueue(to="ada")
    assert shop.set_capacity(1, "the office is small", queue="post")
    assert not shop.set_capacity(1, queue="post")
    assert [(rule.place.queue, rule.jobs) for rule in shop.capacities()] == [("post", 1)]
    with pytest.raises(QueueFull) as caught:
        letter.enqueue(to="bob")
    assert (caught.value.queue, caught.value.waiting, caught.value.retry_after) == ("post", 1, 10.0)
    assert letter.using(when_full="accept").enqueue(to="bob").created
    assert letter.using(when_full="delay").enqueue(to="bob").state is State.SCHEDULED
    with pytest.raises(InvalidInput, match="when_full"):
        letter.using(when_full="drop")
    drain(shop)
    with pytest.raises(QueueFull, match="fewer at a time"):
        shop.enqueue_many([letter.item(to="ada") for _ in range(2)])
    assert asyncio.run(shop.aset_capacity(None, queue="post"))
    assert asyncio.run(shop.acapacities()) == []
    assert asyncio.run(letter.aenqueue(to="bob")).created


def test_a_task_says_what_becomes_of_its_jobs(shop: Tenure) -> None:
    @shop.task(when_full="accept")
    def vital() -> None: ...

    shop.set_capacity(0, tenant="default")
    assert vital.enqueue().created
    assert shop.enqueue("vital").created
    with pytest.raises(QueueFull):
        vital.using(when_full="refuse").enqueue()
    with pytest.raises(Misconfigured, match="when_full"):
        shop.task(when_full="drop")(vital.function)  # type: ignore[call-overload]


def test_what_the_system_makes_itself_is_accepted_and_counts(shop: Tenure) -> None:
    """A retry, a redrive, and what a schedule makes."""

    @shop.task(queue="post", max_attempts=2, backoff=(0, 0), when_full="accept")
    def fails() -> None:
        raise Retry("no_stamps")

    job = fails.enqueue()
    shop.set_capacity(0, queue="post")
    assert [ran.outcome for ran in drain(shop)] == ["failed", "failed"]
    shop.ask(lambda verbs: redrive(verbs, job.id, who="op"))
    assert shop.set_schedule("hourly", "fails", every=3600).run_now().created
    assert job.refresh().state is State.READY
    with pytest.raises(QueueFull):
        fails.using(when_full="refuse").enqueue()


def test_a_file_ends_at_a_full_queue_with_its_lines_and_waits_if_told_to(
    tenure: Run, shop: Tenure, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.opened()
    shop.set_capacity(3, queue="post")
    lines = "".join(f'{{"kind": "letter", "payload": {{"to": "{name}"}}}}\n' for name in "abcde")
    asked = ("enqueue-file", "-", "--app", "shop:app", "--batch", "2")
    refused = tenure(*asked, input=lines)
    assert refused.exit_code == exit_codes.UNAVAILABLE
    assert "lines 3 to 4, nothing of which is stored: queue post is full" in refused.output
    assert "--wait" in refused.output
    assert "smaller --batch" in tenure("enqueue-file", "-", "--app", "shop:app", input=lines).output

    def made_room(seconds: float) -> None:
        shop.set_capacity(99, queue="post")
        monkeypatch.setattr("tenure.app.databases.loads.FRESH", 0.0)

    monkeypatch.setattr("tenure.cli.commands.enqueue_file.time.sleep", made_room)
    waited = tenure(*asked, "--wait", input=lines)
    assert waited.exit_code == 0
    assert "trying again in" in waited.output


def test_a_callers_transaction_is_refused_without_a_lock_and_goes_on(shop: Tenure, letter: Any, folder: Path) -> None:
    shop.set_capacity(1, queue="post")
    connection = sqlite3.connect(folder / "tenure.db")
    with connection:
        assert letter.using(connection=connection).enqueue(to="ada").created
        with pytest.raises(QueueFull):
            letter.using(connection=connection).enqueue(to="bob")
        assert letter.using(connection=connection, when_full="accept").enqueue(to="cyd").created
    connection.close()
    assert len(shop.store.run(shop.store.verbs.counts())) == 1


@pytest.mark.postgres
def test_on_postgres_a_full_queue_leaves_the_callers_transaction_usable() -> None:
    for store in postgres_store():
        app = Tenure(store.url)

        @app.task(queue="post")
        def letter(to: str) -> None: ...

        app.set_capacity(1, queue="post")
        with psycopg.connect(store.url) as connection:
            assert letter.using(connection=connection).enqueue(to="ada").created
            with pytest.raises(QueueFull):
                letter.using(connection=connection).enqueue(to="bob")
            held = connection.execute(
                "SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND relation = "
                "'tenure_capacities'::regclass AND mode <> 'AccessShareLock'"
            ).fetchone()
            assert held == (0,)
            assert letter.using(connection=connection, when_full="accept").enqueue(to="cyd").created

        asyncio.run(_refused_beside(store.url, letter))
        app.close()


async def _refused_beside(url: str, letter: Any) -> None:
    async with await psycopg.AsyncConnection.connect(url) as connection:
        with pytest.raises(QueueFull):
            await letter.using(connection=connection).aenqueue(to="dan")


@pytest.mark.postgres
@pytest.mark.parametrize("level", [psycopg.IsolationLevel.REPEATABLE_READ, psycopg.IsolationLevel.SERIALIZABLE])
def test_what_an_old_transaction_of_the_callers_sees_is_no_news_for_the_process(level: psycopg.IsolationLevel) -> None:
    for store in postgres_store():
        app, elsewhere = Tenure(store.url), Tenure(store.url)

        @app.task(queue="post")
        def letter(to: str) -> None: ...

        app.declare_kinds()
        with psycopg.connect(store.url) as connection:
            connection.isolation_level = level
            connection.execute("SELECT 1 FROM tenure_capacities").fetchall()
            elsewhere.set_capacity(1, queue="post")
            assert letter.using(connection=connection).enqueue(to="ada").created
            assert letter.enqueue(to="bob").created
            with pytest.raises(QueueFull):
                letter.enqueue(to="cyd")
        app.close()
        elsewhere.close()
