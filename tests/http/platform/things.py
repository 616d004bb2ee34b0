"""A small table of operations for the tests of the platform, and handlers that a test can replace."""

import asyncio
from collections.abc import Callable
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from tenure.core.principal import Action
from tenure.edge import requests
from tenure.edge.health import Alive
from tenure.edge.operation import Operation
from tenure.edge.scalars import Instant, Name
from tenure.http.call import Call, Handler, Reply
from tenure.http.service import Service


class Make(requests.Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: Name
    payload: dict[str, Any] = {}
    sizes: list[int] = []
    at: Instant | None = None
    wait: Annotated[float, Meta(ge=0, le=30)] = 0.0


class Which(requests.Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    tag: Name | None = None
    cursor: Annotated[int, Meta(ge=1)] | None = None
    limit: Annotated[int, Meta(ge=1, le=5)] = 3


class Thing(msgspec.Struct, frozen=True, kw_only=True):
    """said: what the handler was given."""

    said: Any


TABLE = (
    Operation(
        name="make", method="POST", path="/things", action=Action.ENQUEUE, summary="Make one.", body=Make,
        answers={201: (Thing,)}, refusals=(409,),
    ),
    Operation(
        name="heartbeats", method="POST", path="/things/batch", action=Action.ENQUEUE, summary="Make many.", body=Make,
        answers={201: (Thing,)},
    ),
    Operation(
        name="list", method="GET", path="/things", action=Action.LIST, summary="List.", query=Which,
        answers={200: (Thing,)},
    ),
    Operation(
        name="show", method="GET", path="/things/{id}", action=Action.LIST, summary="Show.", answers={200: (Thing,)},
        refusals=(404,),
    ),
    Operation(
        name="end", method="POST", path="/things/{id}/end", action=Action.CANCEL, summary="End.", body=requests.Why,
        answers={200: (Thing,)},
    ),
    Operation(
        name="named", method="GET", path="/names/{name}", action=Action.LIST, summary="By name.",
        answers={200: (Thing,)},
    ),
    Operation(
        name="audit", method="GET", path="/audit", action=Action.READ_AUDIT, summary="Audit.", answers={200: (Thing,)}
    ),
    Operation(name="alive", method="GET", path="/alive", action=None, summary="Alive.", answers={200: (Alive,)}),
)  # fmt: skip


async def echo(service: Service, call: Call) -> Reply:
    """Says what it was given."""
    given = {
        "principal": call.principal.name,
        "body": None if call.body is None else msgspec.structs.asdict(call.body),
        "query": None if call.query is None else msgspec.structs.asdict(call.query),
        "path": dict(call.path),
        "traceparent": call.traceparent,
    }
    return Reply(status=200, body=Thing(said=given))


def saying(said: Any) -> Handler:
    """A handler that answers with it."""

    async def answer(service: Service, call: Call) -> Reply:
        return Reply(body=Thing(said=said))

    return answer


class Stay:
    """A handler that tells that it was entered, and answers 204 once it may leave."""

    def __init__(self) -> None:
        self.entered, self.leave = asyncio.Event(), asyncio.Event()

    async def __call__(self, service: Service, call: Call) -> Reply:
        self.entered.set()
        await self.leave.wait()
        return Reply(status=204)


def handlers(**replaced: Callable[..., Any]) -> dict[str, Handler]:
    """`echo` for every operation but those that are replaced."""
    return {one.name: replaced.get(one.name, echo) for one in TABLE}
