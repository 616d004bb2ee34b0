"""Sealed documents: how payloads, results, checkpoints and results of effects rest where a key is configured.

A sealed text is `sealed:<key id>:<base64>`; JSON never begins so. A document that nobody here can open stays in this
form wherever it goes: what is written back is what stood there, and who would read it asks `readable` or `check` first.
"""

from collections.abc import Iterator, Sequence
from typing import Final, Literal

import msgspec

from tenure.core.outcomes import Terminal
from tenure.core.states import State

PREFIX: Final = "sealed:"
_UNOPENED: Final = "damaged:"
KEY_ID_LENGTH: Final = 32
HEAD_LENGTH: Final = len(PREFIX) + KEY_ID_LENGTH + 1
"""Characters at the beginning of a sealed text that tell its key."""

KEY_MISSING: Final = "sealed_key_missing"
DAMAGED: Final = "sealed_document_damaged"

CODES: Final = frozenset({KEY_MISSING, DAMAGED})
"""Why a document could not be opened."""

Column = Literal["payload", "result", "effect", "checkpoint", "schedule"]
"""What is sealed: two columns of jobs, the results of effects, the values of checkpoints, the payloads of schedules."""

COLUMNS: Final[tuple[Column, ...]] = ("payload", "result", "effect", "checkpoint", "schedule")

REMEDY: Final = "Give this process the key in TENURE_ENCRYPTION_KEYS."

RowKey = tuple[str, ...]
"""The primary key of the row that holds it: a job's id; (tenant, name, key) of an effect; (job id, name) of a
checkpoint; (tenant, name) of a schedule."""


class Refused(msgspec.Struct, frozen=True):
    """A job that was claimed and whose payload did not open. key_id: of the key that sealed it. state: its own
    since."""

    job_id: str
    key_id: str | None
    code: str
    state: State | None


def is_sealed(text: str | None) -> bool:
    """Whether this is a document that nobody here has opened."""
    return text is not None and text.startswith((PREFIX, _UNOPENED))


def damaged(text: str) -> str:
    """A sealed text whose key is there and which does not open all the same: it was changed, or is of another row."""
    return f"{_UNOPENED}{text}"


def at_rest(text: str) -> str:
    """How a document that could not be opened rests."""
    return text.removeprefix(_UNOPENED)


def key_id_of(text: str) -> str | None:
    """The id of the key that a text is sealed with, None for one that is not sealed. `HEAD_LENGTH` characters of a text
    at rest suffice."""
    return at_rest(text)[len(PREFIX) :].partition(":")[0] if is_sealed(text) else None


def head_of(key_id: str) -> str:
    """How every text begins that this key has sealed."""
    return f"{PREFIX}{key_id}:"


def belonging(column: Column, place: RowKey) -> bytes:
    """What a sealed text is bound to: in any other place it does not open. No name holds a NUL."""
    return "\0".join((column, *place)).encode()


def readable(text: str | None) -> str | None:
    """The document, None for one that could not be opened."""
    return None if is_sealed(text) else text


def sealed_with(*texts: str | None) -> str | None:
    """The id of the key of the first of these documents that could not be opened; None where all are readable."""
    for text in texts:
        if text is not None and is_sealed(text):
            return key_id_of(text)
    return None


def is_damaged(text: str) -> bool:
    """Of a document that could not be opened, whether its key is there all the same."""
    return text.startswith(_UNOPENED)


def code_of(text: str) -> str:
    """Why a document could not be opened."""
    return DAMAGED if is_damaged(text) else KEY_MISSING


def reason(what: str, text: str) -> str:
    """The same in words. what: the document's name."""
    key_id = key_id_of(text)
    if is_damaged(text):
        return f"{what} does not open with key {key_id!r}: it was changed, or is of another row"
    return f"{what} is sealed with key {key_id!r}, which this process lacks"


def check(what: str, text: str) -> str:
    """The document. Raises Terminal for one that could not be opened."""
    if is_sealed(text):
        raise Terminal(DAMAGED if is_damaged(text) else KEY_MISSING, reason(what, text))
    return text


def told(queue: str, refused: Sequence[Refused]) -> Iterator[str]:
    """What the log says of a claim, a line for each key and code."""
    for key_id, code in dict.fromkeys((one.key_id, one.code) for one in refused):
        jobs = [one for one in refused if (one.key_id, one.code) == (key_id, code)]
        many = f"{len(jobs)} jobs" if len(jobs) > 1 else "a job"
        failed = sum(one.state is State.FAILED for one in jobs)
        went = f"{len(jobs) - failed} sent back, {failed} failed, job {jobs[0].job_id} first"
        if code == DAMAGED:
            yield f"{code}: {many} of queue {queue} did not open with key {key_id!r}: {went}"
        else:
            yield f"{code}: {many} of queue {queue} need key {key_id!r}, which this process lacks: {went}. {REMEDY}"
