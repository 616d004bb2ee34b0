"""The demo in small: real worker processes, one killed in mid-job, everything checked."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from statements.make_sample import SAMPLE
from tests.conformance.postgres_server import shared

pytestmark = pytest.mark.timeout(180)


def demo(out: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "statements.demo", "--out", str(out), "--accounts", "2", "--delay", "0.7", *options],
        env={**os.environ, "PYTHONPATH": str(SAMPLE.parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_killed_worker_loses_nothing_and_asking_again_adds_nothing(tmp_path: Path) -> None:
    first = demo(tmp_path / "out")
    assert first.returncode == 0, first.stdout + first.stderr + logs(tmp_path / "out")
    assert "SIGKILL to first" in first.stdout
    assert "attempt 1 of first" in first.stdout
    assert "ended lease_expired, worker_lost" in first.stdout
    assert len(list((tmp_path / "out").glob("*.pdf"))) == 12

    again = demo(tmp_path / "out")
    assert again.returncode == 0, again.stdout + again.stderr
    assert "0 jobs added, 12 known" in again.stdout

    changed = tmp_path / "changed.csv"
    rows = SAMPLE.read_text(encoding="utf-8").splitlines(keepends=True)
    changed.write_text("".join([*rows, f"{rows[1].partition(',')[0]},2026-06-30,Shop,-1\n"]), encoding="utf-8")
    refused = demo(tmp_path / "out", "--ledger", str(changed))
    assert refused.returncode == 1
    assert "2026-06: job" in refused.stdout


@pytest.mark.postgres
def test_the_demo_runs_on_postgresql_too(tmp_path: Path) -> None:
    ran = demo(tmp_path / "out", "--database", shared().fresh_database(migrated=False))
    assert ran.returncode == 0, ran.stdout + ran.stderr + logs(tmp_path / "out")
    assert "SIGKILL to first" in ran.stdout


def test_a_changed_file_on_disk_fails_the_check(tmp_path: Path) -> None:
    assert demo(tmp_path / "out").returncode == 0
    next((tmp_path / "out").glob("*.pdf")).write_bytes(b"other")
    spoilt = demo(tmp_path / "out")
    assert spoilt.returncode == 1
    assert "is not what its job recorded" in spoilt.stdout


def test_a_file_that_is_no_ledger_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "ledger.csv").write_text("a,b\n", encoding="utf-8")
    ran = demo(tmp_path / "out", "--ledger", str(tmp_path / "ledger.csv"))
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "demo: ledger.csv: the first line must name the columns" in ran.stderr


@pytest.mark.parametrize("text", ["account,date,description,amount\n", "account,date,description,amount\n\n\n"])
def test_a_ledger_without_rows_is_not_said_to_be_done(tmp_path: Path, text: str) -> None:
    (tmp_path / "ledger.csv").write_text(text, encoding="utf-8")
    ran = demo(tmp_path / "out", "--ledger", str(tmp_path / "ledger.csv"))
    assert (ran.returncode, ran.stdout) == (2, "")
    told = "demo: ledger.csv: there are no rows below the header, so there is no statement to make\n"
    assert ran.stderr == told
    assert not (tmp_path / "out").exists()


def test_a_ledger_of_bad_rows_alone_lists_them_and_is_not_said_to_be_done(tmp_path: Path) -> None:
    (tmp_path / "ledger.csv").write_text("account,date,description,amount\nA-1,never,Wages,12\n", encoding="utf-8")
    ran = demo(tmp_path / "out", "--ledger", str(tmp_path / "ledger.csv"))
    assert ran.returncode == 2
    assert "bad row ledger.csv:2" in ran.stdout
    assert "  ok  " not in ran.stdout
    assert "every statement is withheld because of bad rows, so none is made" in ran.stderr
    assert "statements go to" not in ran.stdout
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("accounts", ["0", "-1", "all"])
def test_no_account_cannot_be_asked_for(tmp_path: Path, accounts: str) -> None:
    ran = demo(tmp_path / "out", "--accounts", accounts)
    assert ran.returncode == 2
    assert "--accounts" in ran.stderr


def test_a_ledger_that_is_not_there_is_said_without_a_code_of_the_system(tmp_path: Path) -> None:
    ran = demo(tmp_path / "out", "--ledger", "nowhere.csv")
    assert (ran.returncode, ran.stdout, ran.stderr) == (2, "", "demo: nowhere.csv: No such file or directory\n")


def test_what_bad_rows_withheld_is_counted_at_the_end_too(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.csv"
    rows = ("account,date,description,amount", "A-1,2026-01-05,Wages,12.34", "B-2,2026-01-05,Wages,12.34")
    bad = ("B-2,2026-01-06,Wages,12.345", "C-3,2026-01-06,Wages,1.234")
    ledger.write_text("\n".join([*rows, *bad, ""]), encoding="utf-8")
    ran = demo(tmp_path / "out", "--ledger", str(ledger), "--timeout", "60", "--accounts", "3")
    assert "ledger.csv: 3 accounts, 1 statement asked for" in ran.stdout, ran.stdout + ran.stderr
    assert "1 statement asked for, 1 job, each succeeded" in ran.stdout
    assert "note  2 statements withheld, not made, because of 2 bad rows" in ran.stdout
    assert ran.returncode == 0, "whether or not one of two workers could be killed over the only job"


def logs(out: Path) -> str:
    return "".join(f"\n{path.name}:\n{path.read_text()}" for path in out.glob("*.log"))
