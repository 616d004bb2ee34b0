"""Real worker processes whose jobs are kept by a real service, which a test may send away and call back.

site.start("--lease", "1")    a worker of `tests.crash.application`, for the service alone: it knows no database
site.enqueue("ledger", n=1)   a job, past the service
site.away()                   the service is gone; site.back() is the same again, at the same address
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.client.serving import Served, serving
from tests.crash.harness import SOURCE, Site, WorkerProcess

__all__ = ["SOURCE", "RemoteSite", "remote_site"]


class RemoteSite(Site):
    """service: its address. key: of a worker that may declare every kind of the application."""

    def __init__(self, folder: Path, url: str) -> None:
        super().__init__(folder, url)
        self._stack = ExitStack()
        self.served = self._serve(0)
        self.service = self.served.url
        self.key = self.served.key("worker", "w1", kinds=self._kinds())

    @property
    def environment(self) -> dict[str, str]:
        own = {"TENURE_URL": self.service, "TENURE_KEY": self.key}
        return {name: value for name, value in super().environment.items() if name != "TENURE_DATABASE_URL"} | own

    def start(self, *options: str, **said: Any) -> WorkerProcess:
        return super().start("--url", self.service, *options, **said)

    def away(self) -> None:
        self._stack.close()

    def back(self) -> None:
        self.served = self._serve(urlsplit(self.service).port or 0)

    def close(self) -> None:
        super().close()
        self._stack.close()

    def _serve(self, port: int) -> Served:
        return self._stack.enter_context(serving(self.url, port, sweep=0.2))

    def _kinds(self) -> list[str]:
        from tests.crash.application import app

        return sorted(app.tasks)


@contextmanager
def remote_site(folder: Path, url: str) -> Iterator[RemoteSite]:
    made = RemoteSite(folder, url)
    try:
        yield made
    finally:
        made.close()
