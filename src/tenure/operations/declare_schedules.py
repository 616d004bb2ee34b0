"""Declare schedules: an application starts, and says which schedules its code has."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final

import msgspec

from tenure.core.scheduling import schedules
from tenure.core.scheduling.schedule import Definition, Flag, Schedule
from tenure.core.scheduling.schedule_definition import Says
from tenure.operations.audit import of_schedule
from tenure.operations.set_schedule import Declared, set_schedule
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script

APPLICATION: Final = "application"
"""Who declares, in the audit, where the application has no name that stays."""


class Declaration(msgspec.Struct, frozen=True):
    """schedule_id: of a new row. digest: of what the code says. kinds: all that the application has."""

    tenant: str
    name: str
    schedule_id: str
    digest: str
    kinds: tuple[str, ...]
    says: Says


def declare_schedule(verbs: Verbs, by: str | None, declaration: Declaration, digest_key: bytes) -> Script[Schedule]:
    """Writes it where it is missing, or where the code says something else than it did when it was declared last: what
    an operator has changed meanwhile stays until then, and a pause in any case. by: the application; None where it has
    no name that stays. Raises RetryTransaction, InvalidInput."""

    def said(now: datetime, stands: Schedule | None) -> Definition:
        if stands is not None and stands.declared_as == declaration.digest:
            return schedules.definition_of(stands)
        return declaration.says(now, stands)

    answer = yield from set_schedule(
        verbs, declaration.schedule_id, declaration.tenant, declaration.name, said, digest_key, who=by or APPLICATION,
        declared=Declared(by, declaration.digest, declaration.kinds),
    )  # fmt: skip
    return answer.schedule


def flag_undeclared(
    verbs: Verbs, by: str, declared: Sequence[tuple[str, str]], kinds: Collection[str]
) -> Script[list[Schedule]]:
    """Flags the schedules that this application declared once and does not declare any more; those that it flagged.

    kinds: all that the application has. Another one may have the same name, as `app:app`: it is told by its kinds.
    """
    flagged = []
    for row in (yield from verbs.schedules_of(by)):
        is_declared = (row.tenant, row.name) in declared
        if is_declared or row.flag is Flag.UNDECLARED or not schedules.is_of(row, kinds):
            continue
        held = yield from verbs.hold_schedule(row.tenant, row.name)
        before, now = held.schedule, held.now
        if before is None or before.declared_by != by:
            continue
        after = schedules.written(before, schedules.flagged(before, Flag.UNDECLARED), now)
        yield from verbs.write_schedule(before, after)
        yield from verbs.audit(of_schedule(after, by, "flag_schedule", detail="the application declares it no more"))
        flagged.append(after)
    return flagged
