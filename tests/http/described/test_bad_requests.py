"""Bad requests of every kind against every operation with a body: a reason and never a 500, nothing stored, and
numbers that keep their digits (B52, over HTTP)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx2
import msgspec
import pytest

from tenure.edge.operation import Operation
from tenure.edge.operations import TABLE
from tenure.testing import FakeClock
from tests.databases import sqlite_store
from tests.security.gate import Gate, gate_of
from tests.security.held import Held

WITH_BODIES: Final = [one for one in TABLE if one.body is not None]
EACH: Final = pytest.mark.parametrize("operation", WITH_BODIES, ids=lambda one: one.name)

NOT_JSON: Final = {
    "half an object": b'{"type":',
    "a comma too many": b'{"why":"x",}',
    "single quotes": b"{'why':'x'}",
    "a comment": b'{"why":"x"} // y',
    "two documents": b"{} {}",
    "bytes after the document": b"{}\x00",
    "NUL alone": b"\x00",
    "blanks alone": b"   ",
    "broken UTF-8": b'{"why":"\xff\xfe"}',
    "UTF-8 that is overlong": b'{"why":"\xc0\xaf"}',
    "a surrogate in UTF-8": b'{"why":"\xed\xa0\x80"}',
    "Latin-1": '{"why":"ä"}'.encode("latin-1"),
    "UTF-16": '{"why":"x"}'.encode("utf-16"),
    "UTF-16 without its mark": '{"why":"x"}'.encode("utf-16-le"),
    "UTF-32": '{"why":"x"}'.encode("utf-32"),
    "a byte order mark": b'\xef\xbb\xbf{"why":"x"}',
    "a raw line break in a text": b'{"why":"a\nb"}',
    "a number with a leading zero": b'{"why":01}',
    "a number with a plus": b'{"why":+1}',
    "hexadecimal": b'{"why":0x10}',
    "a form": b"why=x&type=mail",
    "XML": b"<?xml version='1.0'?><why/>",
}

NOT_TAKEN: Final = {
    "a list": b"[]",
    "a text": b'"why"',
    "a number": b"7",
    "null": b"null",
    "true": b"true",
    "NaN": b'{"why":NaN}',
    "Infinity": b'{"why":Infinity}',
    "minus Infinity": b'{"why":-Infinity}',
    "1e400": b'{"why":1e400}',
    "minus 1e400": b'{"why":-1e400}',
    "an integer of 309 digits": b'{"why":' + b"9" * 309 + b"}",
    "an integer of 5,000 digits": b'{"why":' + b"9" * 5000 + b"}",
    "an integer of 100,000 digits": b'{"why":' + b"9" * 100_000 + b"}",
    "a float of 5,000 digits": b'{"why":0.' + b"9" * 5000 + b"}",
    "100,000 brackets": b'{"why":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "100,000 braces": b'{"why":' + b'{"a":' * 40_000 + b"1" + b"}" * 40_000 + b"}",
    "a depth of 100": b'{"why":' + b"[" * 100 + b"]" * 100 + b"}",
    "the same key twice": b'{"why":"a","why":"b"}',
    "the same key twice, spelled differently": b'{"why":"a","\\u0077hy":"b"}',
    "the same key twice, deep down": b'{"why":{"a":{"b":1,"b":2}}}',
    "a lone surrogate": b'{"why":"\\ud800"}',
    "a lone surrogate in a key": b'{"\\udc00":1}',
    "a pair of surrogates the wrong way round": b'{"why":"\\udc00\\ud800"}',
    "NUL": b'{"why":"a\\u0000b"}',
    "NUL in a key": b'{"wh\\u0000y":"a"}',
    "a stranger": b'{"nobody knows this member":1}',
    "an empty key": b'{"":1}',
}

WRONG: Final[tuple[Any, ...]] = (
    [],
    {},
    [[]],
    {"a": 1},
    "text",
    "",
    0,
    -1,
    1.5,
    10**30,
    1e300,
    True,
    [None],
    [1, "a"],
    "x" * 70_000,
)

MET_OTHERWISE: Final = (
    {(name, "lease_token") for name in ("heartbeat", "complete", "fail", "release", "snooze")}
    | {(name, "lease_token") for name in ("begin_effect", "finish_effect", "save_checkpoint")}
    | {("begin_effect", "args"), ("finish_effect", "request_id")}
    | {(name, "why") for name in ("redrive", "settle_effect", "supersede")}
    | {(f"{name}_schedule", "tenant") for name in ("pause", "resume", "run", "backfill")}
    | {("redrive", "deadline"), ("settle_effect", "effect_key"), ("settle_effect", "result")}
)
"""Members of which some wrong values are right by their shape: what they then meet is another job, effect, key or
schedule."""


@pytest.fixture
def gate(tmp_path: Path, clock: FakeClock) -> Iterator[Gate]:
    for store in sqlite_store(tmp_path / "tenure.db", clock):
        with gate_of(store, clock) as made:
            yield made


@pytest.fixture
def held(gate: Gate) -> Held:
    return Held(gate)


def sent(held: Held, operation: Operation, body: bytes, headers: dict[str, str] | None = None) -> httpx2.Response:
    """To the job that runs, where the operation is one on a job."""
    path = operation.path.format(**held.path(operation))
    said = {"content-type": "application/json", **(headers or {})}
    return held.gate.ask(held.key, operation.method, path, content=body, headers=said)


def refused(answer: httpx2.Response, *statuses: int) -> dict[str, Any]:
    assert answer.status_code in statuses, (answer.status_code, answer.text[:500])
    assert answer.headers["content-type"] == "application/problem+json"
    said: dict[str, Any] = answer.json()
    assert said["code"] not in ("", "error", "internal_error")
    assert said["detail"]
    assert len(answer.content) < 4096
    return said


@EACH
def test_what_is_no_json_is_refused(held: Held, operation: Operation) -> None:
    for name, body in NOT_JSON.items():
        said = refused(sent(held, operation, body), 400)
        assert said["code"] == "invalid_json", name
    assert held.is_untouched()


@EACH
def test_json_that_is_not_taken_is_refused(held: Held, operation: Operation) -> None:
    for name, body in NOT_TAKEN.items():
        said = refused(sent(held, operation, body), 413, 422)
        assert said["code"], name
    assert held.is_untouched()


@EACH
def test_an_empty_body_is_an_empty_object(held: Held, operation: Operation) -> None:
    empty, braces = sent(held, operation, b""), sent(held, operation, b"{}")
    assert empty.status_code == braces.status_code
    assert empty.status_code in (200, 201, 204, 409, 422)


@EACH
def test_every_member_of_a_wrong_type_is_refused_by_its_name_or_taken(held: Held, operation: Operation) -> None:
    assert operation.body is not None
    for member in msgspec.structs.fields(operation.body):
        for wrong in WRONG:
            base = held.body(operation)
            answer = sent(held, operation, json.dumps({**base, member.encode_name: wrong}).encode())
            if answer.status_code in (200, 201, 204):
                continue
            if answer.status_code in (404, 409):
                assert (operation.name, member.encode_name) in MET_OTHERWISE, (wrong, answer.text)
                continue
            said = refused(answer, 403, 422)
            field = str(said.get("field", ""))
            assert field.partition("[")[0].partition(".")[0] == member.encode_name, (wrong, said)
            assert said["pointer"].startswith(f"/{member.encode_name}")


@EACH
def test_a_member_that_is_needed_and_missing_is_named(held: Held, operation: Operation) -> None:
    base = held.body(operation)
    assert operation.body is not None
    for member in msgspec.structs.fields(operation.body):
        if member.required:
            rest = {name: value for name, value in base.items() if name != member.encode_name}
            said = refused(sent(held, operation, json.dumps(rest).encode()), 422)
            assert (said["field"], said["code"]) == (member.encode_name, "missing_member")


@EACH
def test_a_member_that_nobody_knows_is_named(held: Held, operation: Operation) -> None:
    for stranger in ("stranger", "Type", "lease-token", "a.b", "a/b", "a~b", "ä", "__class__", "x" * 300, "x" * 9000):
        said = refused(sent(held, operation, json.dumps({**held.body(operation), stranger: 1}).encode()), 422)
        assert said["code"] == "unknown_member", said
    assert held.is_untouched()


@EACH
@pytest.mark.parametrize(
    "headers",
    [
        {"content-encoding": "gzip"},
        {"content-encoding": "br"},
        {"content-encoding": "gzip, identity"},
        {"content-type": "text/plain"},
        {"content-type": "application/x-www-form-urlencoded"},
        {"content-type": "multipart/form-data; boundary=x"},
        {"content-type": "application/xml"},
        {"content-type": "application/json-patch+json"},
        {"content-type": "text/json"},
        {"content-type": ""},
    ],
    ids=str,
)
def test_bodies_of_another_make_are_refused(held: Held, operation: Operation, headers: dict[str, str]) -> None:
    said = refused(sent(held, operation, b"{}", headers), 415)
    assert said["code"] == "unsupported_media_type"


@EACH
@pytest.mark.parametrize(
    "media", ["application/json", "APPLICATION/JSON", "application/json; charset=utf-8", "application/json ;x=y"]
)
def test_json_by_any_of_its_names_is_read(held: Held, operation: Operation, media: str) -> None:
    assert sent(held, operation, b"{", {"content-type": media}).status_code == 400


@EACH
def test_a_query_where_none_is_known_is_refused(held: Held, operation: Operation) -> None:
    path = operation.path.format(**held.path(operation))
    for query in ("stranger=1", "type=mail", "a=1&a=2", "=1", "%ff=1", "a=%00"):
        answer = held.gate.ask(held.key, operation.method, f"{path}?{query}", json=held.body(operation))
        refused(answer, 400, 422)
    assert held.is_untouched()


DIGITS: Final = {
    "id": 1970670598291982290,
    "beyond a double": 9007199254740993,
    "the most of 64 bits": 2**63 - 1,
    "the least of 64 bits": -(2**63),
    "unsigned": 2**64 - 1,
    "beyond 64 bits": 2**64 + 1,
    "300 digits": int("123456789" * 33 + "123"),
    "308 digits": 10**308 - 1,
    "308 digits, negative": -(10**308) + 1,
    "list": [2**53 + 1, -(2**53) - 1, [2**70]],
    "0.1": 0.1,
    "1.0": 1.0,
    "the smallest": 5e-324,
    "the greatest": 1.7976931348623157e308,
    "-0.0": -0.0,
}


def digits_in(answer: httpx2.Response, member: str) -> Any:
    """The member with every number as it was written."""
    said = json.loads(answer.text, parse_int=str, parse_float=str)
    assert answer.status_code in (200, 201), answer.text
    return said[member]


def test_every_digit_comes_back_from_enqueue_to_result(gate: Gate) -> None:
    """B52: a number of more than 53 bits is not rounded on its way; what no double holds is refused (1e400 above)."""
    admin = gate.key("admin")
    expected = json.loads(json.dumps(DIGITS), parse_int=str, parse_float=str)
    made = gate.call(admin, "enqueue", {"type": "mail", "payload": DIGITS, "idempotency_key": "digits"})
    assert digits_in(made, "payload") == expected
    again = gate.call(admin, "enqueue", {"type": "mail", "payload": DIGITS, "idempotency_key": "digits"})
    assert (again.status_code, digits_in(again, "payload")) == (200, expected)
    held = gate.call(admin, "claim", {})
    assert digits_in(held, "payload") == expected
    one = {"lease_token": held.json()["lease_token"]}
    job_id = held.json()["id"]
    assert gate.call(admin, "heartbeat", {**one, "progress": DIGITS["id"]}, id=job_id).status_code == 200
    assert digits_in(gate.call(admin, "show_job", id=job_id), "progress") == str(DIGITS["id"])
    done = gate.call(admin, "complete", {**one, "result": DIGITS}, id=job_id)
    assert digits_in(done, "result") == expected
    shown = gate.call(admin, "show_job", id=job_id)
    assert digits_in(shown, "result") == digits_in(shown, "payload") == expected
    [listed] = digits_in(gate.call(admin, "list_jobs"), "jobs")
    assert listed["payload"] == listed["result"] == expected


def test_one_digit_more_is_another_payload(gate: Gate) -> None:
    admin = gate.key("admin")
    said = {"type": "mail", "idempotency_key": "k"}
    assert gate.call(admin, "enqueue", {**said, "payload": {"n": 9007199254740993}}).status_code == 201
    assert gate.call(admin, "enqueue", {**said, "payload": {"n": 9007199254740992}}).status_code == 409
    assert gate.call(admin, "enqueue", {**said, "payload": {"n": 9007199254740993.0}}).status_code == 409


def test_digits_of_a_batch_come_back_too(gate: Gate) -> None:
    admin = gate.key("admin")
    expected = json.loads(json.dumps(DIGITS), parse_int=str, parse_float=str)
    told = gate.call(admin, "enqueue_many", {"jobs": [{"type": "mail", "payload": DIGITS}]})
    assert digits_in(told, "jobs")[0]["job"]["payload"] == expected
    held = gate.call(admin, "claim", {"limit": 5})
    [job] = digits_in(held, "jobs")
    assert job["payload"] == expected
    ended = {"verb": "complete", "id": job["id"], "lease_token": job["lease_token"], "result": DIGITS}
    assert gate.call(admin, "reports", {"reports": [ended]}).status_code == 200
    assert digits_in(gate.call(admin, "show_job", id=job["id"]), "result") == expected
