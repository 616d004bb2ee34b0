"""The loops that look after the database while the service runs: a stalled job is found without anyone asking."""

from typing import Final

from tenure.engine.health import Pulses
from tenure.engine.loop import Loop
from tenure.engine.promoter import LONGEST_WAIT, Promoter
from tenure.engine.pruner import Pruner
from tenure.engine.reaper import Reaper
from tenure.engine.redriver import LONGEST_WAIT as REDRIVE_WAIT
from tenure.engine.redriver import Redriver
from tenure.engine.scheduler import LONGEST_WAIT as SCHEDULE_WAIT
from tenure.engine.scheduler import Scheduler
from tenure.http.options import ServiceOptions
from tenure.stores.protocol import Store

STOP_SECONDS: Final = 2.0


class Upkeep:
    """Threads of the engine's promoter, reaper, redriver, scheduler and pruner on one open store."""

    def __init__(self, store: Store, options: ServiceOptions) -> None:
        self._pulses = Pulses()
        sweep, prune = options.sweep, options.prune
        self._loops = [
            Loop("promote", Promoter(store).tick, self._pulses, LONGEST_WAIT + 1.0),
            Loop("sweep", Reaper(store, sweep).tick, self._pulses, sweep * 1.2),
            Loop("redrive", Redriver(store).tick, self._pulses, REDRIVE_WAIT + 1.0),
            Loop("schedule", Scheduler(store).tick, self._pulses, SCHEDULE_WAIT + 1.0),
            Loop("prune", Pruner(store, options.retention, prune).tick, self._pulses, prune * 2),
        ]

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
