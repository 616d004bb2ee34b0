"""The start of a redrive: which dead letters are meant, which of them are left and why, and who goes first."""

import math
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import msgspec
from msgspec.structs import replace

from tenure.core import fields
from tenure.core.counting import counted
from tenure.core.errors import InvalidInput
from tenure.core.job_filter import JobFilter
from tenure.core.redriving.dead_letter import DeadLetter
from tenure.core.redriving.failures import Group
from tenure.core.redriving.redrivable import lost
from tenure.core.redriving.redrive import (
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
    RedriveState,
    left,
)

_SINGLE: Final = "Jobs that may be tried once only are meant where `single_attempts` (--single-attempts) is said."


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
        single_attempts=fields.flag("single_attempts", guard.single_attempts),
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


def check_sendable(letters: Sequence[DeadLetter], guard: Guard) -> None:
    """Raises InvalidInput for a selection of nothing, and for one of jobs that all are left out."""
    if not letters:
        raise InvalidInput("selection", "no job that has failed is meant", code="nothing_selected")
    reasons = _reasons(letters, guard)
    if None not in reasons:
        why = ", ".join(f"{count:,} {reason}" for reason, count in sorted(reasons.items(), key=str))
        told = f"none of {counted(len(letters), 'failed job')} can run again: {why}"
        hint = _SINGLE if Left.SINGLE_ATTEMPT in reasons else None
        raise InvalidInput("selection", told, code="nothing_redrivable", hint=hint)


def previewed(letters: Sequence[DeadLetter], groups: Sequence[Group], guard: Guard) -> RedrivePreview:
    reasons = _reasons(letters, guard)
    sendable = reasons.pop(None, 0)
    return RedrivePreview(
        total=len(letters),
        sendable=sendable,
        canary=canary_of(guard.canary, sendable),
        left={reason: count for reason, count in sorted(reasons.items(), key=str) if reason is not None},
        groups=tuple(groups),
    )


def _reasons(letters: Sequence[DeadLetter], guard: Guard) -> Counter[Left | None]:
    return Counter(left_at_start(letter, guard.single_attempts) for letter in letters)


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


def begun(
    redrive_id: str, letters: Sequence[DeadLetter], which: JobFilter, guard: Guard, *, who: str, why: str, now: datetime
) -> Redrive:
    """The redrive of a selection of which nothing is frozen yet. letters: what is meant, counted now."""
    sendable = sum(left_at_start(letter, guard.single_attempts) is None for letter in letters)
    return Redrive(
        id=redrive_id,
        state=RedriveState.FREEZING,
        which=which,
        canary=0,
        canary_open=0,
        canary_said=guard.canary,
        pace=guard.pace,
        stop_share=guard.stop_share,
        stop_window=guard.stop_window,
        single_attempts=fields.flag("single_attempts", guard.single_attempts),
        total=0,
        waiting=0,
        sendable=sendable,
        who=who,
        why=why,
        created_at=now,
        updated_at=now,
        counts_from=now,
    )


def still_meant(redrive: Redrive) -> JobFilter:
    """The selection, without what fails after the start."""
    end = redrive.created_at + timedelta(microseconds=1)
    until = redrive.which.until
    return replace(redrive.which, until=end if until is None else min(until, end))


def frozen(redrive: Redrive, letters: Sequence[DeadLetter], now: datetime) -> list[Frozen]:
    """The next rows of a selection, in the order of `letters`. The canary is spread evenly over those that are sent."""
    turn, rows = redrive.waiting, []
    for place, letter in enumerate(letters, start=redrive.total):
        row = Frozen(
            redrive_id=redrive.id,
            place=place,
            job_id=letter.id,
            tenant=letter.tenant,
            kind=letter.kind,
            attempt=letter.attempt,
            cause=letter.code,
        )
        reason = left_at_start(letter, redrive.single_attempts)
        if reason is not None:
            rows.append(left(row, reason, now))
            continue
        rows.append(replace(row, is_canary=_is_canary(redrive, turn)))
        turn += 1
    return rows


def extended(redrive: Redrive, rows: Sequence[Frozen], letters: Sequence[DeadLetter], *, is_last: bool) -> Redrive:
    """The redrive once the rows of these letters are frozen; with the last ones it runs."""
    waiting = sum(row.state is FrozenState.WAITING for row in rows)
    canary = redrive.canary + sum(row.is_canary for row in rows)
    return replace(
        redrive,
        state=RedriveState.RUNNING if is_last else redrive.state,
        canary=canary,
        canary_open=canary,
        total=redrive.total + len(rows),
        waiting=redrive.waiting + waiting,
        left_out=redrive.left_out + len(rows) - waiting,
        frozen_at=letters[-1].ended_at if letters else redrive.frozen_at,
        frozen_id=letters[-1].id if letters else redrive.frozen_id,
    )


def _is_canary(redrive: Redrive, turn: int) -> bool:
    """Of the jobs that are sent, by turn; the first of them always is."""
    canary = canary_of(redrive.canary_said, redrive.sendable)
    return turn < redrive.sendable and turn * canary % redrive.sendable < canary
