"""A switch: something that holds for the whole store, until somebody takes it back."""

from datetime import datetime
from typing import Final

import msgspec

REDRIVES: Final = "redrives"
"""No redrive of a selection starts or sends while this switch stands."""
HINTS: Final = "hints"
"""Jobs that become ready leave hints for publishers while this switch stands (`core.hints`)."""


class Switch(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `tenure_switches`: what its name says holds. who, why, at: of whoever set it."""

    name: str
    who: str
    why: str
    at: datetime
