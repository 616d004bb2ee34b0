"""Secret fields: members of a kind's payload and result that only the handler, and the worker that claims, get to see.

Everybody else sees a mask in their place, in the payload and wherever else a value of theirs stands: in the result, the
notes, the error texts, checkpoints and results of effects. Error texts and notes are stored without them; what the
handler itself needs again is stored whole, and shown without them. When the payload has expired nobody knows any more
what to look for: then what was stored whole is hidden whole.
"""

from collections.abc import Iterable
from functools import cached_property
from typing import Any, Final, TypeVar, overload

import msgspec

from tenure.core import defaults
from tenure.core.attempt import Attempt
from tenure.core.job import Job, Policy
from tenure.core.ledger.checkpoint import Checkpoint
from tenure.core.ledger.effect import Effect
from tenure.core.payloads import documents
from tenure.core.reports import Failure, Release, Report
from tenure.core.scheduling.schedule import Schedule
from tenure.core.secrecy import cleaning, sealed
from tenure.core.secrecy.secret_paths import MASK, joined, split
from tenure.core.secrecy.secret_values import SecretValues

R = TypeVar("R", bound=Report)

_CUT: Final = "…"
"""Stands at the end of a message that was cut (`core.secrecy.cleaning`)."""

HIDDEN: Final = f'"{MASK}"'
"""A document that is hidden whole."""


class SecretFields(msgspec.Struct, frozen=True):
    """Paths (`core.secrecy.secret_paths`) of the secret members of a payload and of a result."""

    payload: tuple[str, ...] = ()
    result: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.payload or self.result)

    def lies_in(self, other: "SecretFields") -> bool:
        """Whether the other keeps all of these secret."""
        return not self or ({*self.payload} <= {*other.payload} and {*self.result} <= {*other.result})

    def __or__(self, other: "SecretFields") -> "SecretFields":
        if not other or other == self:
            return self
        return SecretFields(joined(self.payload, other.payload), joined(self.result, other.result))


NONE: Final = SecretFields()


def of_policy(policy: Policy) -> SecretFields:
    return SecretFields(policy.secret, policy.secret_result) if policy.secret or policy.secret_result else NONE


