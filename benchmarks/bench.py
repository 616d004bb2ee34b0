"""What every workload is given: sizes, databases, and how to tell what happens."""

import itertools
import sys
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.measuring import Measure, Taken, take


@dataclass
class Bench:
    """folder: for SQLite files and what children write. quick: a twentieth of the work. peers: an interpreter that
    has the peers installed. lasting: seconds of load, where a workload lets that be said."""

    folder: Path
    quick: bool = False
    rounds: int = 3
    peers: str = sys.executable
    large: bool = False
    tiny: bool = False
    lasting: float | None = None
    _numbers: Any = field(default_factory=lambda: itertools.count(1))

    def jobs(self, full: int) -> int:
        """How many jobs, of what a full run takes."""
        return max(full // 500, 20) if self.tiny else max(full // 10, 100) if self.quick else full

    def seconds(self, full: float) -> float:
        return max(full / 50, 0.3) if self.tiny else max(full / 5, 1.0) if self.quick else full

    def tell(self, text: str) -> None:
        """Progress, for whoever watches."""
        print(text, file=sys.stderr, flush=True)

    def take(self, contestants: dict[str, Measure], rounds: int | None = None) -> Taken:
        return take(contestants, rounds or self.rounds, self.tell)

    @cached_property
    def server(self) -> Any:
        from tests.conformance.postgres_server import shared

        return shared()

    def postgres(self, *, migrated: bool = True) -> str:
        """A fresh database's URL; what was dirty before is written, so that nobody pays for another's work."""
        url: str = self.server.fresh_database(migrated=migrated)
        self.server.execute("CHECKPOINT")
        return url

    def drop(self, url: str) -> None:
        self.server.drop_database(url)

    def file(self, suffix: str = "db") -> Path:
        """A path that nobody has used."""
        return self.folder / f"bench-{next(self._numbers)}.{suffix}"

    def sqlite(self) -> str:
        """A fresh SQLite database's URL."""
        return f"sqlite:///{self.file()}"
