"""The end of an attempt as a body tells it, as the core's report: nothing secret in its texts, its documents
checked."""

import random
from typing import Any, Final

from msgspec import UNSET

from tenure.core import defaults, outcomes
from tenure.core import reports as core
from tenure.core.attempt import ErrorClass, Outcome
from tenure.core.errors import InvalidInput
from tenure.core.payloads import documents
from tenure.core.reports import Completion, Report
from tenure.core.secrecy.secret_fields import Hiding
from tenure.edge import reports as edge
from tenure.edge import requests

UNCLASSIFIED: Final = "unclassified"
"""The code of a failure that says none."""

_CODES: Final = {
    kind.error_class: kind.default_code
    for kind in (outcomes.Throttled, outcomes.Terminal, outcomes.Uncertain, outcomes.Cancel)
}


def report_of(job_id: str, token: str, said: requests.Body, hides: Hiding | None) -> Report:
    """hides: what of the job no text may tell. Raises InvalidInput for a note that cannot be stored."""
    match said:
        case edge.Complete():
            return _completion(job_id, token, said, hides)
        case edge.Fail():
            return _failure(job_id, token, said, hides)
        case edge.Release():
            note, code = note_of(said.progress, hides), _code(said.code, hides)
            return core.Release(
                job_id=job_id, token=token, begun=said.begun, code=code, progress=note, chance=_chance()
            )
        case edge.Snooze():
            note = note_of(said.progress, hides)
            return core.Snoozing(job_id=job_id, token=token, delay=said.delay, progress=note)
    raise TypeError(f"{type(said).__name__} is no report")


def note_of(said: Any, hides: Hiding | None) -> str | None:
    if said is UNSET:
        return None
    text = documents.dump("progress", said, defaults.PROGRESS_BYTES)
    return text if hides is None else hides.note(text)


def _completion(job_id: str, token: str, said: edge.Complete, hides: Hiding | None) -> Report:
    """A result that cannot be stored ends the attempt terminally: the work is not to be run again."""
    note = note_of(said.progress, hides)
    try:
        result = None if said.result is None else documents.dump("result", said.result)
    except InvalidInput as error:
        refused = outcomes.of_unstorable_result(error)
        return core.failure(
            job_id, token, ErrorClass.TERMINAL, refused.code, refused.message, progress=note, chance=_chance()
        )
    return Completion(job_id, token, result, note)


def _failure(job_id: str, token: str, said: edge.Fail, hides: Hiding | None) -> Report:
    error_class = ErrorClass(said.error_class)
    return core.failure(
        job_id,
        token,
        error_class,
        _code(said.code or _CODES.get(error_class, UNCLASSIFIED), hides),
        _hidden(said.error, hides),
        traceback=None if said.traceback is None else _hidden(said.traceback, hides, keeps_end=True),
        wait=said.retry_in,
        scope=said.scope,
        outcome=Outcome(said.outcome),
        progress=note_of(said.progress, hides),
        chance=_chance(),
        delay=said.least_wait,
        slow=said.rest,
    )


def _hidden(text: str, hides: Hiding | None, *, keeps_end: bool = False) -> str:
    return text if hides is None else hides.said(text, keeps_end=keeps_end)


def _code(text: str, hides: Hiding | None) -> str:
    return text if hides is None else hides.code(text)


def _chance() -> float:
    return random.random()  # noqa: S311 (jitter)
