"""The application that is measured: jobs that do nothing, and one that notes when it was started."""

import os
import time

from tenure import Tenure

app = Tenure(os.environ.get("BENCH_URL", "memory://"))
started: dict[str, float] = {}
"""Monotonic instants at which `note` was started, by number."""


@app.task()
async def noop(number: int = 0) -> None:
    """An async handler that does nothing."""


@app.task()
def noop_sync(number: int = 0) -> None:
    """A handler in a thread that does nothing."""


@app.task()
async def note(number: int) -> None:
    """Notes when it was started."""
    started[str(number)] = time.monotonic()
