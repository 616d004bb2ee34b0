"""An answer as it arrives: all of it within a time, and within a size."""

import time
from typing import Final

import httpx2

MOST_BYTES: Final = 256 * 1024 * 1024


class Arriving:
    """A timeout of a socket starts anew with each byte; this one does not. seconds: for the whole answer."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self._chunks: list[bytes] = []
        self._size = 0

    def take(self, chunk: bytes) -> None:
        """Raises httpx2.ReadTimeout past the time, httpx2.DecodingError past the size."""
        self._chunks.append(chunk)
        self._size += len(chunk)
        if self._size > MOST_BYTES:
            raise httpx2.DecodingError("the answer is too large")
        if time.monotonic() > self._end:
            raise too_long()

    def content(self) -> bytes:
        return b"".join(self._chunks)


def too_long() -> httpx2.ReadTimeout:
    return httpx2.ReadTimeout("the answer takes too long to arrive")
