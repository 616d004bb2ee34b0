"""A worker in this process whose jobs are kept by a service, beside one on the database itself."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tenure import Tenure
from tenure.client import elsewhere
from tenure.engine.worker import Worker


@contextmanager
def working(app: Tenure, url: str | None = None, key: str | None = None, **options: Any) -> Iterator[Worker]:
    """url, key: of the service; without them the worker is on the app's database. Drains at the end."""
    if url is not None:
        app.keep_elsewhere(elsewhere.service(url, key))
    worker = app.worker(**({"poll": 0.05, "sweep": 0.2, "shutdown_grace": 5.0} | options))
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(worker.run()))
    thread.start()
    try:
        yield worker
    finally:
        worker.stop()
        thread.join(30)
        app.close()
    assert codes == [0]
