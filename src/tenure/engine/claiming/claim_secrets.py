"""The secrets that a claim carries: made by whoever claims, so that no decision needs dice."""

import os
import secrets
from typing import Final

_BYTES: Final = 16
_DIGITS: Final = _BYTES * 2


def fresh_claim_id() -> str:
    """128 random bits in hexadecimal."""
    return secrets.token_hex(_BYTES)


def fresh_tokens(count: int) -> list[str]:
    """`count` lease tokens of 128 random bits, asked of the system at once."""
    drawn = os.urandom(_BYTES * count).hex()
    return [drawn[place * _DIGITS : (place + 1) * _DIGITS] for place in range(count)]
