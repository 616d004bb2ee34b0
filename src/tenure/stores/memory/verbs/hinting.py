"""The verbs of the memory store about delivery hints."""

from collections.abc import Collection
from datetime import datetime, timedelta
from itertools import islice

from msgspec.structs import replace

from tenure.core.hints import Backlog, Hint, Taken
from tenure.core.states import State
from tenure.core.switch import HINTS, Switch
from tenure.stores.memory.verbs.base import VerbsBase, within


class HintVerbs(VerbsBase):
    """See `stores.protocol.Verbs`."""

    @within
    def start_hints(self, switch: Switch) -> bool:
        if HINTS in self._tables.switches:
            return False
        self._tables.put_switch(switch)
        now = self._tables.now()
        for job in self._tables.in_state(State.READY):
            self._tables.put_hint(Hint(job_id=job.id, due_at=now))
        return True

    @within
    def stop_hints(self) -> bool:
        for job_id in list(self._tables.hints):
            self._tables.delete_hint(job_id)
        if HINTS not in self._tables.switches:
            return False
        self._tables.drop_switch(HINTS)
        return True

    @within
    def take_hints(self, token: str, limit: int, hold: float, waited: float = 0.0) -> Taken:
        now = self._tables.now()
        due = list(islice(self._due_hints(now - timedelta(seconds=waited)), limit))
        ready = [hint for hint in due if self._is_ready(hint)]
        for hint in due:
            self._tables.delete_hint(hint.job_id)
        for hint in ready:
            self._tables.put_hint(replace(hint, token=token, due_at=now + timedelta(seconds=hold)))
        taken = tuple((hint.job_id, hint.refusals) for hint in ready)
        return Taken(now=now, is_on=HINTS in self._tables.switches, hints=taken, dropped=len(due) - len(ready))

    @within
    def settle_hints(self, token: str, job_ids: Collection[str], again: float | None, error: str | None = None) -> int:
        known = (self._tables.hints.get(job_id) for job_id in set(job_ids))
        mine = [hint for hint in known if hint is not None and hint.token == token]
        for hint in mine:
            if again is None:
                self._tables.delete_hint(hint.job_id)
            else:
                refusals = 0 if error is None else hint.refusals + 1
                due_at = self._tables.now() + timedelta(seconds=again)
                self._tables.put_hint(replace(hint, due_at=due_at, token=None, refusals=refusals, error=error))
        return len(mine)

    @within
    def hint_backlog(self) -> Backlog:
        now = self._tables.now()
        due = list(self._due_hints(now))
        refused = [hint for hint in self._tables.hints.values() if hint.error is not None]
        worst = max(refused, key=lambda hint: (hint.refusals, hint.job_id), default=None)
        return Backlog(
            now=now,
            is_on=HINTS in self._tables.switches,
            due=len(due),
            oldest_due_at=due[0].due_at if due else None,
            refused=len(refused),
            error=None if worst is None else worst.error,
        )

    def _due_hints(self, latest: datetime) -> list[Hint]:
        hints = (hint for hint in self._tables.hints.values() if hint.due_at <= latest)
        return sorted(hints, key=lambda hint: (hint.due_at, hint.job_id))

    def _is_ready(self, hint: Hint) -> bool:
        job = self._tables.jobs.get(hint.job_id)
        return job is not None and job.state is State.READY
