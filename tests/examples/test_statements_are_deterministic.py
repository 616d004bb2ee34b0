"""The same slice gives the same bytes; a long one gives pages; the shipped sample is what its script makes."""

import re
import subprocess
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path

from statements.balances import by_period, slices
from statements.ledger import read_ledger
from statements.make_sample import SAMPLE, write
from statements.pdf import draw
from statements.rows import Entry


def entries(count: int, amount: str = "-1234.56") -> list[Entry]:
    return [Entry("A-1", date(2026, 2, 1 + i % 28), f"Café {i}", Decimal(amount), i + 2) for i in range(count)]


def pages(pdf: bytes) -> int:
    return len(re.findall(rb"/Type /Page\b", pdf))


def test_the_same_slice_gives_the_same_bytes_in_another_process() -> None:
    script = (
        "import hashlib; from statements.balances import by_period; from statements.ledger import read_ledger;"
        "from statements.make_sample import SAMPLE; from statements.pdf import draw;"
        "print(hashlib.sha256(draw(next(iter(by_period(read_ledger(SAMPLE)).values())))).hexdigest())"
    )
    examples = str(SAMPLE.parents[1])
    runs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONPATH": examples, "PYTHONHASHSEED": seed, "TZ": zone},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed, zone in (("1", "UTC"), ("2", "Asia/Tokyo"))
    }
    assert len(runs) == 1
    assert len(runs.pop().strip()) == 64


def test_another_slice_gives_other_bytes() -> None:
    assert draw(slices(entries(3))["2026-02"]) != draw(slices(entries(3, "-1234.57"))["2026-02"])


def test_a_statement_is_a_pdf_that_prints_its_amounts_and_numbers_its_pages() -> None:
    pdf = draw(slices(entries(100))["2026-02"])
    assert pdf.startswith(b"%PDF-")
    assert pages(pdf) == 3
    assert b"Page 3 of" in pdf
    assert b"-123,456.00" in pdf


def test_an_empty_month_and_the_longest_fields_can_be_drawn() -> None:
    longest = Entry("A" * 64, date(2026, 2, 1), "W" * 200, Decimal("-999999999999999.99"), 2)
    assert b"-999,999,999,999,999.99" in draw(slices([longest])["2026-02"])


def test_the_shipped_sample_is_what_its_script_makes(tmp_path: Path) -> None:
    write(tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == SAMPLE.read_bytes()


def test_the_sample_holds_at_least_forty_accounts_of_six_months_and_no_bad_row() -> None:
    ledger = read_ledger(SAMPLE)
    done, withheld = ledger.periods()
    assert len(ledger.entries) >= 40
    assert len(done) == len(ledger.entries) * 6 == len(by_period(ledger))
    assert (withheld, ledger.bad) == ([], [])
