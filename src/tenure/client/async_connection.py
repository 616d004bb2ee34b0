"""The connections of the async client, and its way to send a call."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, ParamSpec, Self, TypeVar, overload

import httpx2

from tenure.client.address import address
from tenure.client.arriving import Arriving, too_long
from tenure.client.call import Call
from tenure.client.sending import PATIENCE, TIMEOUT, answered, headers, limits, request, whole
from tenure.client.trying import Failure, Tries, not_answered
from tenure.client.verb import Verb

P = ParamSpec("P")
T = TypeVar("T")


class AsyncConnection:
    """The async twin of `Connection`, for one event loop."""

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float = TIMEOUT,
        patience: float = PATIENCE,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self._address = address(url, key)
        self._timeout, self._patience = timeout, patience
        self._http = httpx2.AsyncClient(transport=transport, headers=headers(), timeout=timeout, limits=limits())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._address.url}>"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def send(self, call: Call[T]) -> T:
        """Sends a call, again where that is safe. Raises TenureError."""
        tries = Tries(call, self._patience)
        while True:
            answer = await self._once(call)
            if not isinstance(answer, Failure):
                return call.read(*answer)
            await asyncio.sleep(tries.wait_after(answer))

    async def _once(self, call: Call[Any]) -> tuple[int, bytes] | Failure:
        arriving = Arriving(self._timeout + call.pause)
        try:
            async with (
                asyncio.timeout(whole(self._timeout, call)) as limit,
                self._http.stream(**request(self._address, call, self._timeout)) as response,
            ):
                async for chunk in response.aiter_bytes():
                    arriving.take(chunk)
        except httpx2.RequestError as error:
            return not_answered(error)
        except TimeoutError:
            if not limit.expired():
                raise
            return not_answered(too_long())
        return answered(call, response, arriving.content())


class Later(Verb[P, T]):
    @overload
    def __get__(self, connection: None, owner: type) -> Self: ...
    @overload
    def __get__(self, connection: "AsyncConnection", owner: type) -> Callable[P, Awaitable[T]]: ...
    def __get__(self, connection: "AsyncConnection | None", owner: type) -> "Self | Callable[P, Awaitable[T]]":
        if connection is None:
            return self

        @wraps(self.make)
        async def send(*args: P.args, **kwargs: P.kwargs) -> T:
            return await connection.send(self.make(*args, **kwargs))

        return send
