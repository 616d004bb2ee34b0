"""What a check of `tenure doctor` answers."""

from enum import StrEnum

import msgspec


class Level(StrEnum):
    """OK: as it should be. NOTE: good to know. WRONG: somebody has to do something."""

    OK = "ok"
    NOTE = "note"
    WRONG = "wrong"


class Finding(msgspec.Struct, frozen=True):
    """check: a stable name. words: a sentence with what to do."""

    check: str
    level: Level
    words: str
