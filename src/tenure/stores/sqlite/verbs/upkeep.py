"""Sweeps, promotion and retention."""

from datetime import timedelta

from tenure.core.retention import Retention
from tenure.core.states import State
from tenure.stores.protocol import Locked, Promoted
from tenure.stores.script import Rows, Script
from tenure.stores.sqlite import rows
from tenure.stores.sqlite.instants import instant_or_none, of_micros
from tenure.stores.sqlite.rows import json_text
from tenure.stores.sqlite.verbs.base import VerbsBase


class UpkeepVerbs(VerbsBase):
    """See `stores.protocol.Verbs`."""

    def expired(self, limit: int) -> Script[Locked]:
        return (yield from self._held("expired", limit))

    def overdue(self, limit: int) -> Script[Locked]:
        return (yield from self._held("overdue", limit))

    def due(self, limit: int) -> Script[Locked]:
        return (yield from self._held("due", limit))

    def _held(self, name: str, limit: int) -> Script[Locked]:
        now = yield from self._tick()
        found = yield from self._ask(name, now, limit)
        return Locked(of_micros(now), {job.id: job for job in map(rows.job_of, found)})

    def promote(self, limit: int) -> Script[Promoted]:
        now = yield from self._tick()
        promoted = yield from self._ask("promote", now, limit)
        upcoming = yield from self._ask("next_run_at")
        queues = frozenset(queue for (queue,) in promoted)
        return Promoted(of_micros(now), len(promoted), queues, instant_or_none(upcoming[0][0] if upcoming else None))

    def prune(self, retention: Retention, limit: int) -> Script[int]:
        now = yield from self._tick()
        yield from self._ask("delete_slowdowns", now)
        cuts = {state: _cut(now, period) for state, period in retention.periods().items()}
        pruned = 0
        for state, cut in cuts.items():
            for found in ("prune_ended", "prune_without_payload"):
                if pruned < limit:
                    asked = (state.value, cut, _cut(now, retention.keys), limit - pruned)
                    pruned += yield from self._prune_ended(now, (yield from self._ask(found, *asked)))
        if pruned < limit:
            pruned += yield from self._prune_tombstones(cuts, _cut(now, retention.keys), limit - pruned)
        return pruned

    def expire_payloads(self, retention: Retention, limit: int) -> Script[int]:
        now = yield from self._tick()
        past: list[str] = []
        for state, period in retention.payload_periods().items():
            if len(past) < limit:
                found = yield from self._ask("payloads_past", state.value, _cut(now, period), limit - len(past))
                past += [job_id for (job_id,) in found]
        yield from self._without_payload(now, past)
        found = (yield from self._ask("own_payloads_past", now, limit - len(past))) if len(past) < limit else []
        own = [job_id for (job_id,) in found]
        yield from self._without_payload(now, own)
        return len(past) + len(own)

    def _without_payload(self, now: int, ids: list[str]) -> Script[None]:
        if ids:
            yield from self._ask("expire_payloads", now, json_text(ids))

    def _prune_ended(self, now: int, found: Rows) -> Script[int]:
        if found:
            ids = [job_id for job_id, _ in found]
            yield from self._ask("delete_attempts", json_text(ids))
            yield from self._ask("delete_checkpoints", json_text(ids))
            yield from self._ask("tombstone", now, json_text([job_id for job_id, keeps in found if keeps]))
            yield from self._delete([job_id for job_id, keeps in found if not keeps])
        return len(found)

    def _prune_tombstones(self, cuts: dict[State, int], key_cut: int, limit: int) -> Script[int]:
        by_state = (cuts[State.SUCCEEDED], cuts[State.CANCELLED], cuts[State.FAILED])
        found = yield from self._ask("prune_tombstones", key_cut, *by_state, limit)
        if found:
            yield from self._delete([job_id for (job_id,) in found])
        return len(found)

    def _delete(self, ids: list[str]) -> Script[None]:
        yield from self._ask("delete_effects", json_text(ids))
        yield from self._ask("delete_jobs", json_text(ids))


def _cut(now: int, period: timedelta) -> int:
    """The instant at or before which an end is past its period."""
    return now - period // timedelta(microseconds=1)
