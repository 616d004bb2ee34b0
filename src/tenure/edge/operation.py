"""An operation: what the table of them says of each."""

from typing import Final

import msgspec

from tenure.core.principal import Action
from tenure.edge import requests

TOKEN_REFUSALS: Final = (404, 409, 422)
"""Of what names a job and its lease token."""


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """name: of the operation everywhere. path: with `{id}` or `{name}` for its parameters."""

    name: str
    method: str
    path: str
    action: Action | None
    summary: str
    body: type[requests.Body] | None = None
    query: type[requests.Body] | None = None
    answers: dict[int, tuple[type[msgspec.Struct], ...]]
    refusals: tuple[int, ...] = ()
