"""A process that is a redriver and nothing else: `python -m tests.crash.redriving URL STATEMENTS PAGE`.

It takes steps until nothing is left to do at once, and kills itself (SIGKILL) after so many statements; 0: never. It
freezes so many jobs in a step.
"""

import os
import signal
import sys

from tenure.app.databases.addresses import store_of
from tenure.engine.upkeep.redriver import Redriver
from tenure.operations import freeze_redrive
from tenure.stores.protocol import Channel, Store
from tenure.stores.script import Rows, Script, T


class Mortal:
    """A store that lets this process execute so many statements."""

    def __init__(self, store: Store, statements: int) -> None:
        self._store, self._left = store, statements
        self.verbs, self.announce = store.verbs, store.announce

    def run(self, script: Script[T], channel: Channel = "producer") -> T:
        return self._store.run(self._counted(script), channel)

    def _counted(self, script: Script[T]) -> Script[T]:
        rows: Rows | None = None
        while True:
            try:
                statement = next(script) if rows is None else script.send(rows)
            except StopIteration as stop:
                return stop.value  # type: ignore[no-any-return]
            rows = yield statement
            self._left -= 1
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


def main(url: str, statements: int, page: int) -> None:
    freeze_redrive.PAGE = page
    store = store_of(url)
    store.open()
    redriver = Redriver(Mortal(store, statements))  # type: ignore[arg-type]
    while redriver.tick() == 0.0:
        pass
    store.close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
