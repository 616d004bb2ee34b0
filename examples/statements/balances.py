"""Balances, carried over from month to month, and the slice of the ledger that one statement is made of."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby
from typing import Final

from statements.ledger import Ledger
from statements.rows import Entry

ZERO: Final = Decimal("0.00")
_CENT: Final = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Slice:
    """All that the statement of an account and month (YYYY-MM) depends on."""

    account: str
    month: str
    opening: Decimal
    entries: tuple[Entry, ...]

    @property
    def paid_in(self) -> Decimal:
        return sum((entry.amount for entry in self.entries if entry.amount > 0), ZERO)

    @property
    def paid_out(self) -> Decimal:
        """Zero or less."""
        return sum((entry.amount for entry in self.entries if entry.amount < 0), ZERO)

    @property
    def closing(self) -> Decimal:
        return self.opening + self.paid_in + self.paid_out

    def running(self) -> Iterator[tuple[Entry, Decimal]]:
        """Each entry with the balance after it."""
        balance = self.opening
        for entry in self.entries:
            balance += entry.amount
            yield entry, balance

    def sha256(self) -> str:
        """Of the content alone: the same rows elsewhere in the file give the same digest. The opening balance is
        in it, so that a change in one month changes all later ones."""
        lines = [[entry.date.isoformat(), entry.description, cents(entry.amount)] for entry in self.entries]
        content = [self.account, self.month, cents(self.opening), lines]
        return hashlib.sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest()


def slices(entries: Iterable[Entry]) -> dict[str, Slice]:
    """The slices of one account, by month; each opens with the balance with which the one before it closed.

    entries: of one account, by date.
    """
    by_month: dict[str, Slice] = {}
    opening = ZERO
    for month, group in groupby(entries, key=lambda entry: entry.month):
        of_month = tuple(group)
        by_month[month] = Slice(of_month[0].account, month, opening, of_month)
        opening = by_month[month].closing
    return by_month


def by_period(ledger: Ledger) -> dict[tuple[str, str], Slice]:
    """Every slice of a ledger, by account and month."""
    return {
        (account, month): part for account, entries in ledger.entries.items() for month, part in slices(entries).items()
    }


def cents(amount: Decimal) -> str:
    """An amount with two decimals; 5, 5.0 and 5.00 are the same. Never «-0.00»."""
    return str(amount.quantize(_CENT) + ZERO)
