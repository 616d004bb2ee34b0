"""/openapi.json: OpenAPI 3.1, drawn from the table of operations."""

from collections.abc import Iterable, Iterator, Sequence
from http import HTTPStatus
from typing import Any, Final

import msgspec

from tenure import __version__
from tenure.edge.descriptions.members import said_of
from tenure.edge.descriptions.operations import OF_ANSWERS, OF_OPERATIONS
from tenure.edge.operation import Operation
from tenure.edge.problem import Problem
from tenure.edge.scalars import CLEANED, Name
from tenure.http import refusals

_JSON: Final = "application/json"
_REF: Final = "#/components/schemas/{name}"
_PATTERNS: Final = {None: r"^[^\u0000]*$", "date-time": r"^(19[7-9]|[2-9]\d\d)\d-"}
"""Of texts, by their format."""
_ON_ALL: Final = (400, 422, 431, 500, 503)
_WITH_CREDENTIAL: Final = (401, 403, 429)
_WITH_BODY: Final = (408, 413, 415)
_COME_AGAIN: Final = (429, 503)
_REQUEST_ID: Final = "X-Request-Id"
_RETRY_AFTER: Final = "Retry-After"
_HEADERS: Final = {
    _REQUEST_ID: {"description": "By which the log names this request.", "schema": {"type": "string"}},
    _RETRY_AFTER: {
        "description": "Seconds after which to ask again.",
        "schema": {"type": "integer", "minimum": 1},
    },
}
_WORDS: Final = (
    "Every refusal is a problem (RFC 9457) with a stable `code`, and a `field` where one argument is meant. "
    "Members that are not listed are refused."
)


def document(table: Sequence[Operation], root: str, media: dict[str, str] | None = None) -> dict[str, Any]:
    """The description of the operations. root: the path under which they are mounted. media: of operations that do
    not answer JSON, by name."""
    schemas, components = _schemas(table)
    paths: dict[str, dict[str, Any]] = {}
    for operation in table:
        drawn = _Drawn(operation, schemas, components, (media or {}).get(operation.name))
        paths.setdefault(operation.path, {})[operation.method.lower()] = drawn.whole()
    return {
        "openapi": "3.1.0",
        "info": {"title": "Tenure", "version": __version__, "description": _WORDS},
        "servers": [{"url": root or "/"}],
        "paths": paths,
        "components": {
            "schemas": components,
            "headers": _HEADERS,
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer", "description": "An API key, or a JWT."}},
        },
    }


def refusals_of(operation: Operation) -> list[int]:
    """Every status with which an operation can refuse."""
    found = {*_ON_ALL, *operation.refusals}
    if operation.action is not None:
        found.update(_WITH_CREDENTIAL)
    if operation.body is not None:
        found.update(_WITH_BODY)
    if "{id}" in operation.path:
        found.add(404)
    return sorted(found)


