"""Assertions about what an application has enqueued."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tenure.app import values
from tenure.app.submitting.handle import JobHandle
from tenure.core import fields
from tenure.core.job import Job
from tenure.core.job_filter import JobFilter
from tenure.core.payloads import documents
from tenure.testing.memory import check_app

if TYPE_CHECKING:
    from tenure.app.tenure import Tenure

_PAGE = 500
_SHOWN = 5


def assert_enqueued(app: "Tenure", kind: str, **arguments: Any) -> JobHandle:
    """Asserts that a job of `kind` was enqueued whose payload has these members; the newest such job.

    Members that are not named are not looked at. Raises AssertionError, which lists what was enqueued instead.
    """
    wanted = _plain(arguments)
    others = []
    for job in _jobs(app, kind):
        payload = None if job.payload is None else documents.load(job.payload)
        if _has(payload, wanted):
            return JobHandle(app, job)
        others.append(payload)
    seen = f"{len(others)}: {', '.join(map(repr, others[:_SHOWN]))}" if others else f"none at all{_of_others(app)}"
    raise AssertionError(f"no job {kind!r} was enqueued with {wanted!r}; of its kind there are {seen}")


def assert_not_enqueued(app: "Tenure", kind: str, **arguments: Any) -> None:
    """Asserts the opposite. Raises AssertionError naming the job."""
    wanted = _plain(arguments)
    for job in _jobs(app, kind):
        if _has(None if job.payload is None else documents.load(job.payload), wanted):
            raise AssertionError(f"job {job.id} of kind {kind!r} was enqueued with {job.payload}")


def _of_others(app: "Tenure") -> str:
    store = app.opened()
    kinds = sorted({job.kind for job in store.run(store.verbs.list_jobs(JobFilter(), None, _PAGE))})
    return f", and of others those of {', '.join(kinds)}" if kinds else ""


def _plain(arguments: dict[str, Any]) -> dict[str, Any]:
    plain: dict[str, Any] = values.plain("payload", arguments, text_keys=True)
    return plain


def _has(payload: Any, wanted: dict[str, Any]) -> bool:
    return isinstance(payload, dict) and all(name in payload and payload[name] == wanted[name] for name in wanted)


def _jobs(app: "Tenure", kind: str) -> Iterator[Job]:
    check_app(app)
    wanted = JobFilter(kinds=(fields.name("kind", kind),))
    store = app.opened()
    before: str | None = None
    while page := store.run(store.verbs.list_jobs(wanted, before, _PAGE)):
        yield from page
        before = page[-1].id
