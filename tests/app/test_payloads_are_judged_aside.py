"""Judging that may take long keeps no event loop from its other work, and ends."""

import asyncio
import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tenure import InvalidInput, Tenure
from tenure.app.submitting import judging
from tenure.app.submitting.judging import NOT_JUDGED, Judge
from tenure.core.kind import Kind
from tenure.core.payloads import schema

PLAIN = {"properties": {"n": {"type": "integer"}}}
WILD = {"properties": {"x": {"not": {"anyOf": [{"pattern": f"a[ab]{{300}}c{n}"} for n in range(100)]}}}}
"""Matched in linear time, and in half a minute for the longest payload that there may be."""

LONG = {"x": "".join(random.Random(1).choices("ab", k=65_000))}


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Tenure]:
    made = Tenure(f"sqlite:///{tmp_path}/tenure.db")
    made.open()
    kinds = [Kind(name=name, schema=schema.stored("schema", said)) for name, said in KINDS.items()]
    made.store.run(made.store.verbs.put_kinds(kinds, replace=True))
    yield made
    made.close()


KINDS: dict[str, Any] = {"plain": PLAIN, "wild": WILD}


def threads_of_judging(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the threads of this process in which a schema is looked at by a value."""
    found: list[str] = []
    check = schema.check

    def seen(field: str, by: str, value: Any) -> None:
        found.append(threading.current_thread().name)
        check(field, by, value)

    monkeypatch.setattr(schema, "check", seen)
    return found


def test_a_small_payload_is_judged_on_the_spot(app: Tenure, monkeypatch: pytest.MonkeyPatch) -> None:
    found = threads_of_judging(monkeypatch)
    asyncio.run(app.aenqueue("plain", {"n": 1}))
    assert found == [threading.current_thread().name]
    assert app._judge._process is None


def test_a_heavy_payload_is_judged_in_another_process(app: Tenure, monkeypatch: pytest.MonkeyPatch) -> None:
    found = threads_of_judging(monkeypatch)
    job = asyncio.run(app.aenqueue("wild", {"x": "b" * 30_000}))
    assert job.created
    assert found == []
    assert app._judge._process is not None


@pytest.mark.parametrize("heavy", [False, True])
def test_either_way_refuses_in_the_same_words(app: Tenure, monkeypatch: pytest.MonkeyPatch, *, heavy: bool) -> None:
    if heavy:
        monkeypatch.setattr(judging, "LIGHT", 0)
    for payload in ({"n": "x"}, {"n": [1]}):
        with pytest.raises(InvalidInput) as by_thread:
            app.enqueue("plain", payload)
        with pytest.raises(InvalidInput) as refused:
            asyncio.run(app.aenqueue("plain", payload))
        for said in ("field", "message", "code", "hint"):
            assert getattr(refused.value, said) == getattr(by_thread.value, said)


def test_a_payload_that_takes_too_long_is_refused_and_the_next_is_judged(app: Tenure) -> None:
    app._judge = Judge(seconds=0.05)
    with pytest.raises(InvalidInput) as refused:
        asyncio.run(app.aenqueue("wild", LONG))
    assert (refused.value.code, refused.value.field) == (NOT_JUDGED, "payload")
    assert app._judge._process is None
    app._judge._seconds = judging.SECONDS
    assert asyncio.run(app.aenqueue("wild", {"x": "b" * 30_000})).created


def test_other_work_of_the_loop_goes_on_meanwhile(app: Tenure) -> None:
    """The loop turns until the verdict is there, which it could not while the library judges in its thread."""
    app._judge = Judge(seconds=0.5)
    turns = 0

    async def both() -> None:
        nonlocal turns
        judged = asyncio.ensure_future(app.aenqueue("wild", LONG))
        while not judged.done():
            turns += 1
            await asyncio.sleep(0)
        with pytest.raises(InvalidInput):
            await judged

    asyncio.run(both())
    assert turns > 100


def test_the_process_of_a_closed_application_is_gone_and_the_next_use_starts_another(app: Tenure) -> None:
    asyncio.run(app.aenqueue("wild", {"x": "b" * 30_000}))
    first = app._judge._process
    assert first is not None
    app.close()
    assert first._popen.wait(20) != 0
    assert asyncio.run(app.aenqueue("wild", {"x": "b" * 30_000})).created
    assert app._judge._process is not first


def test_a_schema_is_weighed_once(app: Tenure, monkeypatch: pytest.MonkeyPatch) -> None:
    weighed: list[str] = []
    weight = schema.weight

    def seen(by: str) -> Any:
        weighed.append(threading.current_thread().name)
        return weight(by)

    monkeypatch.setattr(schema, "weight", seen)
    for _ in range(3):
        asyncio.run(app.aenqueue("plain", {"n": 1}))
    assert len(weighed) == 1
    assert weighed[0].startswith("tenure-judge")
