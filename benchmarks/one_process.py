"""Producer and worker in one process, as `tenure up` runs them. Arguments: URL, slots, how many jobs."""

import os
import sys
import threading
import time

from benchmarks.child import answer, await_go


def main() -> None:
    url, slots, amount = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    os.environ["BENCH_URL"] = url
    from benchmarks import jobs, producer

    worker = jobs.app.worker(slots=slots)
    sent: dict[str, float] = {}

    def produce() -> None:
        sent.update(producer.pickup(jobs, amount))
        until = time.monotonic() + 30
        while len(jobs.started) < amount and time.monotonic() < until:
            time.sleep(0.01)
        worker.stop()

    await_go()
    worker.run(threading.Thread(target=produce, daemon=True).start)
    answer(sent=sent, started=jobs.started)


if __name__ == "__main__":
    main()
