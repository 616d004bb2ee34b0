"""An outside whose calls are counted, and what the ledger and a worker say of them."""

import asyncio
from typing import Any

from tenure import (
    EffectCall,
    Tenure,
    absent,
    happened,
)
from tenure.core.ledger.effect import Effect
from tenure.testing.draining import Ran


class Shop:
    """A service outside that counts. `then`: what happens after it has acted; `before`: instead of acting."""

    def __init__(self) -> None:
        self.acts: list[str] = []
        self.calls: list[EffectCall] = []
        self.before: BaseException | None = None
        self.then: BaseException | None = None

    def charge(self, call: EffectCall) -> dict[str, Any]:
        self.calls.append(call)
        if self.before is not None:
            raise self.before
        self.acts.append(call.key)
        if self.then is not None:
            raise self.then
        return {"id": len(self.acts)}

    async def acharge(self, call: EffectCall) -> dict[str, Any]:
        await asyncio.sleep(0)
        return self.charge(call)

    def find(self, key: str) -> Any:
        return happened({"id": 1}) if key in self.acts else absent


def ledger(app: Tenure, job_id: str) -> list[Effect]:
    store = app.opened()
    return store.run(store.verbs.effects([job_id]))[job_id]


def told(ran: list[Ran]) -> list[tuple[str | None, str | None]]:
    return [(each.outcome, each.code) for each in ran]
