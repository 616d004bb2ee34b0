"""Keys, the digest in the payload, and what becomes of a changed ledger."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from statements import book
from statements.app import app
from statements.jobs import ask_for
from statements.ledger import Ledger, read_ledger
from tenure.core.payloads.documents import load
from tenure.testing import drain

LEDGER = (
    "account,date,description,amount\n"
    "A-1,2026-01-05,Salary,100\n"
    "A-1,2026-02-05,Bakery,-2.50\n"
    "A-1,2026-03-05,Bakery,-2.50\n"
    "B-2,2026-01-05,Salary,70\n"
)


@pytest.fixture(autouse=True)
def _surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "out").mkdir()
    monkeypatch.setenv("STATEMENTS_OUT", str(tmp_path / "out"))
    monkeypatch.setenv("STATEMENTS_LEDGER", str(tmp_path / "ledger.csv"))
    monkeypatch.setenv("STATEMENTS_DELAY", "0")
    app.url = f"sqlite:///{tmp_path / 'jobs.db'}"
    book.open_book(app.url)
    yield
    app.close()


def ledger_of(folder: Path, text: str = LEDGER) -> Ledger:
    (folder / "ledger.csv").write_text(text, encoding="utf-8")
    return read_ledger(folder / "ledger.csv")


def test_there_is_one_job_for_each_account_and_month_under_its_key(tmp_path: Path) -> None:
    asked = ask_for(ledger_of(tmp_path))
    assert asked.created == 4
    assert [(job.row.tenant, job.row.idempotency_key) for job in asked.jobs] == [
        ("A-1", "A-1/2026-01/v1"),
        ("A-1", "A-1/2026-02/v1"),
        ("A-1", "A-1/2026-03/v1"),
        ("B-2", "B-2/2026-01/v1"),
    ]


def test_the_payload_names_the_account_the_month_and_the_digest_of_its_slice(tmp_path: Path) -> None:
    row = ask_for(ledger_of(tmp_path)).jobs[1].row
    content = ["A-1", "2026-02", "100.00", [["2026-02-05", "Bakery", "-2.50"]]]
    digest = hashlib.sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest()
    assert load(row.payload or "") == {"account": "A-1", "month": "2026-02", "slice_sha256": digest}


def test_asking_again_for_the_same_ledger_adds_nothing(tmp_path: Path) -> None:
    first = ask_for(ledger_of(tmp_path))
    again = ask_for(ledger_of(tmp_path, LEDGER.replace("-2.50", "-2.5")))
    assert (again.created, again.refused) == (0, [])
    assert [job.id for job in again.jobs] == [job.id for job in first.jobs]


def test_a_changed_ledger_is_refused_by_name_and_the_rest_is_known(tmp_path: Path) -> None:
    first = ask_for(ledger_of(tmp_path))
    again = ask_for(ledger_of(tmp_path, LEDGER.replace("02-05,Bakery,-2.50", "02-05,Bakery,-2.51")))
    assert again.created == 0
    assert [(each.account, each.month, each.job_id) for each in again.refused] == [
        ("A-1", "2026-02", first.jobs[1].id),
        ("A-1", "2026-03", first.jobs[2].id),
    ]
    assert [job.id for job in again.jobs] == [first.jobs[0].id, first.jobs[3].id]


def test_a_new_month_is_added_beside_what_is_known(tmp_path: Path) -> None:
    ask_for(ledger_of(tmp_path))
    again = ask_for(ledger_of(tmp_path, LEDGER + "B-2,2026-02-05,Bakery,-1\n"))
    assert [job.row.idempotency_key for job in again.jobs if job.created] == ["B-2/2026-02/v1"]


def test_the_result_records_the_file_its_digest_and_its_length(tmp_path: Path) -> None:
    asked = ask_for(ledger_of(tmp_path))
    drain(app)
    for job in asked.jobs:
        result = job.result(timeout=0)
        data = (tmp_path / "out" / result["file"]).read_bytes()
        assert result == {"file": result["file"], "sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    assert len(list((tmp_path / "out").iterdir())) == 4


def test_a_ledger_that_changed_after_it_was_asked_for_makes_no_statement(tmp_path: Path) -> None:
    asked = ask_for(ledger_of(tmp_path))
    ledger_of(tmp_path, LEDGER.replace("Salary,100", "Salary,1000"))
    drain(app)
    assert [job.refresh().row.end_code for job in asked.jobs] == ["ledger_changed"] * 3 + [None]
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["B-2_2026-01.pdf"]


def test_a_statement_that_stands_there_with_other_bytes_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "out" / "B-2_2026-01.pdf").write_bytes(b"another")
    asked = ask_for(ledger_of(tmp_path))
    drain(app)
    assert asked.jobs[3].refresh().row.end_code == "artifact_conflict"
    assert (tmp_path / "out" / "B-2_2026-01.pdf").read_bytes() == b"another"


def test_withheld_statements_are_not_asked_for(tmp_path: Path) -> None:
    asked = ask_for(ledger_of(tmp_path, LEDGER + "A-1,2026-02-09,Shop,x\n"))
    assert [job.row.idempotency_key for job in asked.jobs] == ["A-1/2026-01/v1", "B-2/2026-01/v1"]
    assert [(each.account, each.month) for each in asked.withheld] == [("A-1", "2026-02"), ("A-1", "2026-03")]
