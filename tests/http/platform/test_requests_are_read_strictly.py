"""Bodies, queries and paths: what is taken, and in which words the rest is refused."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.http.platform.conftest import Ask, Build, asked, refusal

JSON = {"content-type": "application/json"}
DEEPEST = 64


def post(ask: Ask, body: bytes, path: str = "/things", **headers: str) -> Any:
    return ask("POST", path, content=body, headers={**JSON, **headers})


def nested(depth: int) -> bytes:
    return b'{"name": "a", "payload": ' + b'{"a":' * (depth - 1) + b"{}" + b"}" * depth


def test_every_digit_of_a_long_integer_arrives(ask: Ask) -> None:
    said = b'{"name": "a", "payload": {"id": 1970670598291982290, "n": 9007199254740993, "d": 0.1}}'
    assert b'{"id":1970670598291982290,"n":9007199254740993,"d":0.1}' in post(ask, said).content


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, "invalid_json"),
        (b"", 422, "missing_member"),
        (b'{"name": "\xff"}', 400, "invalid_json"),
        (b"[" * 100_000, 422, "too_deep"),
        (b'{"name": "a"} {}', 400, "invalid_json"),
        (b'{"name": NaN}', 422, "number_out_of_range"),
        (b'{"name": "a", "payload": {"f": 1e400}}', 422, "number_out_of_range"),
        (b'{"name": "a", "name": "b"}', 422, "duplicate_key"),
        (b'{"name": "\\ud800"}', 422, "lone_surrogate"),
        (b'{"name": "a\\u0000"}', 422, "nul_character"),
        (b'{"name": "a", "payload": {"n": ' + b"9" * 400 + b"}}", 422, "number_out_of_range"),
        (b'{"name": "a", "payload": {"n": ' + b"9" * 9000 + b"}}", 422, "number_out_of_range"),
        (b"[]", 422, "wrong_type"),
        (b"3", 422, "wrong_type"),
        (b'{"name": 3}', 422, "wrong_type"),
        (b'{"name": " "}', 422, "wrong_form"),
        (b'{"name": "a", "at": "2026-01-01T00:00:00"}', 422, "naive_datetime"),
    ],
)
def test_what_is_no_json_is_400_and_json_that_is_refused_422(ask: Ask, body: bytes, status: int, code: str) -> None:
    assert refusal(post(ask, body)) == (status, code)


@pytest.mark.parametrize(
    ("body", "field", "pointer"),
    [
        (b'{"name": "a", "sizes": [1, "x"]}', "sizes[1]", "/sizes/1"),
        (b'{"name": "a", "extra": 1}', "extra", "/extra"),
        (b"{}", "name", "/name"),
        (b'{"name": "a", "payload": {"x": [0, "\\u0000"]}}', "payload.x[1]", "/payload/x/1"),
        (b'{"name": "a", "name": "b"}', "name", "/name"),
        (b'{"name": "a", "payload": {"x": [0, {"y": 1, "y": 1}]}}', "payload.x[1].y", "/payload/x/1/y"),
        (b'{"a/b": 1, "a/b": 1}', "a/b", "/a~1b"),
        (b'{"name": NaN}', "name", "/name"),
        (b'{"extra": [Infinity]}', "extra[0]", "/extra/0"),
        (b'{"name": "a", "payload": {"n": ' + b"9" * 9000 + b"}}", "payload.n", "/payload/n"),
        (b'{"name": "a", "payload": {"n": 1e400}}', "payload.n", "/payload/n"),
    ],
)
def test_a_refusal_names_the_member_with_its_path(ask: Ask, body: bytes, field: str, pointer: str) -> None:
    said = post(ask, body).json()
    assert (said["field"], said["pointer"]) == (field, pointer)
    assert said["detail"].startswith(f"{field}: ")


def test_a_whole_number_may_be_written_as_a_float_and_a_document_stays_as_it_is(ask: Ask) -> None:
    said = post(ask, b'{"name": "a", "sizes": [1, 2.0, 3e2], "payload": {"x": 2.0}}')
    assert b'"sizes":[1,2,300]' in said.content
    assert b'"x":2.0' in said.content
    assert refusal(post(ask, b'{"name": "a", "sizes": [2.5]}')) == (422, "wrong_type")
    assert refusal(post(ask, b'{"name": 2.0}')) == (422, "wrong_type")
    assert refusal(post(ask, b'{"name": "a", "sizes": [' + b"1.0," * 500 + b"1.0]}")) == (422, "wrong_type")


def test_a_payload_of_the_greatest_depth_is_taken_and_one_far_deeper_is_not(ask: Ask) -> None:
    assert post(ask, nested(DEEPEST)).status_code == 200
    assert refusal(post(ask, nested(DEEPEST + 8))) == (422, "too_deep")


def test_a_body_over_the_limit_is_refused_by_its_length_alone(build: Build, ask: Ask) -> None:
    small = build(body_bytes=1000)
    assert refusal(ask("POST", "/things", to=small, content=b"x" * 1001, headers=JSON)) == (413, "too_large")
    assert ask("POST", "/things", to=small, content=b'{"name": "a"}'.ljust(1000), headers=JSON).status_code == 200


def test_a_body_without_a_length_is_cut_where_the_limit_is(build: Build, ask: Ask) -> None:
    taken = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal taken
        while taken < 100:
            taken += 1
            yield b"x" * 100

    small = build(body_bytes=1000)
    answer = ask("POST", "/things", to=small, content=endless(), headers=JSON)
    assert refusal(answer) == (413, "too_large")
    assert answer.headers["connection"] == "close"


def test_a_batch_may_be_longer(build: Build, ask: Ask) -> None:
    small = build(body_bytes=1000, batch_bytes=2000)
    body = b'{"name": "a"}'.ljust(2000)
    assert ask("POST", "/things/batch", to=small, content=body, headers=JSON).status_code == 200
    assert refusal(ask("POST", "/things/batch", to=small, content=body + b" ", headers=JSON))[0] == 413


def test_a_long_body_is_read_like_a_short_one(ask: Ask) -> None:
    body = b'{"name": "a", "payload": {"text": "' + b"y" * 200_000 + b'"}, "sizes": ["z"]}'
    assert post(ask, body).json()["field"] == "sizes[0]"


def test_a_body_that_does_not_arrive_in_time_is_answered_408(build: Build, ask: Ask) -> None:
    async def stuck() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.Event().wait()

    impatient = build(body_seconds=0.01)
    assert refusal(ask("POST", "/things", to=impatient, content=stuck(), headers=JSON)) == (408, "request_timeout")


@pytest.mark.parametrize("media", ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""])
def test_a_body_that_is_not_said_to_be_json_is_refused(ask: Ask, media: str) -> None:
    answer = ask("POST", "/things", content=b'{"name": "a"}', headers={"content-type": media})
    assert refusal(answer) == (415, "unsupported_media_type")


def test_the_media_type_may_have_parameters_and_any_case(ask: Ask) -> None:
    assert post(ask, b'{"name": "a"}', **{"content-type": "Application/JSON; charset=utf-8"}).status_code == 200


def test_a_compressed_body_is_refused(ask: Ask) -> None:
    assert refusal(post(ask, b"\x1f\x8b", **{"content-encoding": "gzip"}))[0] == 415


def test_an_empty_body_is_an_empty_object(ask: Ask) -> None:
    job = "018f0000-0000-7000-8000-000000000001"
    assert ask("POST", f"/things/{job}/end").json()["said"]["body"] == {"why": ""}


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("limit=0", 422, "out_of_range"),
        ("limit=x", 422, "wrong_type"),
        ("limit=1&limit=1", 422, "repeated_parameter"),
        ("colour=red", 422, "unknown_member"),
        ("tag=", 422, "out_of_range"),
        ("tag=%00", 422, "nul_character"),
        ("tag=%ff", 400, "invalid_query"),
        ("cursor=null", 422, "invalid_input"),
        ("&".join(f"a{n}=1" for n in range(200)), 400, "invalid_query"),
    ],
)
def test_a_query_is_read_as_strictly_as_a_body(ask: Ask, query: str, status: int, code: str) -> None:
    assert refusal(ask("GET", f"/things?{query}")) == (status, code)


def test_a_query_has_no_pointer_into_a_body(ask: Ask) -> None:
    said = ask("GET", "/things?limit=9").json()
    assert said["field"] == "limit"
    assert "pointer" not in said


def test_a_query_is_text_where_text_is_meant(ask: Ask) -> None:
    assert ask("GET", "/things?tag=null&limit=2").json()["said"]["query"] == {"tag": "null", "cursor": None, "limit": 2}
    assert ask("GET", "/things?tag=7").json()["said"]["query"]["tag"] == "7"


def test_an_operation_without_a_query_takes_none(ask: Ask) -> None:
    assert refusal(ask("GET", "/audit?limit=1")) == (422, "unknown_member")


def test_an_id_is_given_on_in_its_canonical_spelling(ask: Ask) -> None:
    job = "018F0000-0000-7000-8000-00000000ABCD"
    assert ask("GET", f"/things/{job}").json()["said"]["path"] == {"id": job.lower()}


@pytest.mark.parametrize("said", ["1", "nothing", "018f0000", "%00", "' OR 1=1"])
def test_an_id_that_none_can_have_is_not_found(ask: Ask, said: str) -> None:
    assert refusal(ask("GET", f"/things/{said}")) == (404, "not_found")


def test_a_name_in_the_path_may_hold_whatever_a_name_may(ask: Ask) -> None:
    assert ask("GET", "/names/a%2Fb%20%C3%A4").json()["said"]["path"] == {"name": "a/b ä"}


@pytest.mark.parametrize(("said", "status"), [("%00", 422), ("%20", 422), ("a" * 201, 422), ("%ff", 400), ("", 404)])
def test_a_name_in_the_path_that_none_can_have_is_refused(ask: Ask, said: str, status: int) -> None:
    assert refusal(ask("GET", f"/names/{said}"))[0] == status


def test_a_head_over_the_limit_is_refused(build: Build) -> None:
    small = build(head_bytes=500)
    assert refusal(asked(small, "GET", "/alive", headers={"x-more": "y" * 500})) == (431, "head_too_large")
    assert asked(small, "GET", "/alive").status_code == 200


def test_a_header_that_may_come_once_is_refused_when_it_comes_twice(ask: Ask, build: Build) -> None:
    twice = [("authorization", "Bearer a"), ("authorization", "Bearer b")]
    assert refusal(asked(build(), "GET", "/things", headers=twice)) == (400, "repeated_header")
