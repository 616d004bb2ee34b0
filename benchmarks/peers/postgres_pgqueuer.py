"""pgqueuer. Arguments: URL, what to do, how many jobs or seconds.

fill: so many jobs; drain: so many jobs, then leaves; stream100: bulks of 100 for seconds; count: how many jobs it does
in seconds.
"""

import asyncio
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks.child import answer, await_go, is_missing
from benchmarks.peers.tally import Tally, until_done, until_seconds

try:
    import asyncpg
    from pgqueuer import PgQueuer
    from pgqueuer.queries import Queries
except ImportError:
    is_missing()


async def main() -> None:
    url, what, amount = sys.argv[1], sys.argv[2], float(sys.argv[3])
    connection = await asyncpg.connect(url)
    queries = Queries.from_asyncpg_connection(connection)
    if what == "fill":
        await queries.install()
        for _start in range(0, int(amount), 1000):
            await _bulk(queries, 1000)
        await_go()
        answer(jobs=amount)
    elif what == "stream100":
        await_go()
        until, done = time.monotonic() + amount, 0
        while time.monotonic() < until:
            await _bulk(queries, 100)
            done += 100
        answer(jobs=done)
    else:
        await _drain(connection, until_seconds(amount) if what == "count" else until_done(int(amount)))


async def _bulk(queries: Any, size: int) -> None:
    await queries.enqueue(["noop"] * size, [b"{}"] * size, [0] * size)


async def _drain(connection: Any, is_over: Callable[[Tally], bool]) -> None:
    """Works until it is over, and leaves."""
    application = PgQueuer.from_asyncpg_connection(connection)
    tally = Tally()

    @application.entrypoint("noop")
    async def noop(job: Any) -> None:
        tally.count()

    async def leave() -> None:
        while not is_over(tally):  # noqa: ASYNC110 (the library tells nobody)
            await asyncio.sleep(0.02)
        tally.answer()
        application.shutdown.set()

    await_go()
    leaving = asyncio.create_task(leave())
    await application.run(batch_size=500)
    await leaving


if __name__ == "__main__":
    asyncio.run(main())
