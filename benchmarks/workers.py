"""Worker processes under measurement."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.bench import Bench
from benchmarks.children import LONGEST, Child, await_file, dismiss

SLOTS = 200


class Crew:
    """Some worker processes on one database."""

    def __init__(self, bench: Bench, url: str, workers: int, slots: int) -> None:
        self._files = [bench.file("health") for _ in range(workers)]
        self.children = [Child("benchmarks.worker", url, slots, file) for file in self._files]

    def start(self) -> None:
        """All at once, each prepared before."""
        for child in self.children:
            child.await_ready()
        for child in self.children:
            child.go()
        for file in self._files:
            await_file(Path(f"{file}.running"), 30)

    def done(self) -> int:
        """Jobs that they say they have done, at most a second ago."""
        return sum(_done(file) for file in self._files)

    def await_done(self, jobs: int) -> None:
        """Waits until they have done so many."""
        until = time.monotonic() + LONGEST
        while self.done() < jobs:
            if time.monotonic() > until or any(child.process.poll() is not None for child in self.children):
                raise RuntimeError(f"the workers did {self.done()} of {jobs} jobs")
            time.sleep(0.1)

    def leave(self) -> list[dict[str, float]]:
        """Told to drain; when each noted its jobs."""
        for child in self.children:
            child.stop()
        return [child.answer()["at"] for child in self.children]


@contextmanager
def crew(bench: Bench, url: str, workers: int = 1, slots: int = SLOTS) -> Iterator[Crew]:
    """Workers that are ready to start; gone afterwards whatever happens."""
    group = Crew(bench, url, workers, slots)
    try:
        yield group
    finally:
        dismiss(group.children)


def _done(file: Path) -> int:
    try:
        return int(json.loads(file.read_text())["done"])
    except (FileNotFoundError, ValueError):
        return 0
