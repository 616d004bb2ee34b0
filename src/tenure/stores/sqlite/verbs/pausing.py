"""Pauses and their rows."""

from collections.abc import Collection

from tenure.core.flow.pause import Pause, Subject
from tenure.core.flow.place import place_of
from tenure.stores.script import Script
from tenure.stores.sqlite.instants import of_micros, to_micros
from tenure.stores.sqlite.rows import json_text
from tenure.stores.sqlite.verbs.base import VerbsBase


class PauseVerbs(VerbsBase):
    """See `stores.pausing.PauseVerbs`."""

    def put_pause(self, pause: Pause) -> Script[bool]:
        yield from self._tick()
        row = (*place_of(pause.subject, pause.name), to_micros(pause.at), pause.who, pause.why)
        return bool((yield from self._ask("put_pause", *row)))

    def drop_pause(self, subject: Subject, name: str) -> Script[bool]:
        yield from self._tick()
        place = place_of(subject, name)
        dropped = yield from self._ask("drop_pause", *place)
        yield from self._ask("drop_empty_rules", *place)
        return bool(dropped)

    def pauses(self, subject: Subject | None = None, names: Collection[str] | None = None) -> Script[list[Pause]]:
        wanted = None if names is None else json_text(list(names))
        return [
            Pause(subject=of, name=name, at=of_micros(at), who=who, why=why)
            for of, name, at, who, why in (yield from self._ask("pauses", subject, wanted))
        ]
