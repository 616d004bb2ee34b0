"""Handlers that end in every way there is, each as a kind of one application."""

import asyncio
from collections.abc import Callable
from typing import Any

from tenure import (
    Cancel,
    Context,
    EffectCall,
    NotDone,
    Retry,
    Snooze,
    Tenure,
    Terminal,
    Throttled,
    Uncertain,
    absent,
    happened,
    unknown,
)

Handler = Callable[[Context], Any]
QUICK: dict[str, Any] = {"backoff": (0.0, 0.0), "max_attempts": 2}
SHORT = 0.3


def raising(error: BaseException) -> Handler:
    def handler(ctx: Context) -> None:
        raise error

    return handler


def first(error: BaseException) -> Handler:
    """Its first attempt ends so, the next one well."""

    def handler(ctx: Context) -> int:
        if ctx.attempt.number == 1:
            raise error
        return ctx.attempt.number

    return handler


def one_effect(*calls: Callable[[EffectCall], Any], again: int = 1, **said: Any) -> Handler:
    """An effect whose calls do one after the other what is said; it is wanted anew `again` times before the job
    ends."""

    def handler(ctx: Context) -> Any:
        call = calls[min(ctx.attempt.number, len(calls)) - 1]
        result = ctx.effect("charge", call, **({"args": {"cents": 5}} | said))
        if ctx.attempt.number < again:
            raise Retry
        return result

    return handler


def refusing(error: BaseException) -> Callable[[EffectCall], Any]:
    def call(call: EffectCall) -> None:
        raise error

    return call


def conflicting(ctx: Context) -> None:
    ctx.effect("charge", lambda call: 1, args=1)
    ctx.effect("charge", lambda call: 1, args=2)


def resuming(ctx: Context) -> dict[str, Any]:
    ctx.checkpoint("page", {"n": ctx.attempt.number, "big": 10**30})
    if ctx.attempt.number == 1:
        ctx.checkpoint("first", [0.1, "ä"])
        raise Retry
    return ctx.checkpoints()


HANDLERS: dict[str, Handler] = {
    "succeeds": lambda ctx: {"n": 10**30, "f": 0.1},
    "fails_unforeseen": raising(LookupError("nobody")),
    "retries": first(Retry("later", "not yet")),
    "retries_at_once": first(Retry("now", retry_in=0)),
    "is_terminal": raising(Terminal("card_expired", "no")),
    "is_uncertain": raising(Uncertain(message="who knows")),
    "cancels": raising(Cancel(message="given up")),
    "snoozes": first(Snooze(0.01)),
    "is_throttled": first(Throttled(retry_after=0.01)),
    "loses_its_connection": first(ConnectionResetError("reset")),
    "returns_no_json": lambda ctx: object(),
    "returns_too_much": lambda ctx: "x" * 70_000,
    "effect_happens_once": one_effect(lambda call: {"id": 1, "n": 10**30}, again=2),
    "effect_is_unclear": one_effect(refusing(ConnectionResetError("reset")), timeout=SHORT),
    "effect_is_asked": one_effect(refusing(TimeoutError()), reconcile=lambda key: happened({"id": 7}), timeout=SHORT),
    "effect_is_absent": one_effect(
        refusing(TimeoutError()), lambda call: 2, reconcile=lambda key: absent, timeout=SHORT
    ),
    "effect_is_unknown": one_effect(refusing(TimeoutError()), reconcile=lambda key: unknown, timeout=SHORT),
    "effect_is_idempotent": one_effect(refusing(OSError("away")), lambda call: 3, idempotent=True),
    "effect_is_declined": one_effect(refusing(NotDone("declined")), lambda call: 4),
    "effect_is_refused": one_effect(refusing(LookupError("no card")), lambda call: 5, absent_on=[LookupError]),
    "effect_tells_too_much": one_effect(lambda call: "x" * 70_000, again=2),
    "effect_fails_at_length": one_effect(refusing(ValueError("x" * 200_000)), absent_on=[ValueError]),
    "effect_conflicts": conflicting,
    "resumes": resuming,
}


def application(database: str) -> Tenure:
    app = Tenure(database)
    for kind, handler in HANDLERS.items():
        app.task(kind=kind, version=3, reads={1: lambda payload: payload}, **QUICK)(handler)

    @app.task(kind="requires_an_effect", effects=["charge"], **QUICK)
    def requires_an_effect(ctx: Context) -> None:
        if ctx.attempt.number == 2:
            ctx.effect("charge", lambda call: 1)

    @app.task(kind="on_the_loop", **QUICK)
    async def on_the_loop(ctx: Context) -> Any:
        async def call(call: EffectCall) -> Any:
            await asyncio.sleep(0)
            return call.args

        found = await ctx.aeffect("charge", call, args=[ctx.job.kind])
        await ctx.acheckpoint("n", ctx.attempt.number)
        if ctx.attempt.number == 1:
            raise Retry
        return [found, await ctx.acheckpoint_value("n")]

    return app
