"""The verbs of the memory store about pauses."""

from collections.abc import Collection

from tenure.core.flow.pause import Pause, Subject
from tenure.stores.memory.verbs.base import VerbsBase, within


class PauseVerbs(VerbsBase):
    """See `stores.pausing.PauseVerbs`."""

    @within
    def put_pause(self, pause: Pause) -> bool:
        if (pause.subject, pause.name) in self._tables.pauses:
            return False
        self._tables.put_pause(pause)
        return True

    @within
    def drop_pause(self, subject: Subject, name: str) -> bool:
        if (subject, name) not in self._tables.pauses:
            return False
        self._tables.drop_pause((subject, name))
        return True

    @within
    def pauses(self, subject: Subject | None = None, names: Collection[str] | None = None) -> list[Pause]:
        return [
            pause
            for _, pause in sorted(self._tables.pauses.items())
            if subject in (None, pause.subject) and (names is None or pause.name in names)
        ]
