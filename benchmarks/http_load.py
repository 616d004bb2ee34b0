"""Requests over kept connections, as fast as the answers come. Arguments: port, key, what, how many jobs.

post: POST /jobs, one job each. claim: ten are claimed and ten completed, in two requests.
It speaks HTTP by hand, so that it costs less than what it measures.
"""

import asyncio
import json
import sys
import time
from collections.abc import Iterator

from benchmarks.child import answer, await_go

CONNECTIONS = {"post": 32, "claim": 8}
WARM_UP = 64
TEN = 10


class Caller(asyncio.Protocol):
    """One connection that sends the next request when an answer is whole."""

    def __init__(self, requests: "Requests") -> None:
        self._requests = requests
        self._received = b""
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._next(b"")

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, found, body = self._received.partition(b"\r\n\r\n")
        if not found or len(body) < length_of(head):
            return
        self._received = b""
        if not head.startswith(b"HTTP/1.1 2"):
            self.done.set_exception(RuntimeError(body.decode(errors="replace")))
            return
        self._next(body)

    def connection_lost(self, _error: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(RuntimeError("the server closed the connection"))

    def _next(self, body: bytes) -> None:
        request = self._requests.after(body)
        if request is None:
            self.done.set_result(None)
            self._transport.close()
        else:
            self._transport.write(request)


class Requests:
    """What the callers send; shared by them. left: how many jobs are still to be done."""

    def __init__(self, key: str, what: str, jobs: int) -> None:
        self._head = f"host: localhost\r\nauthorization: Bearer {key}\r\ncontent-type: application/json\r\n"
        self._what = what
        self.left = jobs
        numbers = range(jobs) if what == "post" else ()
        self._posts: Iterator[bytes] = iter([self._made("/jobs", _post(number)) for number in numbers])

    def after(self, body: bytes) -> bytes | None:
        """The next request of a caller that was answered `body` (empty: nothing yet); None when all is done."""
        if self._what == "claim" and body.startswith(b'{"claim_id"'):
            jobs = json.loads(body)["jobs"]
            self.left -= len(jobs)
            if jobs:
                return self._made("/jobs/reports", {"reports": [_completed(job) for job in jobs]})
            return None
        if self.left <= 0:
            return None
        if self._what == "claim":
            return self._made("/jobs/claim", {"types": ["noop"], "limit": TEN})
        self.left -= 1
        return next(self._posts)

    def _made(self, path: str, body: object) -> bytes:
        text = json.dumps(body).encode()
        return f"POST {path} HTTP/1.1\r\n{self._head}content-length: {len(text)}\r\n\r\n".encode() + text


def _post(number: int) -> object:
    return {"type": "noop", "payload": {"number": number}}


def _completed(job: dict[str, str]) -> dict[str, str]:
    return {"verb": "complete", "id": job["id"], "lease_token": job["lease_token"]}


def length_of(head: bytes) -> int:
    place = head.lower().find(b"content-length: ")
    return int(head[place + 16 :].split(b"\r\n", 1)[0]) if place >= 0 else 0


async def send(port: int, requests: Requests, connections: int) -> None:
    loop = asyncio.get_running_loop()
    made = [
        await loop.create_connection(lambda: Caller(requests), "127.0.0.1", port) for _connection in range(connections)
    ]
    await asyncio.gather(*(caller.done for _transport, caller in made))


def main() -> None:
    port, key, what, jobs = int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
    if what == "post":
        asyncio.run(send(port, Requests(key, what, WARM_UP), CONNECTIONS[what]))
    requests = Requests(key, what, jobs)
    await_go()
    began = time.time()
    asyncio.run(send(port, requests, CONNECTIONS[what]))
    answer(began=began, ended=time.time(), jobs=jobs - requests.left)


if __name__ == "__main__":
    main()
