"""What somebody says of a schedule, as it may be stored."""

from collections.abc import Callable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, TypeVar

import msgspec

from tenure.core import dedupe, fields
from tenure.core.errors import InvalidInput
from tenure.core.kind import Kind
from tenure.core.payloads import documents
from tenure.core.scheduling import occurrence
from tenure.core.scheduling.rule import Form, Rule, Said, checked
from tenure.core.scheduling.schedule import (
    GRACE,
    GRACES,
    MISFIRE_CAP,
    MISFIRE_CAPS,
    Definition,
    Misfire,
    Overlap,
    Schedule,
)
from tenure.core.scheduling.schedules import rule_of

E = TypeVar("E", bound=StrEnum)


def defined(
    kind: Kind,
    payload: dict[str, Any],
    rule: Rule,
    *,
    queue: Any = None,
    priority: Any = None,
    occurrence_as: Any = None,
    misfire: Any = None,
    misfire_cap: Any = None,
    grace: Any = None,
    overlap: Any = None,
) -> Definition:
    """payload: plain JSON values, without the member of `occurrence_as`. None says nothing: queue and priority are the
    kind's then. Raises InvalidInput naming the member, TooLarge."""
    member = None if occurrence_as is None else fields.name("occurrence_as", occurrence_as)
    if member is not None and member in payload:
        raise InvalidInput("occurrence_as", f"the payload has a member {member!r} already")
    text = documents.dump("payload", payload)
    documents.dump("payload", occurrence.payload(text, member, rule.starts_at))
    return Definition(
        kind=kind.name,
        payload=text,
        rule=rule,
        queue=kind.queue if queue is None else fields.name("queue", queue),
        priority=kind.priority if priority is None else fields.priority("priority", priority),
        occurrence_as=member,
        misfire=_one_of(Misfire, "misfire", misfire, Misfire.LATEST),
        misfire_cap=MISFIRE_CAP if misfire_cap is None else fields.whole("misfire_cap", misfire_cap, *MISFIRE_CAPS),
        grace=GRACE if grace is None else fields.duration("grace", grace, least=GRACES[0], most=GRACES[1]),
        overlap=_one_of(Overlap, "overlap", overlap, Overlap.ALLOW),
    )


Says = Callable[[datetime, Schedule | None], Definition]
"""What a schedule is to say, from the store's instant and the schedule as it stands."""


def wholly(kind: Kind, payload: dict[str, Any], rule: Said, **options: Any) -> Says:
    """This, whatever it says now. options: those of `defined`."""

    def says(now: datetime, stands: Schedule | None) -> Definition:
        standing = None if stands is None else rule_of(stands)
        return defined(kind, payload, checked(rule, now, standing), **options)

    return says


def partly(kind: Kind | None, payload: dict[str, Any] | None, rule: Said, **options: Any) -> Says:
    """What is said, and the rest as it stands. kind: None where none is said. options: those of `defined`."""

    def says(now: datetime, stands: Schedule | None) -> Definition:
        if stands is None:
            if kind is None:
                raise InvalidInput("kind", "is missing", code="missing_member", hint="A new schedule needs a kind.")
            return wholly(kind, payload or {}, rule, **options)(now, None)
        kept = {name: getattr(stands, name) for name in _OPTIONS}
        said = kept | {name: value for name, value in options.items() if value is not None}
        own = Kind(name=stands.kind) if kind is None else kind
        sent = occurrence.arguments(stands.payload) if payload is None else payload
        return defined(own, sent, _changed(rule, rule_of(stands), now), **said)

    return says


def _changed(said: Said, stands: Rule, now: datetime) -> Rule:
    """The rule that stands, with what is said of it."""
    if said == Said():
        return stands
    if any(getattr(said, form) is not None for form in Form):
        tz = stands.tz if said.tz is None else said.tz
        return checked(msgspec.structs.replace(said, tz=tz), now, stands)
    text: Any = stands.text
    if stands.form is Form.EVERY:
        text = float(stands.text)
    elif stands.form is Form.DATES:
        text = stands.text.split(",")
    kept = {str(stands.form): text, "tz": said.tz or stands.tz, "starts_at": said.starts_at or stands.starts_at}
    return checked(Said(**kept), now, stands)


def digest(digest_key: bytes, members: Mapping[str, Any]) -> str:
    """Of what code declares, so that a start knows whether that has changed since: keyed, as the payload is part of
    it."""
    return dedupe.digest(digest_key, "schedule", msgspec.to_builtins(members, enc_hook=str))


_OPTIONS: Final = ("queue", "priority", "occurrence_as", "misfire", "misfire_cap", "grace", "overlap")


def _one_of(words: type[E], field: str, said: Any, unsaid: E) -> E:
    if said is None:
        return unsaid
    try:
        return words(said)
    except ValueError:
        raise InvalidInput(field, f"must be one of {', '.join(words)}") from None
