"""The start of a redrive: which dead letters are meant, which of them are left and why, and who goes first."""

import math
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

import msgspec
from msgspec.structs import replace

from tenure.core import fields
from tenure.core.dead_letter import DeadLetter
from tenure.core.errors import InvalidInput
from tenure.core.failures import Group
from tenure.core.job_filter import JobFilter
from tenure.core.redrivable import lost
from tenure.core.redrive import (
    CANARY,
    CANARY_SHARE,
    MOST_JOBS,
    PACES,
    WINDOWS,
    Frozen,
    FrozenState,
    Guard,
    Left,
    Redrive,
    left,
)


class RedrivePreview(msgspec.Struct, frozen=True, kw_only=True):
    """What a start would do; nothing is written.

    total: dead letters of the selection. sendable: those that would run again, canary: those of them that go first.
    left: how many are left, by reason. groups: all of them by cause, the largest first.
    """

    total: int
    sendable: int
    canary: int
    left: dict[Left, int]
    groups: tuple[Group, ...]


def checked(guard: Guard) -> Guard:
    """Raises InvalidInput naming the member."""
    return Guard(
        canary=None if guard.canary is None else fields.whole("canary", guard.canary, 1, MOST_JOBS),
        pace=fields.number("pace", guard.pace, *PACES),
        stop_share=fields.number("stop_share", guard.stop_share, 0.0, 1.0),
        stop_window=fields.whole("stop_window", guard.stop_window, *WINDOWS),
        single_attempts=guard.single_attempts,
    )


def check_size(letters: Sequence[DeadLetter]) -> None:
    """Raises InvalidInput for a selection that is too large."""
    if len(letters) > MOST_JOBS:
        raise InvalidInput(
            "selection",
            f"more than {MOST_JOBS:,} jobs are meant",
            code="too_many_selected",
            hint="Narrow it, by time or tenant for one, and redrive the rest afterwards.",
        )


def check_not_empty(letters: Sequence[DeadLetter]) -> None:
    """Raises InvalidInput for a selection of nothing."""
    if not letters:
        raise InvalidInput("selection", "no job that has failed is meant", code="nothing_selected")


def previewed(letters: Sequence[DeadLetter], groups: Sequence[Group], guard: Guard) -> RedrivePreview:
    reasons = Counter(left_at_start(letter, guard.single_attempts) for letter in letters)
    sendable = reasons.pop(None, 0)
    return RedrivePreview(
        total=len(letters),
        sendable=sendable,
        canary=canary_of(guard.canary, sendable),
        left={reason: count for reason, count in sorted(reasons.items(), key=str) if reason is not None},
        groups=tuple(groups),
    )


def left_at_start(letter: DeadLetter, single_attempts: bool) -> Left | None:
    """Why a dead letter is not run again, None where it can be."""
    refused = lost(has_payload=letter.has_payload, is_superseded=letter.is_superseded)
    if refused is not None:
        return refused
    if letter.max_attempts == 1 and not single_attempts:
        return Left.SINGLE_ATTEMPT
    return None


def canary_of(said: int | None, sendable: int) -> int:
    """How many go first: as said, or ten or a hundredth, whichever is more; at most all, and at least one."""
    wanted = max(CANARY, math.ceil(sendable * CANARY_SHARE)) if said is None else said
    return min(max(1, wanted), sendable)


def frozen(redrive_id: str, letters: Sequence[DeadLetter], guard: Guard, now: datetime) -> list[Frozen]:
    """The rows of a selection, in the order of `letters`. The canary is spread evenly over those that are sent."""
    reasons = [left_at_start(letter, guard.single_attempts) for letter in letters]
    sendable = reasons.count(None)
    canary, turn, rows = canary_of(guard.canary, sendable), 0, []
    for place, (letter, reason) in enumerate(zip(letters, reasons, strict=True)):
        row = Frozen(
            redrive_id=redrive_id,
            place=place,
            job_id=letter.id,
            tenant=letter.tenant,
            kind=letter.kind,
            attempt=letter.attempt,
            cause=letter.code,
        )
        if reason is not None:
            rows.append(left(row, reason, now))
            continue
        rows.append(replace(row, is_canary=turn * canary % sendable < canary))
        turn += 1
    return rows


def begun(
    redrive_id: str, rows: Sequence[Frozen], which: JobFilter, guard: Guard, *, who: str, why: str, now: datetime
) -> Redrive:
    """The redrive of a frozen selection."""
    waiting = sum(row.state is FrozenState.WAITING for row in rows)
    canary = sum(row.is_canary for row in rows)
    return Redrive(
        id=redrive_id,
        which=which,
        canary=canary,
        canary_open=canary,
        pace=guard.pace,
        stop_share=guard.stop_share,
        stop_window=guard.stop_window,
        single_attempts=guard.single_attempts,
        total=len(rows),
        waiting=waiting,
        left_out=len(rows) - waiting,
        who=who,
        why=why,
        created_at=now,
        updated_at=now,
        counts_from=now,
    )
