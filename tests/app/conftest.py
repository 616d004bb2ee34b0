"""An application without a database of its own: on the memory store, or on each of the stores."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest

from tenure import Context, Tenure
from tenure.stores.protocol import Store
from tenure.testing import FakeClock, memory_app


def declared() -> Tenure:
    app = Tenure("sqlite:///never-opened.db")

    @app.task(kind="letter", version=3, queue="post", max_attempts=6, timeout=60, priority="medium")
    async def letter(ctx: Context, to: str, pages: int = 1, sent_at: datetime | None = None) -> dict[str, Any]:
        return {"to": to, "pages": pages}

    @app.task(kind="sum")
    def add(numbers: list[int]) -> int:
        return sum(numbers)

    return app


@pytest.fixture
def app() -> Iterator[Tenure]:
    """Two tasks, `letter` and `sum`, on the memory store."""
    app = declared()
    with memory_app(app):
        yield app


@pytest.fixture
def stored(store: Store) -> Iterator[Tenure]:
    """The same on each of the stores."""
    app = declared()
    app.use(store)
    yield app
    app.close()


@pytest.fixture
def time(app: Tenure) -> FakeClock:
    from tenure.testing.memory import clock_of

    clock = clock_of(app.store)
    assert clock is not None
    return clock
