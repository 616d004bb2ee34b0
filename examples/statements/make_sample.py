"""Writes the sample ledger, the same for the same seed: `python -m statements.make_sample`."""

import csv
import random
import sys
from calendar import monthrange
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Final

SAMPLE: Final = Path(__file__).with_name("sample-ledger.csv")
SEED: Final = 20260101
ACCOUNTS: Final = 42
MONTHS: Final = ("2026-01", "2026-02", "2026-03", "2026-04", "2026-05", "2026-06")

_SPENDING: Final = (
    ("Supermarket, card payment", 900, 12000),
    ("Bakery", 250, 1900),
    ("Public transport, monthly pass", 4900, 8900),
    ("Fuel station", 3000, 9500),
    ("Pharmacy", 500, 6500),
    ("Café", 320, 2400),
    ("Bookshop", 900, 7000),
    ("Restaurant, card payment", 1800, 11000),
    ("Cash withdrawal", 2000, 30000),
    ("Hardware store", 700, 15000),
    ("Clothing shop", 2000, 18000),
    ("Online marketplace order", 800, 22000),
    ("Sports club fee", 1500, 5500),
)
_FIXED: Final = (
    ("Rent, standing order", 55000, 145000),
    ("Electricity, direct debit", 4500, 13000),
    ("Mobile telephone, direct debit", 900, 4500),
    ("Home insurance, direct debit", 1200, 4800),
)


def rows(seed: int = SEED) -> Iterator[tuple[str, str, str, str]]:
    """Account, date, description and amount of every entry, by date as a bank would export them."""
    chance = random.Random(seed)  # noqa: S311 (sample data, no secret)
    made = []
    for number in range(ACCOUNTS):
        account = f"ACC-{10_000 + number * 137 + chance.randrange(100)}"
        salary = chance.randrange(180_000, 420_000)
        fixed = [(label, chance.randrange(low, high)) for label, low, high in _FIXED]
        made.append((account, f"{MONTHS[0]}-01", "Balance brought forward", chance.randrange(0, 900_000)))
        for month in MONTHS:
            made.extend((account, *entry) for entry in _month(chance, month, salary, fixed))
    for account, date, description, amount in sorted(made, key=lambda row: row[1]):
        yield account, date, description, str(Decimal(amount) / 100)


def _month(
    chance: random.Random, month: str, salary: int, fixed: list[tuple[str, int]]
) -> Iterator[tuple[str, str, int]]:
    days = monthrange(int(month[:4]), int(month[5:]))[1]
    for place, (label, amount) in enumerate(fixed):
        yield f"{month}-{place + 1:02}", label, -amount
    yield f"{month}-25", "Salary", salary
    for _ in range(chance.randrange(3, 14)):
        label, low, high = chance.choice(_SPENDING)
        yield f"{month}-{chance.randrange(1, days + 1):02}", label, -chance.randrange(low, high)
    if chance.random() < 0.1:
        yield f"{month}-{chance.randrange(1, days + 1):02}", "Refund, online marketplace", chance.randrange(800, 9000)


def write(path: Path) -> int:
    """Writes the sample to `path`; how many entries it has."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("account", "date", "description", "amount"))
        entries = list(rows())
        writer.writerows(entries)
    return len(entries)


if __name__ == "__main__":
    sys.stdout.write(f"{write(SAMPLE):,} entries in {SAMPLE.name}\n")
