"""What workers tell of their work is taken though it holds what no store can: the work is done, and a refusal would
have it done again.

Texts are mended: NUL and lone surrogates are replaced. A result is left to the handler, which ends the attempt with it.
All else is judged as in every body.
"""

from typing import Any, Final

import msgspec

from tenure.core.secrecy import cleaning
from tenure.edge import reports

_TEXTS: Final = ("code", "error", "traceback")
_NOTE: Final = "progress"
_RESULT: Final = "result"
_LISTS: Final[dict[type[msgspec.Struct], str]] = {reports.Heartbeats: "beats", reports.Reports: "reports"}


def tells(wanted: type[msgspec.Struct]) -> bool:
    """Whether the body is one of these."""
    return wanted in _LISTS or issubclass(wanted, reports.Told)


def judged(wanted: type[msgspec.Struct], value: Any) -> Any:
    """Mends the texts of such a body; what of it is to be judged like any other."""
    if type(value) is not dict:
        return value
    if wanted not in _LISTS:
        return _judged(value)
    told = value.get(_LISTS[wanted])
    return value if type(told) is not list else {**value, _LISTS[wanted]: [_judged(one) for one in told]}


def _judged(said: Any) -> Any:
    """Of one report."""
    if type(said) is not dict:
        return said
    for name in _TEXTS:
        if type(said.get(name)) is str:
            said[name] = cleaning.storable(said[name])
    if _NOTE in said:
        said[_NOTE] = cleaning.storable_texts(said[_NOTE])
    return {name: value for name, value in said.items() if name != _RESULT}
