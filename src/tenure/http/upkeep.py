"""The loops that look after the database while the service runs: a stalled job is found without anyone asking."""

from typing import Final

from tenure.engine.health import Pulses
from tenure.engine.upkeep.upkeep import upkeep_of
from tenure.http.options import ServiceOptions
from tenure.stores.protocol import Store

STOP_SECONDS: Final = 2.0


class Upkeep:
    """Threads of the engine's promoter, reaper, redriver, scheduler and pruner on one open store."""

    def __init__(self, store: Store, options: ServiceOptions) -> None:
        self._pulses = Pulses()
        self._loops = upkeep_of(
            store, self._pulses, sweep=options.sweep, prune=options.prune, retention=options.retention
        )

    def start(self) -> None:
        for loop in self._loops:
            loop.start()

    def stop(self) -> None:
        """Stops them; waits a moment for a tick that has begun."""
        for loop in self._loops:
            loop.stop()
        for loop in self._loops:
            loop.join(STOP_SECONDS)

    def late(self) -> list[str]:
        """The loops that have not succeeded for twice their interval."""
        return sorted(self._pulses.troubles())
