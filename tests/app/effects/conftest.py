"""A shop, and a task that charges in it: as a plain function and as a coroutine."""

from collections.abc import Callable
from typing import Any

import pytest

from tenure import (
    Context,
    Tenure,
)
from tests.app.effects.shop import Shop


@pytest.fixture
def shop() -> Shop:
    return Shop()


@pytest.fixture(params=["sync", "async"])
def declare(request: pytest.FixtureRequest, app: Tenure, shop: Shop) -> Callable[..., str]:
    """Declares and enqueues a job that has one effect, then succeeds with its result; `said` are the effect's
    options."""

    def declared(task: dict[str, Any] | None = None, then: Callable[[Context], None] | None = None, **said: Any) -> str:
        if request.param == "sync":

            @app.task(kind="pay", **(task or {}))
            def pay(ctx: Context) -> Any:
                result = ctx.effect("charge", shop.charge, args={"cents": 5}, **said)
                if then is not None:
                    then(ctx)
                return result
        else:

            @app.task(kind="pay", **(task or {}))
            async def apay(ctx: Context) -> Any:
                result = await ctx.aeffect("charge", shop.acharge, args={"cents": 5}, **said)
                if then is not None:
                    then(ctx)
                return result

        return app.enqueue("pay", {}).id

    return declared
