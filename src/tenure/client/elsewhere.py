"""The way of a worker to a service: what the entry point `http` of the group `tenure.desks` leads to."""

import logging
import threading
from collections.abc import Collection
from typing import Final

from tenure.client.address import address
from tenure.client.async_client import AsyncClient
from tenure.client.client import Client
from tenure.client.declaring import declare
from tenure.client.desk import TIMEOUT, RemoteDesk
from tenure.client.ledger import RemoteLedger
from tenure.client.line import Line
from tenure.core import fields
from tenure.core.errors import Forbidden, InvalidInput, Unauthenticated
from tenure.core.kind import Kind
from tenure.core.lease import Lease
from tenure.edge import claims
from tenure.engine.options import WorkerOptions

PATIENCE: Final = 5.0
"""Seconds for which a call of a handler, or of a start, is sent again."""


def service(url: str, key: str | None) -> "RemoteService":
    """Raises Misconfigured for what is no URL or key."""
    logging.getLogger("httpx2").setLevel(logging.WARNING)  # a line for each request is for programs, not for people
    return RemoteService(url, key)


class RemoteService:
    """See `app.elsewhere.Elsewhere`. The desk is made at its first use: a child process has none."""

    def __init__(self, url: str, key: str | None) -> None:
        self.url = address(url, key).url
        self._key = key
        self._line = Line(AsyncClient(url, key, timeout=TIMEOUT, patience=PATIENCE))
        self._desk: RemoteDesk | None = None
        self._lock = threading.Lock()

    @property
    def desk(self) -> RemoteDesk:
        with self._lock:
            if self._desk is None:
                self._desk = RemoteDesk(self.url, self._key)
            return self._desk

    def check(self, options: WorkerOptions) -> None:
        least, most = claims.LEASE_RANGE
        fields.duration("lease", options.lease, least=least, most=most)
        if len(options.queues) > claims.MOST_QUEUES:
            raise InvalidInput("queues", f"are {len(options.queues)}, more than the {claims.MOST_QUEUES} of a claim")

    def ledger(self, lease: Lease) -> RemoteLedger:
        return RemoteLedger(self._line, lease)

    def declare(self, kinds: Collection[Kind]) -> set[str]:
        with Client(self.url, self._key, timeout=TIMEOUT, patience=PATIENCE) as client:
            _check_role(client)
            return declare(client, kinds)

    def close(self) -> None:
        self._line.close()
        with self._lock:
            desk, self._desk = self._desk, None
        if desk is not None:
            desk.close()


def _check_role(client: Client) -> None:
    """Reports nothing: only a worker's key may. Raises Unauthenticated and Forbidden as who starts a worker reads
    them."""
    try:
        client.reports([])
    except Unauthenticated as error:
        hint = "Set TENURE_KEY, or --key, to a key that is neither revoked nor expired."
        raise Unauthenticated(error.message, code=error.code, hint=hint) from error
    except Forbidden as error:
        hint = "A worker needs a key made with `tenure keys create --role worker`."
        raise Forbidden(error.field, error.message, code=error.code, hint=hint) from error
