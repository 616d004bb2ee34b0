"""How a worker process behaves. Durations in seconds."""

from dataclasses import dataclass, field

from tenure.core import defaults
from tenure.core.lease import heartbeat_within
from tenure.core.retention import Retention


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """slots: attempts at once. queues: those it serves, in turns. lease: how long one heartbeat lasts.

    gather: how long a finished attempt waits for company before it is written. leak_limit: how many slots may be
    stuck in threads that outlived their time limit before the process recycles itself; None is half the slots.
    recycle_*: drain and exit with `RECYCLE` after so many jobs, so many seconds, or past so many bytes of memory.
    name: a label for people inside the worker's identity. health_file: where to write the health as JSON, each
    second. processes: workers like this one, itself included; for the check of connections at the start.
    """

    slots: int = defaults.SLOTS
    queues: tuple[str, ...] = (defaults.QUEUE,)
    lease: float = defaults.LEASE
    heartbeat: float | None = None
    poll: float = defaults.POLL_INTERVAL
    sweep: float = defaults.SWEEP_INTERVAL
    prune: float = 60.0
    gather: float = 0.002
    shutdown_grace: float = defaults.SHUTDOWN_GRACE
    leak_limit: int | None = None
    recycle_jobs: int | None = None
    recycle_age: float | None = None
    recycle_memory: int | None = None
    name: str = "worker"
    code_version: str = ""
    health_file: str | None = None
    processes: int = 1
    retention: Retention = field(default_factory=Retention)

    @property
    def heartbeat_interval(self) -> float:
        """Seconds between heartbeats: a third of the lease unless said."""
        return self.heartbeat or heartbeat_within(self.lease)

    @property
    def leaks_allowed(self) -> int:
        return max(1, self.slots // 2) if self.leak_limit is None else self.leak_limit