class Hiding:
    """What is hidden of one job. Nothing is read before something is to be shown."""

    def __init__(self, payload: str | None, fields: SecretFields, also: Iterable[Any] = ()) -> None:
        """payload: as it is stored, JSON text; None: it has expired. One that is sealed and does not open here is no
        more known than one that has expired. also: further secret values, plain JSON."""
        self._stored, self._fields, self._also = payload, fields, also
        self._is_there = payload is not None and not sealed.is_sealed(payload)

    @cached_property
    def _parts(self) -> tuple[Any, SecretValues] | None:
        """The payload with its secrets hidden, and their values; None for one that cannot be read."""
        try:
            masked, found = split(documents.load(self._stored or "null"), self._fields.payload)
        except (ValueError, RecursionError, msgspec.DecodeError):
            return None
        return masked, SecretValues([*found, *self._also])

    @property
    def _knows(self) -> bool:
        """Whether it is known what to look for."""
        return not self._fields.payload or (self._is_there and self._parts is not None)

    @property
    def payload(self) -> str | None:
        """As it may be shown."""
        if not self._is_there or not self._fields.payload:
            return self._stored
        return HIDDEN if self._parts is None else _written(self._parts[1].within(self._parts[0]))

    def text(self, text: str, *, keeps_end: bool = False, is_cut: bool = False) -> str:
        """See `SecretValues.hidden`. Where the payload is not there, the texts of its job were stored without
        secrets."""
        if not self._fields.payload or not self._is_there:
            return text
        return MASK if self._parts is None else self._parts[1].hidden(text, keeps_end=keeps_end, is_cut=is_cut)

    def said(self, text: str, *, keeps_end: bool = False, is_cut: bool = False) -> str:
        """What a worker says of the job, as it may be stored: hidden whole where nobody here knows what to look for."""
        return self.text(text, keeps_end=keeps_end, is_cut=is_cut) if self._knows else MASK

    def code(self, text: str) -> str:
        """The same of a code; those that tell why a document does not open are no worker's words."""
        return text if text in sealed.CODES else self.said(text)

    def document(self, text: str, secret: tuple[str, ...] = ()) -> str:
        """JSON text, or a sealed one, which tells nothing. secret: paths that are hidden in it besides."""
        if sealed.is_sealed(text):
            return text
        if not self._knows:
            return HIDDEN
        try:
            masked, _ = split(documents.load(text), secret) if secret else (documents.load(text), None)
            if self._fields.payload and self._parts is not None:
                masked = self._parts[1].within(masked)
        except (ValueError, RecursionError, msgspec.DecodeError):
            return HIDDEN
        return _written(masked)

    def note(self, text: str) -> str:
        """A progress note that still fits where notes are stored."""
        told = self.document(text)
        return told if len(told.encode()) <= defaults.PROGRESS_BYTES else HIDDEN

    @overload
    def document_or_none(self, text: None, secret: tuple[str, ...] = ()) -> None: ...
    @overload
    def document_or_none(self, text: str | None, secret: tuple[str, ...] = ()) -> str | None: ...
    def document_or_none(self, text: str | None, secret: tuple[str, ...] = ()) -> str | None:
        return None if text is None else self.document(text, secret)

    # Rows as they may be shown

    def job(self, job: Job) -> Job:
        return msgspec.structs.replace(
            job,
            payload=self.payload,
            result=self.document_or_none(job.result, self._fields.result),
            progress=self.document_or_none(job.progress),
            error=None if job.error is None else self.text(job.error),
        )

    def attempt(self, attempt: Attempt) -> Attempt:
        return msgspec.structs.replace(
            attempt,
            progress=self.document_or_none(attempt.progress),
            error=None if attempt.error is None else self.text(attempt.error),
            traceback=None if attempt.traceback is None else self.text(attempt.traceback, keeps_end=True),
        )

    def effect(self, effect: Effect) -> Effect:
        return msgspec.structs.replace(
            effect,
            result=self.document_or_none(effect.result),
            error=None if effect.error is None else self.text(effect.error),
        )

    def checkpoint(self, saved: Checkpoint) -> Checkpoint:
        return msgspec.structs.replace(saved, value=self.document(saved.value))

    # Words as they may be stored

    def report(self, said: R) -> R:
        note = {} if said.progress is None else {"progress": self.note(said.progress)}
        if isinstance(said, Failure):
            return msgspec.structs.replace(said, **note, **self._words(said))
        if isinstance(said, Release):
            return msgspec.structs.replace(said, **note, code=cleaning.code(self.code(said.code)))
        return msgspec.structs.replace(said, **note) if note else said

    def _words(self, said: Failure) -> dict[str, str | None]:
        if not self._knows and said.code in sealed.CODES:
            return {}  # It says that the payload does not open, and quotes nothing of it.
        whole = said.error.removesuffix(_CUT)
        error = self.said(whole, is_cut=whole != said.error) + said.error[len(whole) :]
        trace = None if said.traceback is None else self.said(said.traceback, keeps_end=True, is_cut=True)
        return {
            "code": cleaning.code(self.code(said.code)),
            "error": cleaning.message(error),
            "traceback": None if trace is None else cleaning.traceback(trace),
        }


def hiding(job: Job, declared: SecretFields = NONE) -> Hiding | None:
    """What is hidden of a job; None where nothing is. declared: what its kind is known to keep secret beside what was
    declared when it was enqueued."""
    fields = of_policy(job.policy) | declared
    return Hiding(job.payload, fields) if fields else None


def shown(job: Job, declared: SecretFields = NONE) -> Job:
    """The job as everybody may see it but its handler."""
    hides = hiding(job, declared)
    return job if hides is None else hides.job(job)


def stored(said: R, job: Job | None) -> R:
    """A report as it may be stored."""
    hides = None if job is None else hiding(job)
    return said if hides is None else hides.report(said)


def _written(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def shown_schedule(schedule: Schedule, fields: SecretFields) -> Schedule:
    """The row as everybody may see it. fields: of its kind."""
    payload = Hiding(schedule.payload, fields).payload
    return schedule if payload is None else msgspec.structs.replace(schedule, payload=payload)
