"""What a command line says of an operation's parameters and members, as values."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import inspect as shapes

from tenure.app.submitting.ids import new_id
from tenure.client.call import wire_names
from tenure.core.errors import InvalidInput
from tenure.core.payloads import documents
from tenure.edge.operation import Operation

MOST_BYTES: Final = 1 << 26
_TEXT: Final = (shapes.StrType, shapes.DateTimeType, shapes.LiteralType, shapes.EnumType)
_LISTS: Final = (shapes.ListType, shapes.VarTupleType)
_MADE_HERE: Final = {"enqueue": "id", "claim": "claim_id", "start_redrive": "id", "run_schedule": "id"}


def types_of(operation: Operation) -> dict[str, shapes.Type]:
    """The members of the body and query by their names on the wire, each with its type."""
    found: dict[str, shapes.Type] = {}
    for shape in (operation.query, operation.body):
        if shape is not None:
            info = shapes.type_info(shape)
            assert isinstance(info, shapes.StructType)
            found |= {field.encode_name: field.type for field in info.fields}
    return found


def is_list(of: shapes.Type) -> bool:
    return any(isinstance(one, _LISTS) for one in _alternatives(of))


def value(name: str, of: shapes.Type, texts: Sequence[str]) -> Any:
    """What `texts` say of the member `name`: text as it stands, lists item by item or as JSON, anything else as JSON.

    Raises InvalidInput.
    """
    if is_list(of) and not (len(texts) == 1 and texts[0].lstrip().startswith("[")):
        item = next(one.item_type for one in _alternatives(of) if isinstance(one, _LISTS))
        return [value(f"{name}[{place}]", item, [text]) for place, text in enumerate(texts)]
    if len(texts) > 1:
        raise InvalidInput(name, "is said more than once")
    kinds = _alternatives(of)
    if kinds and all(isinstance(kind, _TEXT) for kind in kinds):
        return texts[0]
    try:
        return documents.parse(name, texts[0], MOST_BYTES)
    except InvalidInput:
        if any(isinstance(kind, _TEXT) for kind in kinds):
            return texts[0]
        raise


def by_names_in_python(operation: Operation, said: Mapping[str, Any]) -> dict[str, Any]:
    """The same members by the names that `call.made` takes."""
    names = wire_names(operation.query) | wire_names(operation.body)
    in_python = {on_wire: name for name, on_wire in names.items()}
    return {in_python.get(name, name): said[name] for name in said}


def with_identity(operation: Operation, said: Mapping[str, Any]) -> dict[str, Any]:
    """Where nothing names the act yet, an id made here does: then it may be sent again when its answer is lost."""
    found = dict(said)
    own = _MADE_HERE.get(operation.name)
    if own is not None and found.get(own) is None:
        found[own] = new_id()
    if operation.name == "enqueue_many" and isinstance(found.get("jobs"), list):
        found["jobs"] = [{"id": new_id(), **job} if isinstance(job, dict) else job for job in found["jobs"]]
    if operation.name == "reports" and isinstance(found.get("claim"), dict):
        found["claim"] = {"claim_id": new_id(), **found["claim"]}
    return found


def _alternatives(of: shapes.Type) -> list[shapes.Type]:
    """The types that a member may have, but for null and left out."""
    if isinstance(of, shapes.Metadata):
        return _alternatives(of.type)
    if isinstance(of, shapes.UnionType):
        return [one for part in of.types for one in _alternatives(part)]
    return [] if isinstance(of, (shapes.NoneType, shapes.AnyType)) else [of]


def word_for(of: shapes.Type) -> str:
    """What help says of a member's values."""
    kinds = _alternatives(of)
    said = [str(value) for kind in kinds if isinstance(kind, shapes.LiteralType) for value in kind.values]
    said += [one.value for kind in kinds if isinstance(kind, shapes.EnumType) for one in kind.cls]
    if said:
        return "|".join(said)
    if kinds and all(isinstance(kind, _TEXT) for kind in kinds):
        return "TEXT"
    if any(isinstance(kind, _LISTS) for kind in kinds):
        return "ITEM..."
    return "NUMBER" if kinds and all(isinstance(kind, (shapes.IntType, shapes.FloatType)) for kind in kinds) else "JSON"
