"""Delivery hints: triggers make them in the transaction that makes a job ready."""

from collections.abc import Collection

from tenure.core.hints import MOST_COUNTED, Backlog, Taken
from tenure.core.switch import HINTS, Switch
from tenure.stores.script import Script
from tenure.stores.sqlite.instants import instant_or_none, of_micros, span, to_micros
from tenure.stores.sqlite.rows import json_text
from tenure.stores.sqlite.verbs.base import VerbsBase


class HintVerbs(VerbsBase):
    """See `stores.protocol.Verbs`."""

    def start_hints(self, switch: Switch) -> Script[bool]:
        now = yield from self._tick()
        args = (switch.name, switch.who, switch.why, to_micros(switch.at))
        is_new = bool((yield from self._ask("put_switch", *args)))
        if is_new:
            yield from self._ask("hint_inserts")
            yield from self._ask("hint_updates")
            yield from self._ask("seed_hints", now)
        return is_new

    def stop_hints(self) -> Script[bool]:
        yield from self._tick()
        yield from self._ask("unhint_inserts")
        yield from self._ask("unhint_updates")
        yield from self._ask("clear_hints")
        yield from self._ask("touch")  # Without a row that changes, the writer would keep nothing of it.
        return bool((yield from self._ask("drop_switch", HINTS)))

    def take_hints(self, token: str, limit: int, hold: float, waited: float = 0.0) -> Script[Taken]:
        now = yield from self._tick()
        is_on = bool((yield from self._ask("read_switch", HINTS)))
        due = yield from self._ask("due_hints", now - span(waited), limit)
        ready = [(job_id, refusals) for job_id, refusals, is_ready in due if is_ready]
        gone = [job_id for job_id, _, is_ready in due if not is_ready]
        if ready:
            yield from self._ask("take_hints", token, now + span(hold), json_text([job_id for job_id, _ in ready]))
        if gone:
            yield from self._ask("delete_hints", json_text(gone))
        return Taken(now=of_micros(now), is_on=is_on, hints=tuple(ready), dropped=len(gone))

    def settle_hints(
        self, token: str, job_ids: Collection[str], again: float | None, error: str | None = None
    ) -> Script[int]:
        now = yield from self._tick()
        named = json_text(sorted(job_ids))
        if again is None:
            return len((yield from self._ask("settle_hints", token, named)))
        return len((yield from self._ask("put_back_hints", now + span(again), error, token, named)))

    def hint_backlog(self) -> Script[Backlog]:
        now = yield from self._ask("now", self._wall.micros())
        found = yield from self._ask("hint_backlog", now[0][0], MOST_COUNTED)
        is_on, due, oldest, refused, error = found[0]
        return Backlog(
            now=of_micros(now[0][0]),
            is_on=bool(is_on),
            due=due,
            oldest_due_at=instant_or_none(oldest),
            refused=refused,
            error=error,
        )
