"""A worker is killed with its file finished and its job not: the next one draws nothing, and enters one row."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from statements import book, summary
from statements.app import app
from statements.jobs import Asked, ask_for
from statements.ledger import read_ledger
from statements.make_sample import SAMPLE
from tenure.engine.exit_codes import RECYCLE
from tenure.testing import barriers
from tests.conformance.postgres_server import shared
from tests.databases import EITHER

LEDGER = "account,date,description,amount\nA-1,2026-01-05,Wages,12.34\n"


@pytest.fixture(params=EITHER)
def out(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A folder with a ledger of one statement, which is asked for."""
    (tmp_path / "ledger.csv").write_text(LEDGER, encoding="utf-8")
    sqlite = request.param == "sqlite"
    app.url = f"sqlite:///{tmp_path / 'jobs.db'}" if sqlite else shared().fresh_database(migrated=False)
    app.store.migrate()
    book.open_book(app.url)
    yield tmp_path
    app.close()


def worker(out: Path, environment: dict[str, str]) -> int:
    """One that leaves after its first job; its exit code."""
    said = {
        "TENURE_DATABASE_URL": app.url,
        "STATEMENTS_LEDGER": str(out / "ledger.csv"),
        "STATEMENTS_OUT": str(out),
        "PYTHONPATH": str(SAMPLE.parents[1]),
    }
    options = ("--lease", "1.5", "--sweep", "0.2", "--poll", "0.1", "--recycle-jobs", "1")
    command = [sys.executable, "-m", "tenure", "worker", "statements.app:app", *options]
    return subprocess.run(command, env={**os.environ, **said, **environment}, check=False, timeout=60).returncode


@pytest.mark.parametrize(("point", "is_reused"), [("before_promote", False), ("after_effect_record", True)])
def test_the_statement_of_a_killed_worker_is_made_once(out: Path, point: str, is_reused: bool) -> None:
    asked: Asked = ask_for(read_ledger(out / "ledger.csv"))
    assert worker(out, barriers.killing(point)) == -9
    name = book.name_of("A-1", "2026-01")
    finished = (out / name).stat().st_ino if is_reused else None
    assert len(list(out.glob(".*.part"))) == (0 if is_reused else 1)
    assert worker(out, {}) == RECYCLE
    done = summary.read(asked)
    assert [check.against for check in summary.checks(asked, done, out, []) if not check.holds] == []
    assert (len(summary.reused(done)), list(out.glob(".*.part"))) == (int(is_reused), [])
    assert list(book.entered(app.url)) == [name]
    assert finished in (None, (out / name).stat().st_ino)


@pytest.mark.parametrize(
    ("account", "name"),
    [("ACC-1", "ACC-1_2026-01.pdf"), ("a/b", "a%2Fb_2026-01.pdf"), ("a b", "a b_2026-01.pdf")],
)
def test_a_name_stays_inside_its_folder(account: str, name: str) -> None:
    assert book.name_of(account, "2026-01") == name
