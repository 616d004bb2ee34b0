"""Which statements a request runs."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tenure.stores.protocol import Store
from tenure.stores.script import Script


@contextmanager
def recorded(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The texts of all statements that scripts send to the store while the block runs."""
    texts: list[str] = []
    run = store.arun

    async def arun(script: Script[Any], *said: Any, **named: Any) -> Any:
        return await run(_watched(script, texts), *said, **named)

    with monkeypatch.context() as patch:
        patch.setattr(store, "arun", arun)
        yield texts


def _watched(script: Script[Any], texts: list[str]) -> Script[Any]:
    try:
        statement = next(script)
        while True:
            texts.append(statement.text)
            try:
                rows = yield statement
            except BaseException as error:
                statement = script.throw(error)
            else:
                statement = script.send(rows)
    except StopIteration as stop:
        return stop.value
