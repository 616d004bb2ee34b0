"""/docs: one static page that tells of every operation. It needs no script, and allows none."""

import base64
import hashlib
import json
from collections.abc import Iterator
from html import escape
from typing import Any, Final

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
        f"default-src 'none'; style-src 'sha256-{_DIGEST}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
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
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8><title>Tenure: the HTTP interface</title>",
        f'<meta name=viewport content="width=device-width"><style>{_STYLE}</style>',
        f"<h1>Tenure {escape(document['info']['version'])}</h1><p>{escape(document['info']['description'])}</p>",
        "<p>Send <code>Authorization: Bearer KEY</code>. The same as OpenAPI: <code>openapi.json</code>.</p>",
    ]
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            parts += _operation(method.upper(), path, operation, schemas)
    return "".join([*parts, "</html>"]).encode()


def _operation(method: str, path: str, operation: dict[str, Any], schemas: dict[str, Any]) -> Iterator[str]:
    yield f'<h2 id="{escape(operation["operationId"])}"><span class=path>{method} {escape(path)}</span></h2>'
    yield f"<p>{escape(operation['summary'])}</p>"
    if not operation["security"]:
        yield "<p>Open to everyone.</p>"
    yield from _table("parameter", [(p["name"], p["schema"], p["required"]) for p in operation.get("parameters", ())])
    if "requestBody" in operation:
        body = _followed(operation["requestBody"]["content"]["application/json"]["schema"], schemas)
        needed = body.get("required", ())
        yield f"<p>{escape(body.get('description', ''))}</p>"
        yield from _table("member", [(name, said, name in needed) for name, said in body["properties"].items()])
    answers = [f"{status} {answer['description']}" for status, answer in operation["responses"].items()]
    yield f"<p>Answers: {escape(', '.join(answers))}.</p>"


def _table(word: str, rows: list[tuple[str, dict[str, Any], bool]]) -> Iterator[str]:
    if rows:
        yield f"<table><tr><th>{word}<th>what it takes<th>"
        for name, schema, is_needed in rows:
            cells = f"<td>{escape(_words(schema))}<td>{'needed' if is_needed else ''}"
            yield f"<tr><td><code>{escape(name)}</code>{cells}"
        yield "</table>"


def _words(schema: dict[str, Any]) -> str:
    """What a member takes, in a few words."""
    if "anyOf" in schema:
        return " or ".join(_words(choice) for choice in schema["anyOf"]) + _default(schema)
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "enum" in schema:
        return ", ".join(map(str, schema["enum"])) + _default(schema)
    limits = [words.format(schema[name]) for name, words in _LIMITS.items() if name in schema]
    items = f" of {_words(schema['items'])}" if schema.get("items") else ""
    told = f" ({', '.join(limits)})" if limits else ""
    return f"{schema.get('type', 'any JSON')}{items}{told}{_default(schema)}"


def _default(schema: dict[str, Any]) -> str:
    return f"; {json.dumps(schema['default'])} where it is left out" if schema.get("default") is not None else ""


def _followed(schema: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = schemas[str(schema["$ref"]).rpartition("/")[2]]
    return found
