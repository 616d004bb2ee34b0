"""A bare Starlette route, served as the service is: one process, uvicorn, httptools, asyncio's loop, no access log.

Argument: nothing, and it answers what it was sent; or the URL of a PostgreSQL database, or a SQLite file, and it also
inserts a slim row and commits. It answers its port, and serves until it is told to leave.
"""

import asyncio
import json
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

from benchmarks.child import answer, await_go, is_missing

try:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import JSONResponse
    from starlette.routing import Route
except ImportError:
    is_missing()

CONNECTIONS = 10

Insert = Callable[[str, str], Awaitable[Any]]


def application(where: str) -> Starlette:
    """One route: POST /jobs."""
    insert: list[Insert] = []

    async def post(request: Request) -> JSONResponse:
        said = await request.json()
        for one in insert:
            await one(said["type"], json.dumps(said["payload"]))
        return JSONResponse({**said, "created": True}, status_code=201)

    @asynccontextmanager
    async def opened(_app: Starlette) -> AsyncIterator[None]:
        if not where:
            yield
            return
        async with inserting(where) as made:
            insert.append(made)
            yield

    return Starlette(routes=[Route("/jobs", post, methods=["POST"])], lifespan=opened)


@asynccontextmanager
async def inserting(where: str) -> AsyncIterator[Insert]:
    """One insert and one commit for each call."""
    if where.startswith("postgres"):
        from psycopg_pool import AsyncConnectionPool

        from benchmarks.bare import postgres

        async with AsyncConnectionPool(where, min_size=CONNECTIONS, kwargs={"autocommit": True}) as pool:

            async def insert(kind: str, payload: str) -> None:
                async with pool.connection() as connection:
                    await connection.execute(postgres.INSERT, [kind, payload], prepare=True)

            yield insert
        return
    from benchmarks.bare import sqlite

    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(1) as writer:
        connection = await loop.run_in_executor(writer, sqlite.connect, where)

        async def write(_kind: str, payload: str) -> None:
            await loop.run_in_executor(writer, connection.execute, sqlite.INSERT, [payload, 0])

        yield write
        await loop.run_in_executor(writer, connection.close)


def main() -> None:
    where = sys.argv[1] if len(sys.argv) > 1 else ""
    with socket.create_server(("127.0.0.1", 0), backlog=512) as listening:
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await_go()
        answer(port=listening.getsockname()[1], key="none")
        config = uvicorn.Config(
            application(where), http="httptools", loop="asyncio", access_log=False, log_level="warning"
        )
        uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    main()