class _Drawn:
    """One operation. media: where it does not answer JSON."""

    def __init__(
        self, operation: Operation, schemas: dict[type, Any], components: dict[str, Any], media: str | None
    ) -> None:
        self._operation, self._schemas, self._components, self._media = operation, schemas, components, media

    def whole(self) -> dict[str, Any]:
        operation = self._operation
        drawn: dict[str, Any] = {
            "operationId": operation.name,
            "summary": operation.summary,
            "description": OF_OPERATIONS.get(operation.name, operation.summary),
            "tags": [operation.path.split("/")[1]],
            "security": [] if operation.action is None else [{"bearer": []}],
            "responses": self._responses(),
        }
        parameters = [*self._path_parameters(), *self._query_parameters()]
        if parameters:
            drawn["parameters"] = parameters
        if operation.body is not None:
            schema = self._schemas[operation.body]
            is_needed = bool(self._components[operation.body.__name__].get("required"))
            drawn["requestBody"] = {"required": is_needed, "content": {_JSON: {"schema": schema}}}
        return drawn

    def _responses(self) -> dict[str, Any]:
        responses: dict[str, Any] = {}
        for status, bodies in self._operation.answers.items():
            responses[str(status)] = _response(status) | self._content(bodies)
            words = OF_ANSWERS.get((self._operation.name, status))
            responses[str(status)] |= {} if words is None else {"description": words}
        for status in refusals_of(self._operation):
            said = responses.setdefault(str(status), _response(status))
            said.setdefault("content", {})[refusals.MEDIA] = {"schema": self._schemas[Problem]}
        return dict(sorted(responses.items()))

    def _content(self, bodies: Iterable[type]) -> dict[str, Any]:
        if self._media is not None:
            return {"content": {self._media.partition(";")[0]: {"schema": {"type": "string"}}}}
        found = [self._schemas[body] for body in bodies]
        if not found:
            return {}
        return {"content": {_JSON: {"schema": found[0] if len(found) == 1 else {"anyOf": found}}}}

    def _path_parameters(self) -> Iterator[dict[str, Any]]:
        for part in self._operation.path.split("/"):
            if part.startswith("{"):
                name = part[1:-1]
                schema = {"type": "string", "format": "uuid"} if name == "id" else msgspec.json.schema(Name)
                yield {"name": name, "in": "path", "required": True, **_told("", name), "schema": schema}

    def _query_parameters(self) -> Iterator[dict[str, Any]]:
        if self._operation.query is None:
            return
        drawn = self._components[self._operation.query.__name__]
        for name, schema in drawn["properties"].items():
            is_needed = name in drawn.get("required", ())
            said = {key: value for key, value in schema.items() if key not in ("description", "examples")}
            words = {"description": schema["description"]} if "description" in schema else {}
            yield {"name": name, "in": "query", "required": is_needed, **words, "schema": _said(said)}


def _response(status: int) -> dict[str, Any]:
    named = [_REQUEST_ID, _RETRY_AFTER] if status in _COME_AGAIN else [_REQUEST_ID]
    headers = {name: {"$ref": f"#/components/headers/{name}"} for name in named}
    return {"description": HTTPStatus(status).phrase, "headers": headers}


def _said(schema: dict[str, Any]) -> dict[str, Any]:
    """A query's parameter is left out, it cannot be null."""
    choices = [choice for choice in schema.get("anyOf", ()) if choice != {"type": "null"}]
    return choices[0] if len(choices) == 1 else schema


def _schemas(table: Sequence[Operation]) -> tuple[dict[type, Any], dict[str, Any]]:
    found: set[type] = {Problem}
    for operation in table:
        found.update(part for part in (operation.body, operation.query) if part is not None)
        found.update(body for bodies in operation.answers.values() for body in bodies)
    ordered = sorted(found, key=lambda one: one.__name__)
    drawn, components = msgspec.json.schema_components(ordered, ref_template=_REF)
    for name, component in components.items():
        _storable(component)
        for member, schema in component.get("properties", {}).items():
            schema.update({key: value for key, value in _told(name, member, "examples").items() if key not in schema})
    return dict(zip(ordered, drawn, strict=True)), components


def _told(struct: str, member: str, example: str = "example") -> dict[str, Any]:
    """What a member of a struct means, and what it can be."""
    said = said_of(struct, member)
    if said is None:
        return {}
    shown = {} if said.example is None else {example: [said.example] if example == "examples" else said.example}
    return {"description": said.words, **shown}


def _storable(part: Any) -> None:
    """What msgspec does not know: no text holds NUL but those that are cleaned, no instant lies before 1970; both are
    refused everywhere."""
    if isinstance(part, dict):
        if part.get("type") == "string" and not part.pop(CLEANED, False):
            pattern = _PATTERNS.get(part.get("format"))
            part.update({"pattern": pattern} if pattern and "pattern" not in part else {})
        for value in part.values():
            _storable(value)
    elif isinstance(part, list):
        for value in part:
            _storable(value)
