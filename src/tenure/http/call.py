"""What a handler is given, and what it answers."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from tenure.core.principal import Principal
from tenure.http.connections.delivery import Delivery

if TYPE_CHECKING:
    from tenure.http.service import Service


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """A request that has passed authentication, the role's check and the checks of shape.

    body, query: the structs that the operation names, None where it names none. path: its parameters (`id` is a UUID
    in canonical spelling). left: resolves when the client goes away before it is answered. delivery: what becomes
    of the answer.
    """

    principal: Principal
    body: Any
    query: Any
    path: Mapping[str, str]
    request_id: str
    traceparent: str | None
    left: Callable[[], Awaitable[None]]
    delivery: Delivery = msgspec.field(default_factory=Delivery)


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """body: one of the structs that the operation names for the status; None for an empty answer. is_held_back: of an
    empty one, whether a limit keeps something back, which its header says."""

    status: int = 200
    body: msgspec.Struct | None = None
    is_held_back: bool = False


Handler = Callable[["Service", Call], Awaitable[Reply]]
"""Raises TenureError for every refusal; `edge.problems` makes the answer of it."""
