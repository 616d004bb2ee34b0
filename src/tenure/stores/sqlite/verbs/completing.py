"""Completing and heartbeating: many rows in one statement, one JSON parameter."""

from collections.abc import Sequence

from tenure.core import defaults
from tenure.core.lease import Beat, BeatAnswer, hash_token
from tenure.core.reports import Completion
from tenure.stores.script import Row, Script
from tenure.stores.sqlite.instants import of_micros, span
from tenure.stores.sqlite.rows import json_text, progress_due
from tenure.stores.sqlite.verbs.base import VerbsBase


class CompleteVerbs(VerbsBase):
    """See `stores.protocol.Verbs`."""

    def complete(self, completions: Sequence[Completion]) -> Script[list[str]]:
        now = yield from self._tick()
        done = json_text(list(_by_token(completions).values()))
        yield from self._ask("complete_history", now, done)
        return [job_id for (job_id,) in (yield from self._ask("complete", now, done))]

    def heartbeat(self, beats: Sequence[Beat]) -> Script[list[BeatAnswer]]:
        now = yield from self._tick()
        found = yield from self._ask("heartbeat_read", json_text([beat.job_id for beat in beats]), now)
        rows = {row[0]: row for row in found}
        ends: dict[str, int] = {}
        renewals = []
        for beat in beats:
            row = rows.get(beat.job_id)
            if row is not None and row[1] == beat.token:
                ends[beat.job_id] = _renewed(row, now, now if beat.progress is not None else None)
                renewals.append((beat.job_id, beat.token, ends[beat.job_id], beat.progress))
        held = {job_id for (job_id,) in (yield from self._ask("heartbeat", now, json_text(renewals)))}
        return [
            BeatAnswer(beat.job_id, True, of_micros(ends[beat.job_id]), rows[beat.job_id][7] is not None)
            if beat.job_id in held and rows[beat.job_id][1] == beat.token
            else BeatAnswer(beat.job_id, held=False)
            for beat in beats
        ]


def _by_token(completions: Sequence[Completion]) -> dict[tuple[str, str], tuple[str | None, ...]]:
    """The first completion of each attempt, as the statements read it."""
    rows: dict[tuple[str, str], tuple[str | None, ...]] = {}
    for item in completions:
        place = (item.job_id, item.token)
        if place not in rows:
            rows[place] = (*place, hash_token(item.token), item.result, item.progress)
    return rows


def _renewed(row: Row, now: int, progress_at: int | None) -> int:
    """As `core.lease.expires_at`, in microseconds."""
    _, _, must_end_at, policy, started_at, last_progress_at, lease_seconds, _ = row
    end = now + span(lease_seconds)
    grace = span(defaults.END_GRACE)
    if must_end_at is not None:
        end = min(end, must_end_at + grace)
    due = progress_due(policy, progress_at or last_progress_at or started_at)
    return end if due is None else min(end, due + grace)
