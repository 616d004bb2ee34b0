"""`tenure migrate` and `kinds`, and which database a command is about."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from click.testing import Result

from tenure import Tenure
from tenure.cli import exit_codes
from tenure.stores.migrations import Migration
from tenure.stores.sqlite import migrating

Run = Callable[..., Result]


def test_kinds_are_written_by_the_command_and_listed(tenure: Run, shop: Tenure) -> None:
    assert tenure("kinds", "set", "shop:app").output == "apart\nletter\nslow\n"
    kinds = {kind["name"]: kind for kind in json.loads(tenure("kinds", "list", "--json").output)["kinds"]}
    assert kinds["letter"]["versions"] == [3]
    assert "post" in tenure("kinds", "list").output


def test_migrate_applies_what_is_missing_once(tenure: Run, folder: Path) -> None:
    applied = json.loads(tenure("migrate", "--json").stdout)["applied"]
    assert applied[0].startswith("0001_")
    assert "nothing to apply" in tenure("migrate").output


def test_migrate_tells_each_step_and_where_one_stopped(
    tenure: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rewrite = "-- tenure: in batches by name\nUPDATE tenure_meta SET value = no_such_column\nWHERE name = 'none';\n"
    later = Migration("0002_later", f"CREATE TABLE tenure_later (a);\n{rewrite}")
    assert tenure("migrate").exit_code == 0
    monkeypatch.setattr(migrating, "known", partial(tuple, (*migrating.known(), later)))
    stopped = tenure("migrate")
    assert "0002_later, step 1 of 2: in one transaction" in stopped.stderr
    step = "0002_later, step 2 of 2: rewrites rows of tenure_meta in batches"
    assert f"stopped at {step}: no such column: no_such_column" in stopped.stderr
    assert "`tenure migrate` goes on from there" in stopped.stderr
    assert stopped.exit_code == exit_codes.FAILURE
    doctor = tenure("doctor")
    assert (doctor.exit_code, "half done: 0002_later, 1 of 2 steps" in doctor.output) == (exit_codes.SCHEMA, True)


def test_migrate_prints_its_statements_without_a_database(tenure: Run, folder: Path) -> None:
    for url in ("sqlite:///tenure.db", "postgresql://nowhere.invalid/x"):
        printed = tenure("migrate", "--sql", "--database", url).output
        assert "CREATE TABLE" in printed
        assert "tenure_migrations" in printed
    assert not (folder / "tenure.db").exists()


def test_migrate_does_not_pass_sql_off_as_json(tenure: Run, folder: Path) -> None:
    done = tenure("migrate", "--sql", "--json")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "say one of them" in done.stderr


def test_a_command_that_looks_or_needs_a_kind_makes_no_database(tenure: Run, folder: Path) -> None:
    (folder / "lines").write_text('{"kind": "letter"}\n')
    enqueues = (["enqueue", "letter"], ["enqueue-file", "lines"])
    for command in (["jobs", "list"], ["stats"], ["kinds", "list"], ["doctor"], *enqueues):
        done = tenure(*command)
        assert done.exit_code == 4
        assert "there is no database file" in done.output
        assert "`tenure migrate`" in done.output
    assert not (folder / "tenure.db").exists()


def test_an_application_that_a_setting_names_names_the_database_too(
    tenure: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "bakery.py").write_text('from tenure import Tenure\napp = Tenure("sqlite:///bakery.db")\n')
    monkeypatch.setenv("TENURE_APP", "bakery:app")
    assert tenure("migrate").exit_code == 0
    assert tenure("jobs", "list").output == "no jobs\n"
    assert [file.name for file in folder.glob("*.db")] == ["bakery.db"]
    other = tenure("jobs", "list", "--database", "sqlite:///other.db")
    assert (other.exit_code, "other.db" in other.output) == (exit_codes.UNAVAILABLE, True)
