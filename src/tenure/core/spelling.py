"""What somebody meant who wrote a name that there is not."""

from collections.abc import Iterable
from typing import Final

_LIKENESS: Final = 0.6
_SHOWN: Final = 40


def meant(written: str, known: Iterable[str]) -> str:
    """A sentence with the name that is most like it, else with all that there are; blank where those are too many."""
    from difflib import get_close_matches  # rarely needed, and every start of a command would wait for it

    names = sorted(known)
    alike = get_close_matches(written, names, 1, _LIKENESS)
    if alike:
        return f"Did you mean {alike[0]!r}?"
    return f"There are {', '.join(names)}." if 0 < len(names) <= _SHOWN else ""
