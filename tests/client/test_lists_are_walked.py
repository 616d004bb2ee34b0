"""Lists that come in several pages are whole, for people and for the checkpoints of a worker."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tenure.client import AsyncClient
from tenure.client.ledger import RemoteLedger
from tenure.client.line import Line
from tenure.core.kind import Kind
from tenure.core.lease import of_job
from tenure.http import paging
from tests.client.serving import Served, serving

NAMES = [f"n{number}" for number in range(4)]


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """Each page holds one row."""
    monkeypatch.setattr(paging, "PAGE_BYTES", 1)
    with serving(f"sqlite:///{tmp_path}/tenure.db", upkeep=False) as one:
        store = one.app.opened()
        store.run(store.verbs.put_kinds([Kind(name=name) for name in NAMES], replace=True))
        yield one


def filled(served: Served) -> dict[str, Any]:
    """A job with three of everything, still running; its lease."""
    chief = served.client()
    worker = served.client("worker", "w1", tenants=["*"])
    job = chief.enqueue("n0")
    for _ in range(3):
        lease = worker.claim(types=["n0"])
        assert lease is not None
        worker.fail(job.id, lease.lease_token, error="x", retry_in=0)
    lease = worker.claim(types=["n0"])
    assert lease is not None
    for name in NAMES:
        worker.begin_effect(job.id, name, lease.lease_token, f"r-{name}")
        worker.save_checkpoint(job.id, name, lease.lease_token, name)
    for name in NAMES:
        chief.enqueue("n1", queue=name)
    return {"id": job.id, "token": lease.lease_token}


def test_both_clients_walk_every_list_to_its_end(served: Served) -> None:
    job = filled(served)["id"]
    chief = served.client(name="looker")
    assert [one.number for one in chief.attempts(job)] == [1, 2, 3]
    assert [one.name for one in chief.effects(job)] == NAMES
    assert [one.name for one in chief.checkpoints(job)] == NAMES
    assert [one.name for one in chief.kinds()] == NAMES
    assert {one.name for one in chief.queues()} == {"default", *NAMES}
    assert [one.worker_id for one in chief.workers()] == ["w1"]
    keys = chief.keys()
    assert [one.name for one in keys] == ["looker", "w1", "chief"]
    assert chief.key(keys[0].id) == keys[0]

    async def twin() -> list[list[Any]]:
        async with AsyncClient(served.url, served.key("admin", "twin")) as client:
            return [
                await client.attempts(job), await client.effects(job), await client.checkpoints(job),
                await client.kinds(), await client.queues(), await client.workers(),
            ]  # fmt: skip

    ours = [
        chief.attempts(job),
        chief.effects(job),
        chief.checkpoints(job),
        chief.kinds(),
        chief.queues(),
        chief.workers(),
    ]
    assert asyncio.run(twin()) == ours


def test_a_worker_reads_its_checkpoints_from_all_pages(served: Served) -> None:
    job = filled(served)["id"]
    row = served.app.read(job)
    assert row is not None
    line = Line(AsyncClient(served.url, served.key("worker", "w2", tenants=["*"])))
    try:
        found = RemoteLedger(line, of_job(row)).checkpoints()
        assert found.now() == {name: f'"{name}"' for name in NAMES}
    finally:
        line.close()
