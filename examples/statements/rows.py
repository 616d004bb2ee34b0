"""One row of a ledger: what each field may hold, and what is wrong with it when it cannot be read."""

import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final

COLUMNS: Final = ("account", "date", "description", "amount")

_ACCOUNT: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._/-]{0,63}")
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_AMOUNT: Final = re.compile(r"[+-]?\d{1,15}(\.\d{1,2})?", re.ASCII)
_LONGEST_DESCRIPTION: Final = 200


class Unreadable(ValueError):
    """A field that cannot be read; the text is the reason."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A readable row. `line` is the line of the file on which it begins, from 1."""

    account: str
    date: date
    description: str
    amount: Decimal
    line: int

    @property
    def month(self) -> str:
        """YYYY-MM."""
        return month_of(self.date)


def month_of(day: date) -> str:
    """The month of a day, YYYY-MM; months sort as text."""
    return day.isoformat()[:7]


def account(text: str) -> str:
    """An account number: 1 to 64 letters, digits, spaces and ._/-, and the first a letter or digit."""
    number = text.strip()
    if not number:
        raise Unreadable("the account is missing")
    if not _ACCOUNT.fullmatch(number):
        raise Unreadable(f"{shown(text)} is no account number (at most 64 of A-Z a-z 0-9 space . _ / -)")
    return number


def day(text: str) -> date:
    """A calendar date, YYYY-MM-DD."""
    if not text.strip():
        raise Unreadable("the date is missing")
    if not _DATE.fullmatch(text.strip()):
        raise Unreadable(f"{shown(text)} is no date (YYYY-MM-DD)")
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise Unreadable(f"{shown(text)} is no day of the calendar") from None


def description(text: str) -> str:
    """One line of at most 200 characters that the statement's typeface can print (Windows-1252)."""
    words = text.strip()
    if not words:
        raise Unreadable("the description is missing")
    if len(words) > _LONGEST_DESCRIPTION:
        raise Unreadable(f"the description has {len(words)} characters, more than {_LONGEST_DESCRIPTION}")
    for character in words:
        if "\udc80" <= character <= "\udcff":
            raise Unreadable(f"the description holds the byte 0x{ord(character) & 0xFF:02X}, which is no UTF-8")
        if not _can_print(character):
            raise Unreadable(f"the description holds {character!a}, which the statement cannot print")
    return words


def amount(text: str) -> Decimal:
    """Decimal digits with at most two after a point; a leading minus for what was paid out."""
    if not text.strip():
        raise Unreadable("the amount is missing")
    if not _AMOUNT.fullmatch(text.strip()):
        raise Unreadable(f"{shown(text)} is no amount (digits, a point, at most two decimals)")
    return Decimal(text.strip())


def shown(text: str) -> str:
    """A field as a message may show it: escaped, and cut to 40 characters."""
    return ascii(text if len(text) <= 40 else text[:39] + "…")


def _can_print(character: str) -> bool:
    try:
        character.encode("windows-1252")
    except UnicodeEncodeError:
        return False
    return character.isprintable() or character == "\N{NO-BREAK SPACE}"
