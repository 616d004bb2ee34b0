"""How a worker process behaves. Durations in seconds."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from tenure.core import defaults, fields
from tenure.core.errors import InvalidInput
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


def checked(said: WorkerOptions) -> WorkerOptions:
    """As a worker can run with them; what is left out is not looked at. Raises InvalidInput naming the option."""
    values = {name: getattr(said, name) for name in _CHECKS}
    told = {name: value for name, value in values.items() if value is not getattr(_UNSAID, name)}
    return replace(said, **{name: _CHECKS[name](name, value) for name, value in told.items()})


def _queues(option: str, said: Any) -> tuple[str, ...]:
    named = tuple(dict.fromkeys(fields.name(option, name) for name in fields.several(option, said)))
    if not named:
        raise InvalidInput(option, "names no queue", hint="Leave it out to serve those that the tasks name.")
    return named


def _retention(option: str, said: Any) -> Retention:
    if not isinstance(said, Retention):
        raise InvalidInput(option, f"must be a Retention, not {type(said).__name__}")
    return said


_UNSAID: Final = WorkerOptions()
_COUNT: Final = partial(fields.whole, least=1, most=1 << 50)
_SECONDS: Final = partial(fields.duration, least=0.001, most=fields.RUN_TIME_RANGE[1])

_CHECKS: Final[dict[str, Callable[[str, Any], Any]]] = {
    "slots": partial(fields.whole, least=1, most=100_000),
    "queues": _queues,
    "lease": _SECONDS,
    "heartbeat": _SECONDS,
    "poll": _SECONDS,
    "sweep": _SECONDS,
    "prune": _SECONDS,
    "gather": partial(fields.duration, most=60.0),
    "shutdown_grace": partial(fields.duration, most=fields.RUN_TIME_RANGE[1]),
    "leak_limit": partial(fields.whole, least=0, most=100_000),
    "recycle_jobs": _COUNT,
    "recycle_age": _SECONDS,
    "recycle_memory": _COUNT,
    "name": fields.name,
    "code_version": fields.name,
    "health_file": fields.text,
    "processes": partial(fields.whole, least=1, most=1000),
    "retention": _retention,
}
