"""/docs: one static page that tells of every operation. It needs no script, and allows none."""

import base64
import hashlib
import json
from collections.abc import Iterator
from html import escape
from http import HTTPStatus
from typing import Any, Final

from tenure.http import refusals

_JSON: Final = "application/json"
_OWN_REFUSALS: Final = ("404", "409")
"""Those that an operation tells of by itself; the others are common."""

MEDIA: Final = "text/html; charset=utf-8"

_STYLE: Final = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #1b1b1f; }
h2 { border-top: 1px solid #d5d5dd; padding-top: 1.2rem; font-size: 1.15rem; }
code, .path { font-family: ui-monospace, monospace; font-size: .92em; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; }
td, th { text-align: left; vertical-align: top; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid #ececf1; }
@media (prefers-color-scheme: dark) { body { background: #17171b; color: #e6e6ea; } a { color: #9db7ff; } }
"""

_DIGEST: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()

HEADERS: Final = (
    (
        "Content-Security-Policy",
        (
            f"default-src 'none'; style-src 'sha256-{_DIGEST}'; base-uri 'none'; form-action 'none'; "
            "frame-ancestors 'none'"
        ),
    ),
    ("X-Frame-Options", "DENY"),
)

_LIMITS: Final = {
    "minimum": "from {}",
    "maximum": "to {}",
    "exclusiveMinimum": "above {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {}",
    "maxItems": "at most {}",
    "format": "{}",
}


def page(document: dict[str, Any]) -> bytes:
    """The page of an OpenAPI document."""
    schemas = document["components"]["schemas"]
    operations = [
        (method.upper(), path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8><title>Tenure: the HTTP interface</title>",
        f'<meta name=viewport content="width=device-width"><style>{_STYLE}</style>',
        f"<h1>Tenure {escape(document['info']['version'])}</h1><p>{escape(document['info']['description'])}</p>",
        "<p>Send <code>Authorization: Bearer KEY</code>. The same as OpenAPI: <code>openapi.json</code>.</p>",
        *_common_refusals([operation for _method, _path, operation in operations]),
    ]
    for method, path, operation in operations:
        parts += _operation(method, path, operation, schemas)
    parts += _shapes(schemas)
    return "".join([*parts, "</html>"]).encode()


def _common_refusals(operations: list[dict[str, Any]]) -> Iterator[str]:
    """Once, what is the same everywhere."""
    found = {
        status: response["description"]
        for operation in operations
        for status, response in operation["responses"].items()
        if _is_refusal(response) and status not in _OWN_REFUSALS
    }
    if found:
        told = ", ".join(f"{status} {words}" for status, words in sorted(found.items()))
        shape = '<a href="#shape-Problem"><code>Problem</code></a>'
        yield f"<p>Any operation may refuse with one of these, as {shape}: {escape(told)}.</p>"


def _operation(method: str, path: str, operation: dict[str, Any], schemas: dict[str, Any]) -> Iterator[str]:
    yield f'<h2 id="{escape(operation["operationId"])}"><span class=path>{method} {escape(path)}</span></h2>'
    yield f"<p>{escape(operation['summary'])}</p>"
    if operation.get("description", operation["summary"]) != operation["summary"]:
        yield f"<p>{escape(operation['description'])}</p>"
    if not operation["security"]:
        yield "<p>Open to everyone.</p>"
    parameters = [
        (p["name"], {**p["schema"], "description": p.get("description", "")}, p["required"])
        for p in operation.get("parameters", ())
    ]
    yield from _table(("parameter", "what it takes"), parameters, schemas)
    if "requestBody" in operation:
        name = _name_of(operation["requestBody"]["content"][_JSON]["schema"])
        yield from _members(schemas[name], schemas, ("member", "what it takes"))
    for status, response in operation["responses"].items():
        if not _is_refusal(response) or _JSON in response.get("content", ()):
            yield from _answer(status, response, schemas)
    own = [f"{status} {operation['responses'][status]['description']}" for status in _OWN_REFUSALS
           if status in operation["responses"]]  # fmt: skip
    if own:
        yield f"<p>Refuses with {escape(', '.join(own))} besides.</p>"


def _answer(status: str, response: dict[str, Any], schemas: dict[str, Any]) -> Iterator[str]:
    """The members of each body that the status can have."""
    schema = response.get("content", {}).get(_JSON, {}).get("schema", {})
    names = [_name_of(choice) for choice in schema.get("anyOf", [schema]) if "$ref" in choice]
    if not names or response["description"] != HTTPStatus(int(status)).phrase:
        yield f"<p>Answers {escape(status)} {escape(response['description'].removesuffix('.'))}.</p>"
    for name in names:
        yield f"<details open><summary>Answers {escape(status)}: <code>{escape(name)}</code></summary>"
        yield from _members(schemas[name], schemas, ("member", "what it is"))
        yield "</details>"


def _shapes(schemas: dict[str, Any]) -> Iterator[str]:
    """A section for every struct that lies in another, or that refusals have."""
    named = {"Problem"} | {name for schema in schemas.values() for name in _named_in(schema)}
    shapes = [name for name in sorted(named & set(schemas)) if "properties" in schemas[name]]
    for name in shapes:
        yield f'<h2 id="shape-{escape(name)}"><span class=path>{escape(name)}</span></h2>'
        yield from _members(schemas[name], schemas, ("member", "what it is"))


def _named_in(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield _name_of(part)
        for value in part.values():
            yield from _named_in(value)
    elif isinstance(part, list):
        for value in part:
            yield from _named_in(value)


def _members(shape: dict[str, Any], schemas: dict[str, Any], heads: tuple[str, str]) -> Iterator[str]:
    needed = shape.get("required", ()) if heads[1] == "what it takes" else ()
    if "description" in shape:
        yield f"<p>{escape(shape['description'])}</p>"
    yield from _table(heads, [(name, said, name in needed) for name, said in shape["properties"].items()], schemas)


def _table(
    heads: tuple[str, str], rows: list[tuple[str, dict[str, Any], bool]], schemas: dict[str, Any]
) -> Iterator[str]:
    if rows:
        yield f"<table><tr><th>{heads[0]}<th>{heads[1]}<th>"
        for name, schema, is_needed in rows:
            told = " ".join(["Needed."] * is_needed + [schema.get("description", "")])
            cells = f"<td>{_words(schema, schemas)}<td>{escape(told)}"
            yield f"<tr><td><code>{escape(name)}</code>{cells}"
        yield "</table>"


def _words(schema: dict[str, Any], schemas: dict[str, Any]) -> str:
    """What a member takes or is, in a few words of HTML."""
    default = escape(_default(schema))
    if "anyOf" in schema:
        return " or ".join(_words(choice, schemas) for choice in schema["anyOf"]) + default
    if "$ref" in schema:
        name = _name_of(schema)
        if "properties" not in schemas[name]:
            return _words(schemas[name], schemas) + default
        return f'<a href="#shape-{escape(name)}">{escape(name)}</a>{default}'
    if "enum" in schema:
        return escape(", ".join(map(str, schema["enum"]))) + default
    limits = [words.format(schema[name]) for name, words in _LIMITS.items() if name in schema]
    items = f" of {_words(schema['items'], schemas)}" if schema.get("items") else ""
    told = f" ({', '.join(limits)})" if limits else ""
    return f"{escape(str(schema.get('type', 'any JSON')))}{items}{escape(told)}{default}"


def _is_refusal(response: dict[str, Any]) -> bool:
    return refusals.MEDIA in response.get("content", ())


def _default(schema: dict[str, Any]) -> str:
    return f"; {json.dumps(schema['default'])} where it is left out" if schema.get("default") is not None else ""


def _name_of(reference: dict[str, Any]) -> str:
    return str(reference["$ref"]).rpartition("/")[2]
