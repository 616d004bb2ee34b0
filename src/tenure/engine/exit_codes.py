"""How a worker process ends, as its exit code."""

from typing import Final

OK: Final = 0
"""Drained: every attempt of the process has ended and is on record."""

GRACE_OVER: Final = 10
"""The shutdown grace was over: jobs were released unfinished."""

STORE_LOST: Final = 11
"""The database did not answer at the end: what still ran comes back when its lease expires."""

RECYCLE: Final = 12
"""The process reached its age, its number of jobs or its memory mark, and asks to be replaced."""

BAD_START: Final = 13
"""The worker could not start: wrong schema, bad declaration, or the application cannot be imported."""

SHUTDOWN_ERROR: Final = 14
"""An error of the shutdown itself."""
