"""What a process of ours does with its memory: before the first job or request, and between jobs."""

import ctypes
import gc
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

_STATM: Final = Path("/proc/self/statm")
_OFTEN: Final = 60.0
_GROWTH: Final = 1.05
_YOUNG: Final = 10_000
_MOST_HEAPS: Final = -8
"""M_ARENA_MAX of mallopt(3)."""


def settle() -> None:
    """What has been loaded by now is there to stay: the garbage collector no longer looks through all of it again and
    again while jobs come and go (measured: 3 to 4 µs a job). Only for a process that does nothing else:
    rings of objects that fall out of use later are not freed where they were there before.

    And glibc keeps to two heaps, where it would open one for each few threads and leave most of each empty (measured:
    0.3 MB of 45 at rest)."""
    gc.collect()
    gc.freeze()
    limit = _of_glibc("mallopt")
    if limit is not None:
        limit(_MOST_HEAPS, 2)


def expect_no_rings() -> None:
    """The garbage collector looks when 10,000 objects more were made than freed, not 700. For a process whose work
    leaves it nothing to find, and makes and frees thousands of objects in every turn of its loop (measured: 5 % of the
    time of a service with 32 requests at once)."""
    gc.set_threshold(_YOUNG, *gc.get_threshold()[1:])


def resident() -> int:
    """Bytes resident now; where the system does not tell, the most that were ever resident."""
    if _STATM.exists():
        return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


class FreeMemory:
    """Gives the system back what was freed.

    glibc keeps it in one heap for each few threads, and a worker with many of them seems to grow for hours while what
    it uses stays the same (measured: 50 threads and long tracebacks, 105 MB resident of which 70 were used)."""

    def __init__(self) -> None:
        self._trim = _of_glibc("malloc_trim")
        self._next = 0.0
        self._least = 0

    def give_back(self, now: float) -> None:
        """At most once a minute, and only when the process has grown since. now: seconds of the monotonic clock."""
        if self._trim is None or now < self._next:
            return
        self._next = now + _OFTEN
        if resident() > self._least * _GROWTH:
            self._trim(0)
            self._least = resident()


def _of_glibc(name: str) -> Callable[..., int] | None:
    """A call for its heaps; none in a C library that has no such thing."""
    if sys.platform != "linux":
        return None
    return getattr(ctypes.CDLL(None), name, None)
