"""A worker process, as `tenure worker` runs it, that starts together with others.

Arguments: URL, slots, health file. It answers, when told to leave, when `note` was started.
"""

import os
import sys
from pathlib import Path

from benchmarks.child import answer, await_go


def main() -> None:
    url, slots, health = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    os.environ["BENCH_URL"] = url
    from benchmarks import jobs
    from tenure.engine import memory

    jobs.app.source = "benchmarks.jobs:app"
    worker = jobs.app.worker(slots=slots, health_file=health)
    memory.settle()
    await_go()
    worker.run(lambda: Path(health + ".running").touch())
    answer(at=jobs.started)


if __name__ == "__main__":
    main()
