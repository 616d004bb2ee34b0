"""What both clients share: how a call becomes a request, and what its answer is."""

from typing import Any, Final

import httpx2

from tenure import __version__
from tenure.client.address import Address
from tenure.client.call import Call
from tenure.client.shapes import unexpected
from tenure.client.trying import Failure, refused

TIMEOUT: Final = 30.0
PATIENCE: Final = 60.0
CONNECT_TIMEOUT: Final = 10.0


def headers() -> dict[str, str]:
    return {"User-Agent": f"tenure/{__version__}", "Accept": "application/json, application/problem+json"}


def limits() -> httpx2.Limits:
    """Idle connections are dropped before servers and balancers usually do."""
    return httpx2.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=4.0)


def whole(timeout: float, call: Call[Any]) -> float:
    """Seconds that one try may take, whatever comes: to connect, to send, and to be answered."""
    return min(timeout, CONNECT_TIMEOUT) + timeout + call.pause


def request(address: Address, call: Call[Any], timeout: float) -> dict[str, Any]:
    """Nothing here follows a redirect: the key goes to the host that was named, and to no other."""
    headers = address.headers()
    if call.body is not None:
        headers["Content-Type"] = "application/json"
    return {
        "method": call.operation.method,
        "url": address.url + call.path,
        "params": dict(call.query) or None,
        "content": call.body,
        "headers": headers,
        "timeout": httpx2.Timeout(timeout, read=timeout + call.pause, connect=min(timeout, CONNECT_TIMEOUT)),
        "follow_redirects": False,
    }


def answered(call: Call[Any], response: httpx2.Response, content: bytes) -> tuple[int, bytes] | Failure:
    status = response.status_code
    if status in call.operation.answers:
        return status, content
    if 200 <= status < 300:
        return Failure(unexpected(f"has the status {status}, which {call.operation.name} never has"))
    return refused(status, response.headers, content)
