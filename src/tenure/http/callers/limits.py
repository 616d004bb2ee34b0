"""How often an address may fail to authenticate: a bucket of tokens each, for a bounded number of addresses."""

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from tenure.core.errors import TooMany

ADDRESSES: Final = 10_000


class Failures:
    """burst: failures that an address has free. per_minute: how many it gets back. clock: monotonic seconds.

    Addresses of IPv6 count by their network of 64 bits, which one client has whole. The address that has been quiet
    for longest is forgotten when there are too many.
    """

    def __init__(self, burst: int, per_minute: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._burst = float(burst)
        self._per_second = per_minute / 60
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def check(self, address: str) -> None:
        """Raises TooMany where the address has none left."""
        left = self._left(_client(address))
        if left < 1.0:
            words = "too many failed authentications from this address"
            raise TooMany(words, (1.0 - left) / self._per_second, code="too_many_failures")

    def spend(self, address: str) -> None:
        """One more failure."""
        client = _client(address)
        self._buckets[client] = (max(0.0, self._left(client) - 1.0), self._clock())
        self._buckets.move_to_end(client)
        if len(self._buckets) > ADDRESSES:
            self._buckets.popitem(last=False)

    def _left(self, client: str) -> float:
        left, at = self._buckets.get(client, (self._burst, 0.0))
        return min(self._burst, left + (self._clock() - at) * self._per_second)


def _client(address: str) -> str:
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if parsed.version == 6 and parsed.ipv4_mapped is None:
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)
