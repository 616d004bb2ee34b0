"""The log of the HTTP library tells nothing of a request that `ctx.request` sends: its URL and headers may hold
secrets, and at its usual levels the library writes them down. Requests that others send by the same library stay in its
log."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_LOGGERS: Final = ("httpx2", *(f"httpcore2.{part}" for part in ("connection", "http11", "http2", "proxy", "socks")))
"""By name each: the filter of a logger does not hear what those below it say."""

_sending: Final[ContextVar[bool]] = ContextVar("_sending", default=False)


@contextmanager
def silence() -> Iterator[None]:
    """What is sent in this block, by this thread or task, is not logged."""
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_is_told)
    token = _sending.set(True)
    try:
        yield
    finally:
        _sending.reset(token)


def _is_told(_record: logging.LogRecord) -> bool:
    return not _sending.get()
