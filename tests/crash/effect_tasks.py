"""Handlers with an effect outside: plain, one that can be asked, one that honours its key, one that is required."""

import asyncio
from functools import partial
from typing import Any

from tenure import Context, Tenure
from tests.crash.outside import act, find

KINDS = ("plain", "asked", "idempotent", "required")
TIMEOUT = 0.6


def options(kind: str, url: str) -> dict[str, Any]:
    said = {"args": {"url": url, "idempotent": kind == "idempotent"}, "timeout": TIMEOUT}
    if kind in ("asked", "required"):
        said["reconcile"] = partial(find, url)
    return said | {"idempotent": kind == "idempotent"}


def declare(app: Tenure) -> None:
    """Declares `effect_<kind>` and its twins, whose handlers run on the loop and in child processes."""

    def in_thread(ctx: Context, sort: str, url: str) -> Any:
        return ctx.effect("charge", act, **options(sort, url))

    async def on_loop(ctx: Context, sort: str, url: str) -> Any:
        said = options(sort, url)
        if "reconcile" in said:
            said["reconcile"] = partial(asyncio.to_thread, said["reconcile"])
        return await ctx.aeffect("charge", partial(asyncio.to_thread, act), **said)

    def in_child(ctx: Context, sort: str, url: str) -> Any:
        return ctx.effect("charge", act, **options(sort, url))

    for kind in KINDS:
        required = {"effects": ["charge"] if kind == "required" else []}
        patient: dict[str, Any] = {"max_attempts": 20, "backoff": (0.05, 0.2)} | required
        app.task(kind=f"effect_{kind}", **patient)(in_thread)
        app.task(kind=f"effect_{kind}_on_loop", **patient)(on_loop)
        app.task(kind=f"effect_{kind}_in_child", isolation="process", **patient)(in_child)
