"""huey on SQLite with synchronous=FULL. Arguments: file, how many jobs. Fills the queue, then drains it in threads."""

import logging
import sys
import threading
import time

from benchmarks.child import answer, await_go, is_missing

try:
    from huey import SqliteHuey
except ImportError:
    is_missing()

WORKERS = 1


def main() -> None:
    file, jobs = sys.argv[1], int(sys.argv[2])
    huey = SqliteHuey(filename=file, fsync=True, results=False)
    logging.getLogger("huey").setLevel(logging.ERROR)
    state = {"done": 0, "began": 0.0, "ended": 0.0}
    enough = threading.Event()
    lock = threading.Lock()

    @huey.task()
    def noop() -> None:
        with lock:
            state["done"] += 1
            state["ended"] = time.time()
            state["began"] = state["began"] or state["ended"]
            if state["done"] >= jobs:
                enough.set()

    for _number in range(jobs):
        noop()
    consumer = huey.create_consumer(workers=WORKERS, periodic=False)
    await_go()
    consumer.start()
    enough.wait(300)
    consumer.stop()
    answer(began=state["began"], ended=state["ended"], jobs=state["done"])


if __name__ == "__main__":
    main()
