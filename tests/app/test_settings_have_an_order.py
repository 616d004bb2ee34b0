"""A flag wins over the environment, that over the file, that over the default."""

from pathlib import Path
from typing import Any

import pytest

from tenure import Misconfigured, Tenure
from tenure.app.databases.addresses import store_of
from tenure.app.settings import Settings
from tenure.core import defaults


def test_the_order_is_flag_environment_file_default(tmp_path: Path) -> None:
    environ = {"TENURE_DATABASE_URL": "memory://environment"}
    (tmp_path / "tenure.toml").write_text('database_url = "memory://file"\n')
    assert Settings(environ, tmp_path).database("memory://flag") == "memory://flag"
    assert Settings(environ, tmp_path).database() == "memory://environment"
    assert Settings({}, tmp_path).database() == "memory://file"
    assert Settings({}, tmp_path / "nowhere").database() == "sqlite:///tenure.db"


def test_a_workers_child_processes_follow_its_database(tmp_path: Path) -> None:
    environ = {"TENURE_DATABASE_OVERRIDE": "memory://worker", "TENURE_DATABASE_URL": "memory://environment"}
    assert Settings(environ, tmp_path).database("memory://flag") == "memory://worker"


def test_pyproject_is_read_where_there_is_no_file_of_our_own(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.tenure]\ndatabase_url = "memory://project"\nslots = 3\n')
    assert Settings({}, tmp_path).database() == "memory://project"
    assert Settings({}, tmp_path).text("slots") == "3"
    (tmp_path / "tenure.toml").write_text("")
    assert Settings({}, tmp_path).database() == "sqlite:///tenure.db"


def test_a_blank_setting_is_refused_not_taken_as_missing(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="TENURE_DATABASE_URL is blank"):
        Settings({"TENURE_DATABASE_URL": " "}, tmp_path).database()
    with pytest.raises(Misconfigured, match="is blank"):
        Settings({}, tmp_path).database("")


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "tenure.toml").write_text("database_url = ")
    with pytest.raises(Misconfigured, match=r"tenure\.toml is not TOML"):
        Settings({}, tmp_path).database()


def test_the_application_takes_its_url_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENURE_DATABASE_URL", "sqlite:///elsewhere.db")
    assert Tenure().url == "sqlite:///elsewhere.db"
    assert Tenure("memory://").url == "memory://"


def test_an_unknown_scheme_is_refused_with_the_known_ones() -> None:
    with pytest.raises(Misconfigured, match=r"'mysql'.*sqlite:///"):
        store_of("mysql://host/name")
    with pytest.raises(Misconfigured, match=r"without a scheme .*sqlite:///"):
        store_of("tenure.db")


def test_declaring_an_application_opens_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    app = Tenure("sqlite:///new.db")
    app.task(kind="one")(lambda: None)
    assert list(tmp_path.iterdir()) == []
    app.open()
    assert (tmp_path / "new.db").exists()
    app.close()


@pytest.mark.parametrize("said", ["0", "-1", "many", " ", "1.5", "10001"])
def test_a_number_of_connections_that_is_none_is_refused_by_the_name_of_who_said_it(tmp_path: Path, said: str) -> None:
    with pytest.raises(Misconfigured, match=r"TENURE_DATABASE_CONNECTIONS is .* a whole number from 1 to 10,000"):
        Settings({"TENURE_DATABASE_CONNECTIONS": said}, tmp_path).connections()
    (tmp_path / "tenure.toml").write_text("database_connections = 2.5\n")
    with pytest.raises(Misconfigured, match=r"database_connections in the settings file is 2\.5"):
        Settings({}, tmp_path).connections()


@pytest.mark.parametrize("said", [0, True, "x", 2.0])
def test_an_application_refuses_such_a_number_too(said: Any) -> None:
    with pytest.raises(Misconfigured, match="the argument database_connections is"):
        Tenure("memory://", database_connections=said)


def test_the_number_of_connections_has_the_order_of_the_others(tmp_path: Path) -> None:
    environ = {"TENURE_DATABASE_CONNECTIONS": "12"}
    (tmp_path / "tenure.toml").write_text("database_connections = 7\n")
    assert Settings(environ, tmp_path).connections(5) == 5
    assert Settings(environ, tmp_path).connections() == 12
    assert Settings({}, tmp_path).connections() == 7
    assert Settings({}, tmp_path / "nowhere").connections() is None


@pytest.mark.parametrize("url", ["memory://", "sqlite:///one.db"])
def test_databases_without_a_pool_take_the_setting_and_have_none(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One settings file serves the machine of a developer and the server."""
    monkeypatch.chdir(tmp_path)
    app = Tenure(url, database_connections=5)
    store = app.opened()
    assert (store.pool, store.waiting().callers, store.room(), store.resize(9)) == (None, 0, None, True)
    app.close()


@pytest.mark.postgres
def test_the_pool_has_the_size_that_was_said_and_is_resized_only_where_none_was() -> None:
    url = "postgresql://nobody@localhost:1/nothing"
    said, unsaid = Tenure(url, database_connections=5).store, Tenure(url).store
    assert (said.pool, said.resize(20), said.pool) == (5, False, 5)
    assert (unsaid.pool, unsaid.resize(20), unsaid.pool) == (defaults.CONNECTIONS, True, 20)
    assert (unsaid.resize(3), unsaid.pool) == (True, 3)
