"""Bad rows of every kind: what each withholds, and what is said about it."""

from decimal import Decimal
from pathlib import Path

import pytest

from statements.ledger import Ledger, NotALedger, read_ledger

HEADER = "account,date,description,amount\n"
GOOD = (
    "A-1,2026-01-05,Bakery,-2.50\n"
    "A-1,2026-02-05,Bakery,-2.50\n"
    "A-1,2026-03-05,Bakery,-2.50\n"
    "B-2,2026-01-05,Salary,100\n"
    "B-2,2026-02-05,Salary,100\n"
)
ALL = {("A-1", "2026-01"), ("A-1", "2026-02"), ("A-1", "2026-03"), ("B-2", "2026-01"), ("B-2", "2026-02")}
FROM_FEBRUARY = {("A-1", "2026-02"), ("A-1", "2026-03")}
ALL_OF_A = {period for period in ALL if period[0] == "A-1"}
BAD_LINE = 7


def ledger_of(folder: Path, text: str | bytes) -> Ledger:
    path = folder / "ledger.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_ledger(path)


def withheld_by(folder: Path, row: str | bytes) -> tuple[Ledger, set[tuple[str, str]]]:
    whole = (HEADER + GOOD).encode() + (row.encode() if isinstance(row, str) else row) + b"\n"
    ledger = ledger_of(folder, whole)
    done, withheld = ledger.periods()
    missing = {(entry.account, entry.month) for entry in withheld}
    assert set(done) | missing >= ALL
    assert not set(done) & missing
    return ledger, missing


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("A-1,2026-02-09,Shop,", "the amount is missing"),
        ("A-1,2026-02-09,Shop,ten", "'ten' is no amount"),
        ("A-1,2026-02-09,Shop,1e3", "'1e3' is no amount"),
        ("A-1,2026-02-09,Shop,NaN", "'NaN' is no amount"),
        ("A-1,2026-02-09,Shop,Infinity", "'Infinity' is no amount"),
        ("A-1,2026-02-09,Shop,1.005", "'1.005' is no amount"),
        ('A-1,2026-02-09,Shop,"1,000.00"', "'1,000.00' is no amount"),
        ("A-1,2026-02-09,Shop,\u0661\u0662", "is no amount"),
        ("A-1,2026-02-09,Shop,1234567890123456", "is no amount"),
        ("A-1,2026-02-09,,5", "the description is missing"),
        ("A-1,2026-02-09,\u6f22\u5b57,5", "'\\u6f22', which the statement cannot print"),
        ('A-1,2026-02-09,"two\nlines",5', "'\\n', which the statement cannot print"),
        ("A-1,2026-02-09,nul \0,5", "'\\x00', which the statement cannot print"),
        (f"A-1,2026-02-09,{'x' * 201},5", "201 characters, more than 200"),
        (b"A-1,2026-02-09,caf\xe9,5", "the byte 0xE9, which is no UTF-8"),
        ("A-1,2026-02-09,Books, used,5", "the row has 5 fields, not 4"),
        ("A-1,2026-02-09,Shop", "the row has 3 fields, not 4"),
    ],
)
def test_a_row_that_cannot_be_read_withholds_its_month_and_all_later_ones(
    tmp_path: Path, row: str | bytes, reason: str
) -> None:
    ledger, missing = withheld_by(tmp_path, row)
    assert missing == FROM_FEBRUARY
    assert [(bad.file, bad.line) for bad in ledger.bad] == [("ledger.csv", BAD_LINE)]
    assert reason in str(ledger.bad[0])


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("A-1,,Shop,5", "the date is missing"),
        ("A-1,2026-02-30,Shop,5", "'2026-02-30' is no day of the calendar"),
        ("A-1,09.02.2026,Shop,5", "'09.02.2026' is no date (YYYY-MM-DD)"),
        ("A-1,20260209,Shop,5", "'20260209' is no date"),
        ("A-1,2026-W06-1,Shop,5", "is no date"),
    ],
)
def test_a_row_without_a_readable_date_withholds_its_whole_account(tmp_path: Path, row: str, reason: str) -> None:
    ledger, missing = withheld_by(tmp_path, row)
    assert missing == ALL_OF_A
    assert reason in ledger.bad[0].reason


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (",2026-02-09,Shop,5", "the account is missing"),
        ("../../etc,2026-02-09,Shop,5", "'../../etc' is no account number"),
        (f"{'9' * 65},2026-02-09,Shop,5", "is no account number"),
        (b"\xff\xfe,2026-02-09,Shop,5", "is no account number"),
        ("2026-02-09,Shop,5", "the row has 3 fields, not 4"),
        ('A-1,2026-02-09,"Shop,5', "the rest of the file is no CSV"),
        ('A-1,2026-02-09,"Shop"x,5', "the rest of the file is no CSV"),
    ],
)
def test_a_row_without_a_readable_account_withholds_every_statement(
    tmp_path: Path, row: str | bytes, reason: str
) -> None:
    ledger, missing = withheld_by(tmp_path, row)
    assert missing >= ALL
    assert (ledger.bad[0].line, ledger.bad[0].account) == (BAD_LINE, None)
    assert reason in ledger.bad[0].reason


def test_each_withheld_statement_names_the_first_row_to_blame(tmp_path: Path) -> None:
    ledger = ledger_of(tmp_path, HEADER + GOOD + "A-1,2026-03-01,Shop,x\nA-1,2026-02-01,Shop,y\n")
    blame = {entry.month: entry.because.line for entry in ledger.periods()[1]}
    assert blame == {"2026-02": 8, "2026-03": 7}


def test_an_account_that_only_a_bad_row_names_is_withheld_too(tmp_path: Path) -> None:
    _, missing = withheld_by(tmp_path, "C-3,2026-02-01,Shop,x")
    assert missing == {("C-3", "2026-02")}


def test_line_numbers_count_lines_of_the_file_also_after_a_row_of_several(tmp_path: Path) -> None:
    ledger = ledger_of(tmp_path, HEADER + 'A-1,2026-01-01,"a\nb",1\n\nA-1,2026-01-02,Shop,x\n')
    assert [bad.line for bad in ledger.bad] == [2, 5]


def test_columns_may_stand_in_any_order_with_a_byte_order_mark_and_windows_line_ends(tmp_path: Path) -> None:
    ledger = ledger_of(tmp_path, b"\xef\xbb\xbfAmount,Date,Account,Description\r\n-2.5,2026-01-05,A-1,Caf\xc3\xa9\r\n")
    (entry,) = ledger.entries["A-1"]
    assert (entry.description, entry.amount, ledger.bad) == ("Café", Decimal("-2.5"), [])


@pytest.mark.parametrize("text", ["", "\n", "account,date,amount\n", "a,b,c,d\n", HEADER.replace("date", "account")])
def test_a_file_without_the_columns_is_refused_as_a_whole(tmp_path: Path, text: str) -> None:
    with pytest.raises(NotALedger, match=r"ledger\.csv: the first line must name the columns account, date"):
        ledger_of(tmp_path, text)
