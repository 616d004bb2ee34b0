"""When a healthy worker should make room for a fresh one: between jobs, and without losing any."""

import os
import sys
from pathlib import Path
from typing import Final

from tenure.engine.options import WorkerOptions

_STATM: Final = Path("/proc/self/statm")


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
    if options.recycle_memory is not None and memory() >= options.recycle_memory:
        return f"{memory():,} bytes of memory"
    return None


def memory() -> int:
    """Bytes resident now; where the system does not tell, the most that were ever resident."""
    if _STATM.exists():
        return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
