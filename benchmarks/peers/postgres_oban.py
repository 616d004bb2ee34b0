"""oban. Arguments: URL, what to do, how many jobs or seconds.

fill: so many jobs; drain: so many jobs, then leaves; stream: one by one for seconds; count: how many jobs it does in
seconds.
"""

import asyncio
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks.child import answer, await_go, is_missing
from benchmarks.peers.tally import Tally, until_done, until_seconds

try:
    from oban import Oban, worker
    from oban.schema import install
except ImportError:
    is_missing()

SLOTS = 200
tally = Tally()


@worker(queue="default")
class Noop:
    async def process(self, job: Any) -> None:
        tally.count()


async def main() -> None:
    url, what, amount = sys.argv[1], sys.argv[2], float(sys.argv[3])
    pool = await Oban.create_pool(url)
    if what == "fill":
        await install(pool)
        oban = Oban(pool=pool)
        for _start in range(0, int(amount), 1000):
            await oban.enqueue_many([Noop.new({}) for _ in range(1000)])
        await_go()
        answer(jobs=amount)
    elif what == "stream":
        await _stream(Oban(pool=pool), amount)
    else:
        over = until_seconds(amount) if what == "count" else until_done(int(amount))
        await _drain(Oban(pool=pool, queues={"default": SLOTS}), over)
    await pool.close()


async def _stream(oban: Any, seconds: float) -> None:
    await_go()
    until, done = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        await oban.enqueue(Noop.new({}))
        done += 1
    answer(jobs=done)


async def _drain(oban: Any, is_over: Callable[[Tally], bool]) -> None:
    """Works until it is over, and leaves."""
    await_go()
    async with oban:
        while not is_over(tally):  # noqa: ASYNC110 (the library tells nobody)
            await asyncio.sleep(0.02)
        tally.answer()


if __name__ == "__main__":
    asyncio.run(main())
