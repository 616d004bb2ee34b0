"""V-08: what callers send is bound, never pasted into a statement. Hostile text in every field of every operation is
stored and given back byte for byte, or refused; nothing else in the database changes."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any, Final, get_type_hints
from urllib.parse import quote

import httpx2
import msgspec
import pytest

from tenure.edge.operation import Operation
from tenure.edge.operations import BY_NAME, TABLE
from tenure.http.pages.openapi import refusals_of
from tests.security.gate import Gate
from tests.security.held import Held
from tests.security.test_v01_authentication import BODIES

HOSTILE: Final = (
    "'; DROP TABLE tenure_jobs; --",
    "x'); DELETE FROM tenure_jobs WHERE ('1'='1",
    '"; DROP TABLE tenure_jobs; --',
    "' OR '1'='1",
    "') OR 1=1 --",
    "%",
    "_",
    "%%%s%d%n%(x)s",
    "\\",
    "\\'; SELECT 1; --",
    "\\x27\\u0027\\0",
    "$1",
    "$$; SELECT 1; $$",
    "?",
    "?1 :name @name #{x} {0} {{x}} ${x}",
    "/* x */ -- x",
    "a\nb\r\nc\td",
    "\x01\x02\x1b[31m\x7f",
    "ä é ß 漢字 \U0001f4a3 é",
    "\u202eevil\u202d \u200f\u200b\ufeff",
    "NULL",
    "null",
    "0",
    "__proto__",
    "<script>alert(1)</script>",
    "../../etc/passwd",
    "'" * 200,
    "漢" * 170,
)

_WITH_TEXT: Final = tuple(one for one in TABLE if one.body is not None or one.query is not None)


@pytest.fixture
def canary(either: Gate) -> Iterator[str]:
    """A job that nobody touches, and that must still be there as it was, beside every table."""
    admin = either.key("admin", "canary-keeper")
    job = either.call(admin, "enqueue", {"type": "mail", "payload": {"canary": "'\"%_\\"}, "queue": "cage"}).json()
    before = either.call(admin, "show_job", id=job["id"]).text
    tables = _tables(either)
    yield job["id"]
    assert either.call(admin, "show_job", id=job["id"]).text == before
    assert _tables(either) == tables


def _tables(gate: Gate) -> set[str]:
    if gate.store.url.startswith("postgres"):
        from tests.conformance.postgres_server import shared

        query = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        return {name for (name,) in shared().execute(query, gate.store.url)}
    import sqlite3

    with closing(sqlite3.connect(gate.store.url.removeprefix("sqlite:///"))) as connection:
        return {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}


def _texts(shape: type[msgspec.Struct]) -> list[tuple[str, Any]]:
    """The members that can hold text, and how: a text, a list of it, an object with it, anything."""
    found: list[tuple[str, Any]] = []
    for member in msgspec.structs.fields(shape):
        said = str(get_type_hints(shape, include_extras=False).get(member.name, member.type))
        if "list[" in said and "str" in said:
            found.append((member.encode_name, lambda text: [text]))
        elif "dict[" in said:
            found.append((member.encode_name, lambda text: {text: text}))
        elif "str" in said or "Any" in said or "datetime" in said or "Literal" in said:
            found.append((member.encode_name, lambda text: text))
    return found


def test_every_operation_with_a_body_or_query_is_among_those_that_are_tried() -> None:
    assert {one.name for one in _WITH_TEXT} == {
        one.name for one in TABLE if one.method != "GET" or one.query is not None
    }


@pytest.mark.usefixtures("canary")
@pytest.mark.parametrize("operation", _WITH_TEXT, ids=lambda one: one.name)
def test_hostile_text_in_every_field_is_taken_or_refused(either: Gate, operation: Operation) -> None:
    held = Held(either)
    known = {*operation.answers, *refusals_of(operation)} - {500, 503}
    met = set()
    for text in HOSTILE:
        for answer in _sent(held, operation, text):
            assert answer.status_code in known, (text, answer.request, answer.text)
            met.add(answer.status_code)
    writes = operation.path.startswith("/jobs/{id}") and operation.body is not None
    assert not writes or met & {200, 409}, "no text has met the job that runs"


def _sent(held: Held, operation: Operation, text: str) -> Iterator[httpx2.Response]:
    """The text in each field in turn; in batches in the fields of a member."""

    def call(body: Any = None, **query: Any) -> httpx2.Response:
        return held.gate.call(held.key, operation.name, body, query=query or None, **held.path(operation))

    if operation.query is not None:
        for name, _ in _texts(operation.query):
            yield call(**{name: text})
    if operation.body is None:
        return
    for name, shaped in _texts(operation.body):
        base = held.body(operation)
        if not isinstance(base.get(name), list):
            yield call({**base, name: shaped(text)})
    for listed, alone in (("jobs", "enqueue"), ("beats", "heartbeat"), ("reports", "complete")):
        if listed in BODIES.get(operation.name, {}):
            shape = BY_NAME[alone].body
            assert shape is not None
            for name, shaped in (*_texts(shape), ("id", lambda said: said)):
                member = {**held.body(operation)[listed][0], name: shaped(text)}
                yield call({listed: [member]})


@pytest.mark.usefixtures("canary")
@pytest.mark.parametrize("operation", [one for one in TABLE if "{" in one.path], ids=lambda one: one.name)
def test_hostile_text_in_a_path_is_taken_or_refused(either: Gate, operation: Operation) -> None:
    held = Held(either)
    known = {*operation.answers, *refusals_of(operation), 404, 405} - {500, 503}
    for text in HOSTILE:
        for parameter in held.path(operation):
            path = held.path(operation, **{parameter: quote(text, safe="")})
            body = {} if operation.body is None else {"json": held.body(operation)}
            answer = either.ask(held.key, operation.method, operation.path.format(**path), **body)
            assert answer.status_code in known, (text, answer.text)


@pytest.mark.usefixtures("canary")
@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_taken_comes_back_byte_for_byte(either: Gate, text: str) -> None:
    """Through every name and document of a job's life, and through every list that looks for it."""
    admin = either.key("admin")
    assert either.call(admin, "set_kind", {"queue": text, "why": text}, name=text).json()["name"] == text
    said = {
        "type": text, "queue": text, "tenant": text, "idempotency_key": text, "tags": [text],
        "payload": {text: [text, {text: text}]},
    }  # fmt: skip
    job = either.call(admin, "enqueue", said).json()
    assert {name: job[name] for name in said} == said
    assert either.call(admin, "enqueue", said).json()["created"] is False
    for query in ({"type": text}, {"queue": text}, {"tenant": text}, {"tag": text}):
        assert [one["id"] for one in either.call(admin, "list_jobs", query=query).json()["jobs"]] == [job["id"]], query
    assert text in {one["name"] for one in either.call(admin, "list_queues").json()["queues"]}
    assert text in {one["name"] for one in either.call(admin, "list_tenants").json()["tenants"]}

    claim = {"types": [text], "queues": [text], "versions": {text: [1]}, "claim_id": text, "holder": {"host": text}}
    held = either.call(admin, "claim", claim).json()
    assert held["id"] == job["id"]
    assert either.call(admin, "claim", claim).json()["lease_token"] == held["lease_token"]
    one = {"lease_token": held["lease_token"]}
    assert either.call(admin, "heartbeat", {**one, "progress": {text[:99]: text[:99]}}, id=job["id"]).status_code == 200
    code = text[:33]
    failed = either.call(admin, "fail", {**one, "code": code, "error": "e", "class": "terminal"}, id=job["id"]).json()
    assert failed["error_code"] == code
    assert [each["id"] for each in either.call(admin, "list_jobs", query={"code": code}).json()["jobs"]] == [job["id"]]
    [attempt] = either.call(admin, "list_attempts", id=job["id"]).json()["attempts"]
    assert (attempt["holder"]["host"], attempt["error_code"]) == (text, code)
    assert attempt["progress"] == {text[:99]: text[:99]}

    assert either.call(admin, "redrive", {"why": text}, id=job["id"]).status_code == 200
    lines = either.call(admin, "list_audit").json()["lines"]
    assert [line["why"] for line in lines if line["verb"] in ("redrive", "set_kind")] == [text, text]
    again = either.call(admin, "claim", {"types": [text]}).json()
    done = {"lease_token": again["lease_token"], "result": {text: [text]}}
    assert either.call(admin, "complete", done, id=job["id"]).json()["result"] == {text: [text]}


@pytest.mark.parametrize(
    "text", ["%", "_", "%mail%", "m_il", "*", "mai?", "[m]ail", "MAIL", "mail\u0301", "' OR 1=1 --"]
)
def test_no_filter_is_a_pattern(either: Gate, text: str) -> None:
    admin = either.key("admin")
    assert either.call(admin, "enqueue", {"type": "mail", "queue": "mail", "tenant": "mail", "tags": ["mail"]}).json()
    for name in ("type", "queue", "tenant", "tag", "code"):
        assert either.call(admin, "list_jobs", query={name: text}).json()["jobs"] == [], name


@pytest.mark.parametrize("name", ["cursor", "limit", "status", "state"])
def test_a_query_takes_no_sql(either: Gate, name: str) -> None:
    admin = either.key("admin")
    for text in ("1 OR 1=1", "1; DROP TABLE tenure_jobs", "(SELECT 1)", "1e3", "-1", "0x1", "' OR '1'='1"):
        answer = either.call(admin, "list_jobs", query={name: text})
        assert (answer.status_code, answer.json()["field"]) == (422, name), text
