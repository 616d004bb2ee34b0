"""The scripts about pauses."""

from collections.abc import Collection

from tenure.core.flow.pause import Pause, Subject
from tenure.core.flow.place import place_of
from tenure.stores.postgres import wire
from tenure.stores.postgres.verbs.reading import Asking
from tenure.stores.script import Script


class PauseVerbs(Asking):
    def put_pause(self, pause: Pause) -> Script[bool]:
        said = {"at": pause.at, "who": pause.who, "why": pause.why}
        rows = yield self.ask("put_pause", pause=place_of(pause.subject, pause.name)._asdict() | said)
        return wire.COUNTED.decode(wire.answer(rows)).count > 0

    def drop_pause(self, subject: Subject, name: str) -> Script[bool]:
        place = place_of(subject, name)._asdict()
        rows = yield self.ask("drop_pause", place=place)
        yield self.ask("drop_empty_rules", place=place)
        return wire.COUNTED.decode(wire.answer(rows)).count > 0

    def pauses(self, subject: Subject | None = None, names: Collection[str] | None = None) -> Script[list[Pause]]:
        rows = yield self.look("pauses", subject=subject, names=None if names is None else list(names))
        return wire.utc_all(wire.PAUSES.decode(wire.answer(rows)))
