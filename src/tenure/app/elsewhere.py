"""A service in the place of a database: a worker's jobs are kept elsewhere.

The way there is brought by another face: an entry point of the group `tenure.desks`, by the scheme of the service's
URL, called with the URL and the key.
"""

import os
from collections.abc import Collection
from typing import TYPE_CHECKING, Final, Protocol
from urllib.parse import urlsplit

from tenure.app.extras import lacking
from tenure.app.handling.ledger import Ledger
from tenure.core.errors import Misconfigured
from tenure.core.kind import Kind
from tenure.core.lease import Lease

if TYPE_CHECKING:
    from tenure.engine.claiming.desk import Desk
    from tenure.engine.options import WorkerOptions

GROUP: Final = "tenure.desks"
URL_OVERRIDE: Final = "TENURE_URL_OVERRIDE"
"""Set by a worker for its child processes: their jobs are kept by the service at this URL."""
KEY: Final = "TENURE_KEY"


class Elsewhere(Protocol):
    """A service that keeps the jobs. Safe to share between threads."""

    @property
    def url(self) -> str: ...

    @property
    def desk(self) -> "Desk":
        """For a worker, one at a time."""

    def check(self, options: "WorkerOptions") -> None:
        """Raises InvalidInput for what no claim there may say."""

    def ledger(self, lease: Lease) -> Ledger:
        """For the handler of one attempt."""

    def declare(self, kinds: Collection[Kind]) -> set[str]:
        """Declares those that the key may declare; the names of all that this worker can be given. Raises
        TenureError."""

    def close(self) -> None: ...


def service_at(url: str, key: str | None = None) -> Elsewhere:
    """The service at `url`, asked with `key`, else with TENURE_KEY. Nothing is sent yet.

    Raises Misconfigured, also where what it takes to get there is not installed.
    """
    from importlib.metadata import entry_points

    scheme = urlsplit(url).scheme
    found = next(iter(entry_points(group=GROUP, name=scheme)), None)
    if found is None:
        raise Misconfigured(
            f"nothing here reaches a service whose URL {f'begins with {scheme!r}' if scheme else 'has no scheme'}",
            hint="Write for instance https://jobs.example.com; should that be refused too, install tenure anew.",
        )
    try:
        way = found.load()
    except ModuleNotFoundError as error:
        raise lacking("a worker of a service elsewhere", error, "client") from error
    service: Elsewhere = way(url, key)
    return service


def of_parent() -> Elsewhere | None:
    """The service that the worker above this child process works for; None where there is none."""
    url = os.environ.get(URL_OVERRIDE)
    return service_at(url) if url else None


def for_children(url: str, key: str | None) -> dict[str, str]:
    """The environment by which a worker's child processes find the same service."""
    return {URL_OVERRIDE: url} | ({} if key is None else {KEY: key})
