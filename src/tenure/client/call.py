"""One call of an operation, made from the table (`edge.operations`) and apart from how it is sent."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, Generic, TypeVar
from urllib.parse import quote

import msgspec
from msgspec import UNSET, Raw

from tenure.app import values
from tenure.core import defaults, fields
from tenure.core.errors import InvalidInput
from tenure.core.payloads import documents
from tenure.edge.operation import Operation
from tenure.edge.operations import BY_NAME

T = TypeVar("T")

_PARAMETER: Final = re.compile(r"\{(\w+)\}")
_NULL_SAYS_SOMETHING: Final = frozenset({"result", "progress", "value"})
_MOST: Final = {
    "payload": defaults.PAYLOAD_BYTES,
    "result": defaults.PAYLOAD_BYTES,
    "args": defaults.PAYLOAD_BYTES,
    "value": defaults.PAYLOAD_BYTES,
}
_MOST_OTHERWISE: Final = 1 << 26

NEVER_TWICE: Final = frozenset({"redrive", "resume_redrive", "resume_schedule", "delete_schedule", "create_key"})
"""Operations whose repeat is another act. Every other one names an id, a key, a claim or a token, or only reads."""


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """read: what a status of `operation.answers` and its body mean. pause: seconds for which the service may wait on
    purpose before it answers."""

    operation: Operation
    path: str
    query: Mapping[str, str]
    body: bytes | None
    read: Callable[[int, bytes], T]
    pause: float = 0.0

    @property
    def is_repeatable(self) -> bool:
        return self.operation.name not in NEVER_TWICE


def made(name: str, said: Mapping[str, Any], read: Callable[[int, bytes], T], pause: float = 0.0) -> Call[T]:
    """The call of the operation `name`. said: its parameters and members by their names in Python; None says nothing.

    Raises InvalidInput for a name that the operation does not have, and for what no JSON can carry.
    """
    operation = BY_NAME[name]
    left = {member: value for member, value in said.items() if _says(member, value)}
    path = _PARAMETER.sub(lambda found: _segment(found[1], left.pop(found[1], None)), operation.path)
    query = {member: _word(member, left.pop(member)) for member in wire_names(operation.query) if member in left}
    body = None if operation.body is None else body_of(left, operation.body).encode()
    if operation.body is None and left:
        raise _unknown(next(iter(left)))
    return Call(operation, path, query, body, read, pause)


def body_of(said: Mapping[str, Any], shape: type[msgspec.Struct]) -> str:
    """The JSON object of the members of `shape` that are said. Raises InvalidInput."""
    names = wire_names(shape)
    for name in said:
        if name not in names:
            raise _unknown(name)
    members = (f'"{names[name]}":{_text(name, value)}' for name, value in said.items() if _says(name, value))
    return f"{{{','.join(members)}}}"


def raw_list(items: list[str]) -> Raw:
    """A JSON array of JSON texts."""
    return Raw(f"[{','.join(items)}]".encode())


def wire_names(shape: type[msgspec.Struct] | None) -> dict[str, str]:
    """The members of a body or query: the name in Python and the name on the wire."""
    found = {} if shape is None else {f.name: f.encode_name for f in msgspec.structs.fields(shape)}
    tag = None if shape is None else shape.__struct_config__.tag_field
    return found | ({tag: tag} if tag else {})


def _says(name: str, value: Any) -> bool:
    return value is not UNSET and (value is not None or name in _NULL_SAYS_SOMETHING)


def _text(name: str, value: Any) -> str:
    if isinstance(value, Raw):
        return bytes(value).decode()
    return documents.dump(name, _plain(name, value), _MOST.get(name, _MOST_OTHERWISE))


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, timedelta):
        return value.total_seconds()
    plain = values.plain(name, value)
    values.check_zones(name, value, plain)
    return plain


def _word(name: str, value: Any) -> str:
    plain = _plain(name, value)
    return plain if isinstance(plain, str) else documents.dump(name, plain)


def _segment(name: str, value: Any) -> str:
    """One step of a path. An id is a UUID; a name is anything that stays one step."""
    said = fields.job_id(name, value) if name == "id" else fields.name(name, value)
    if said in (".", ".."):
        raise InvalidInput(name, "cannot stand in a path")
    return quote(said, safe="")


def _unknown(name: str) -> InvalidInput:
    return InvalidInput(name, "is not a member of this operation", code="unknown_member")
