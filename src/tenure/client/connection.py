"""The connections of the sync client, and its way to send a call."""

import threading
import time
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, Self, TypeVar, overload

import httpx2

from tenure.client.address import address
from tenure.client.arriving import Arriving, too_long
from tenure.client.call import Call
from tenure.client.sending import PATIENCE, TIMEOUT, answered, headers, limits, request, whole
from tenure.client.trying import Failure, Tries, not_answered
from tenure.client.verb import Verb
from tenure.client.watching import WATCH

P = ParamSpec("P")
T = TypeVar("T")


class Connection:
    """To the service at `url`."""

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float = TIMEOUT,
        patience: float = PATIENCE,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        self._address = address(url, key)
        self._timeout, self._patience = timeout, patience
        self._transport = transport
        self._http = self._connections()
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._address.url}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def send(self, call: Call[T]) -> T:
        """Sends a call, again where that is safe. Raises TenureError."""
        tries = Tries(call, self._patience)
        while True:
            answer = self._once(call)
            if not isinstance(answer, Failure):
                return call.read(*answer)
            time.sleep(tries.wait_after(answer))

    def _once(self, call: Call[Any]) -> tuple[int, bytes] | Failure:
        arriving, http = Arriving(self._timeout + call.pause), self._http
        try:
            with (
                WATCH.within(whole(self._timeout, call), lambda: self._give_up(http)),
                http.stream(**request(self._address, call, self._timeout)) as response,
            ):
                for chunk in response.iter_bytes():
                    arriving.take(chunk)
        except httpx2.RequestError as error:
            return not_answered(too_long() if http.is_closed else error)
        except RuntimeError:
            if not http.is_closed:
                raise
            return not_answered(too_long())
        return answered(call, response, arriving.content())

    def _give_up(self, http: httpx2.Client) -> None:
        """An answer that never ends is left only by closing its connection, and with it those beside: who waits on one
        of them is answered as when a connection is lost."""
        with self._lock:
            if self._http is not http:
                return
            self._http = self._connections()
        http.close()

    def _connections(self) -> httpx2.Client:
        return httpx2.Client(transport=self._transport, headers=headers(), timeout=self._timeout, limits=limits())


class Now(Verb[P, T]):
    @overload
    def __get__(self, connection: None, owner: type) -> Self: ...
    @overload
    def __get__(self, connection: "Connection", owner: type) -> Callable[P, T]: ...
    def __get__(self, connection: "Connection | None", owner: type) -> "Self | Callable[P, T]":
        if connection is None:
            return self

        @wraps(self.make)
        def send(*args: P.args, **kwargs: P.kwargs) -> T:
            return connection.send(self.make(*args, **kwargs))

        return send
