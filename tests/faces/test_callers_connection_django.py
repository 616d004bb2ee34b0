"""`connection=` with Django's connections."""

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import django
import pytest
from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import ConnectionHandler
from psycopg.conninfo import conninfo_to_dict

from tenure.stores.connections import after_commit, run_in
from tenure.stores.protocol import Store
from tests.databases import postgres_store, sqlite_store
from tests.faces.callers import enqueueing, is_stored, new_job

DATABASES = ["sqlite3", pytest.param("postgresql", marks=pytest.mark.postgres)]


class Undo(Exception):
    """Rolls a transaction back."""


@pytest.fixture
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    engine: str = request.getfixturevalue("engine")
    yield from (sqlite_store(tmp_path / "app.db") if engine == "sqlite3" else postgres_store())


@pytest.fixture
def connection(store: Store, engine: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[BaseDatabaseWrapper]:
    """As `django.db.connection`, of a handler of its own; `transaction.atomic` finds it by its alias."""
    if not settings.configured:
        settings.configure(USE_TZ=True)
        django.setup()
    handler = ConnectionHandler({"default": described(store, engine)})
    monkeypatch.setattr("django.db.transaction.connections", handler)
    yield handler["default"]
    handler["default"].close()


def described(store: Store, engine: str) -> dict[str, Any]:
    if engine == "sqlite3":
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": str(store.url.removeprefix("sqlite:///"))}
    said = conninfo_to_dict(store.url)
    names = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}
    return {
        "ENGINE": "django.db.backends.postgresql",
        **{names[name]: value for name, value in said.items() if name in names},
    }


@pytest.mark.parametrize("engine", DATABASES)
@pytest.mark.parametrize("commits", [True, False])
def test_a_job_enqueued_in_an_atomic_block_shares_its_fate(
    store: Store, connection: BaseDatabaseWrapper, commits: bool
) -> None:
    from django.db import transaction

    job = new_job()
    with suppress(Undo), transaction.atomic():
        assert run_in(connection, enqueueing(store, job), store)[0].created
        assert not is_stored(store, job)
        if not commits:
            raise Undo
    assert is_stored(store, job) is commits


@pytest.mark.parametrize("engine", DATABASES)
def test_outside_an_atomic_block_the_job_is_there_at_once(store: Store, connection: BaseDatabaseWrapper) -> None:
    job = new_job()
    run_in(connection, enqueueing(store, job), store)
    assert is_stored(store, job)


@pytest.mark.parametrize("engine", ["sqlite3"])
def test_a_wake_up_waits_for_the_commit_of_the_atomic_block(store: Store, connection: BaseDatabaseWrapper) -> None:
    from django.db import transaction

    called: list[str] = []
    with suppress(Undo), transaction.atomic():
        assert after_commit(connection, lambda: called.append("rolled back"))
        raise Undo
    with transaction.atomic():
        assert after_commit(connection, lambda: called.append("committed"))
        assert called == []
    assert called == ["committed"]


@pytest.mark.parametrize("engine", ["sqlite3"])
def test_equal_calls_after_a_commit_are_one_unless_a_savepoint_may_take_one_back(
    store: Store, connection: BaseDatabaseWrapper
) -> None:
    from django.db import transaction

    called: list[str] = []
    call = partial(called.append, "committed")
    with transaction.atomic():
        with suppress(Undo), transaction.atomic():
            after_commit(connection, call)
            raise Undo
        for _ in range(3):
            after_commit(connection, call)
    assert called == ["committed"]
    with suppress(Undo), transaction.atomic():
        after_commit(connection, call)
        raise Undo
    after_commit(connection, call)
    assert called == ["committed"] * 2


@pytest.mark.parametrize("engine", ["sqlite3"])
def test_the_proxy_that_django_exports_is_known(
    store: Store, connection: BaseDatabaseWrapper, monkeypatch: pytest.MonkeyPatch
) -> None:
    from django.utils.connection import ConnectionProxy

    job = new_job()
    run_in(ConnectionProxy({"default": connection}, "default"), enqueueing(store, job), store)
    assert is_stored(store, job)


@pytest.mark.parametrize("engine", DATABASES)
def test_who_ends_transactions_by_himself_enqueues_too(store: Store, connection: BaseDatabaseWrapper) -> None:
    """There Django knows no hook for after the commit; workers look for themselves."""
    job = new_job()
    connection.set_autocommit(False)
    run_in(connection, enqueueing(store, job), store)
    assert not after_commit(connection, list)
    connection.commit()
    connection.set_autocommit(True)
    assert is_stored(store, job)
