"""A producer process. Arguments: URL, what to do, how many jobs or seconds.

singles, bulk: so many jobs, one call after the other or by the thousand. callers: one each by 200 coroutines.
stream, stream100: for so many seconds, as fast as it goes. pickup: so many `note` jobs, a little apart.
paced: for so many seconds, 800 a second.
"""

import asyncio
import os
import random
import sys
import time

from benchmarks.child import answer, await_go

CALLERS = 200
PACE = 800
WARM_UP = 1
"""Jobs that are sent before the start, so that the connection stands."""
SETTLED = 1.5
"""Seconds until a producer surely knows that somebody waits for its hints."""
APART = (0.03, 0.07)
"""Seconds between jobs whose pick-up is measured: an idle worker, not a busy one."""


def main() -> None:
    url, what, amount = sys.argv[1], sys.argv[2], float(sys.argv[3])
    os.environ["BENCH_URL"] = url
    from benchmarks import jobs

    jobs.app.open()
    jobs.app.declare_kinds()
    for _job in range(WARM_UP):
        jobs.noop.enqueue(number=-1)
    await_go()
    began = time.time()
    if what == "pickup":
        answer(at=pickup(jobs, int(amount)))
        return
    done = WAYS[what](jobs, amount)
    answer(began=began, ended=time.time(), jobs=done)


def singles(jobs, amount):
    for number in range(int(amount)):
        jobs.noop.enqueue(number=number)
    return int(amount)


def bulk(jobs, amount, size=1000):
    for start in range(0, int(amount), size):
        jobs.app.enqueue_many([jobs.noop.item(number=start + n) for n in range(size)])
    return int(amount)


def callers(jobs, amount):
    each = int(amount) // CALLERS

    async def caller() -> None:
        for number in range(each):
            await jobs.noop.aenqueue(number=number)

    async def all_of_them() -> None:
        await asyncio.gather(*(caller() for _ in range(CALLERS)))

    asyncio.run(all_of_them())
    return each * CALLERS


def stream(jobs, amount):
    until, done = time.monotonic() + amount, 0
    while time.monotonic() < until:
        jobs.noop.enqueue(number=done)
        done += 1
    return done


def stream100(jobs, amount):
    until, done = time.monotonic() + amount, 0
    while time.monotonic() < until:
        done += bulk(jobs, 100, 100)
    return done


def paced(jobs, amount):
    began, done = time.monotonic(), 0
    while (spent := time.monotonic() - began) < amount:
        due = int(spent * PACE) - done
        if due > 0:
            jobs.app.enqueue_many([jobs.noop.item(number=done + n) for n in range(due)])
            done += due
        time.sleep(0.005)
    return done


def pickup(jobs, amount):
    """When each enqueue had returned."""
    sent: dict[str, float] = {}
    time.sleep(SETTLED)
    for number in range(amount):
        time.sleep(random.uniform(*APART))
        jobs.note.enqueue(number=number)
        sent[str(number)] = time.monotonic()
    return sent


WAYS = {
    "singles": singles, "bulk": bulk, "callers": callers, "stream": stream, "stream100": stream100, "paced": paced,
}  # fmt: skip

if __name__ == "__main__":
    main()
