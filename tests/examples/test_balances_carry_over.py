"""Opening and closing balances, and the digest of a slice."""

from datetime import date
from decimal import Decimal

import pytest

from statements.balances import cents, slices
from statements.rows import Entry


def entry(day: str, amount: str, description: str = "Shop", line: int = 2) -> Entry:
    return Entry("A-1", date.fromisoformat(day), description, Decimal(amount), line)


JANUARY = [entry("2026-01-03", "10.10"), entry("2026-01-04", "-0.30")]
MARCH = [entry("2026-03-03", "0.20"), entry("2026-03-09", "-20")]


def test_each_month_opens_with_the_closing_balance_of_the_one_before_also_over_a_gap() -> None:
    by_month = slices(JANUARY + MARCH)
    assert [(m, s.opening, s.closing) for m, s in by_month.items()] == [
        ("2026-01", Decimal("0.00"), Decimal("9.80")),
        ("2026-03", Decimal("9.80"), Decimal("-10.00")),
    ]


def test_totals_split_what_came_from_what_went() -> None:
    march = slices(JANUARY + MARCH)["2026-03"]
    assert (march.paid_in, march.paid_out) == (Decimal("0.20"), Decimal(-20))
    assert [balance for _, balance in march.running()] == [Decimal("10.00"), Decimal("-10.00")]


def test_a_thousand_tenths_are_exactly_a_hundred() -> None:
    many = [entry("2026-01-01", "0.10") for _ in range(1000)]
    assert slices(many)["2026-01"].closing == Decimal("100.00")


def test_the_digest_is_of_the_content_and_not_of_its_place_or_spelling() -> None:
    one = slices([entry("2026-01-01", "5")])["2026-01"]
    other = slices([entry("2026-01-01", "5.00", line=99)])["2026-01"]
    assert one.sha256() == other.sha256()


@pytest.mark.parametrize(
    "changed",
    [entry("2026-01-04", "-0.31"), entry("2026-01-05", "-0.30"), entry("2026-01-04", "-0.30", "Another shop")],
)
def test_any_change_of_a_row_changes_the_digest_of_its_month(changed: Entry) -> None:
    before, after = slices(JANUARY), slices([JANUARY[0], changed])
    assert before["2026-01"].sha256() != after["2026-01"].sha256()


def test_a_changed_amount_changes_the_digests_of_all_later_months() -> None:
    before = slices(JANUARY + MARCH)["2026-03"]
    after = slices([JANUARY[0], entry("2026-01-04", "-0.31"), *MARCH])["2026-03"]
    assert before.entries == after.entries
    assert before.sha256() != after.sha256()


@pytest.mark.parametrize(("amount", "text"), [("5", "5.00"), ("-0.00", "0.00"), ("-7.1", "-7.10"), ("1E+2", "100.00")])
def test_an_amount_has_one_spelling(amount: str, text: str) -> None:
    assert cents(Decimal(amount)) == text
