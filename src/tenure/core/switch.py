"""A switch: something that an operator has forbidden for the whole store, until it is allowed again."""

from datetime import datetime
from typing import Final

import msgspec

REDRIVES: Final = "redrives"
"""No redrive of a selection starts or sends while this switch stands."""


class Switch(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `tenure_switches`: what its name says is forbidden. who, why, at: of the operator's act."""

    name: str
    who: str
    why: str
    at: datetime
