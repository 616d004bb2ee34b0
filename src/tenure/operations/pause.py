"""Pause a queue, a kind or a tenant, and resume it."""

import msgspec

from tenure.core import fields
from tenure.core.flow.pause import OF_JOBS, Pause, Subject
from tenure.core.secrecy.cleaning import reason
from tenure.stores.protocol import AuditLine, Verbs
from tenure.stores.script import Script


class PauseAnswer(msgspec.Struct, frozen=True):
    """changed: whether it was otherwise before. pause: the one that stands, None where none does."""

    changed: bool
    pause: Pause | None


def pause(verbs: Verbs, subject: Subject, name: str, *, who: str, why: str = "") -> Script[PauseAnswer]:
    """No job of it starts until `resume`; what runs goes on. One that is paused already stays as it was paused first.

    name: it need not hold jobs yet. Raises InvalidInput.
    """
    wanted = Pause(
        subject=subject, name=fields.name(subject, name), at=(yield from verbs.now()), who=who, why=reason(why)
    )
    changed = yield from verbs.put_pause(wanted)
    if not changed:
        return PauseAnswer(False, next(iter((yield from verbs.pauses(subject, [name]))), None))
    yield from verbs.audit(_line("pause", subject, name, who, why))
    return PauseAnswer(True, wanted)


def resume(verbs: Verbs, subject: Subject, name: str, *, who: str, why: str = "") -> Script[PauseAnswer]:
    """Its jobs start again, with the next claim. Raises InvalidInput."""
    changed = yield from verbs.drop_pause(subject, fields.name(subject, name))
    if changed:
        yield from verbs.audit(_line("resume", subject, name, who, why))
    return PauseAnswer(changed, None)


def _line(verb: str, subject: Subject, name: str, who: str, why: str) -> AuditLine:
    """It concerns the one queue, kind or tenant; a resource belongs to none."""
    concerned = {subject: name} if subject in OF_JOBS else {}
    return AuditLine(who=who, verb=verb, subject=f"{subject} {name}", why=reason(why), **concerned)
