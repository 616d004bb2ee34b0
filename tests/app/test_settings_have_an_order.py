"""A flag wins over the environment, that over the file, that over the default."""

from pathlib import Path

import pytest

from tenure import Misconfigured, Tenure
from tenure.app.addresses import store_of
from tenure.app.settings import Settings


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
    with pytest.raises(Misconfigured, match="nothing"):
        store_of("tenure.db")


def test_declaring_an_application_opens_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    app = Tenure("sqlite:///new.db")
    app.task(kind="one")(lambda: None)
    assert list(tmp_path.iterdir()) == []
    app.open()
    assert (tmp_path / "new.db").exists()
    app.close()
