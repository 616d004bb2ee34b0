"""When a healthy worker should make room for a fresh one: between jobs, and without losing any."""

from tenure.engine.memory import resident
from tenure.engine.options import WorkerOptions


def why_recycle(options: WorkerOptions, *, done: int, age: float, leaked: int) -> str | None:
    """The reason to recycle now, in words, or None.

    done: attempts ended so far. age: seconds since the start. leaked: slots stuck in threads that do not return.
    """
    if options.recycle_jobs is not None and done >= options.recycle_jobs:
        return f"{done} jobs done"
    if options.recycle_age is not None and age >= options.recycle_age:
        return f"{age:.0f} s old"
    if leaked and leaked >= options.leaks_allowed:
        return f"{leaked} slots stuck in handlers that do not return"
    if options.recycle_memory is not None and resident() >= options.recycle_memory:
        return f"{resident():,} bytes of memory"
    return None
