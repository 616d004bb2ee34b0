"""The loops that look after a database, in a worker and in a service: what is due, lost, redriven, scheduled, or
old."""

from tenure.core.retention import Retention
from tenure.engine.health import Pulses
from tenure.engine.loop import Loop
from tenure.engine.upkeep.promoter import LONGEST_WAIT, Promoter
from tenure.engine.upkeep.pruner import Pruner
from tenure.engine.upkeep.reaper import Reaper
from tenure.engine.upkeep.redriver import LONGEST_WAIT as REDRIVE_WAIT
from tenure.engine.upkeep.redriver import Redriver
from tenure.engine.upkeep.scheduler import LONGEST_WAIT as SCHEDULE_WAIT
from tenure.engine.upkeep.scheduler import Scheduler
from tenure.stores.protocol import Store


def upkeep_of(store: Store, pulses: Pulses, *, sweep: float, prune: float, retention: Retention) -> list[Loop]:
    """Not started yet. sweep, prune: seconds between two looks."""
    return [
        Loop("promote", Promoter(store).tick, pulses, LONGEST_WAIT + 1.0),
        Loop("sweep", Reaper(store, sweep).tick, pulses, sweep * 1.2),
        Loop("redrive", Redriver(store).tick, pulses, REDRIVE_WAIT + 1.0),
        Loop("schedule", Scheduler(store).tick, pulses, SCHEDULE_WAIT + 1.0),
        Loop("prune", Pruner(store, retention, prune).tick, pulses, prune * 2),
    ]
