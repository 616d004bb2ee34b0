"""Every refusal is a problem with its code and request id; none tells of the inside."""

import asyncio
import logging
from typing import Any

import msgspec
import pytest

from tenure.core.errors import KeyConflict, StaleLease, StoreBusy, StoreUnavailable, TooMany
from tenure.http.call import Call, Reply
from tenure.http.service import Service
from tests.http.platform.conftest import Ask, Build, refusal
from tests.http.platform.things import Thing

JOB = "018f0000-0000-7000-8000-000000000001"


def raising(error: BaseException) -> Any:
    async def handler(service: Service, call: Call) -> Reply:
        raise error

    return handler


def test_a_path_where_nothing_stands_is_not_found(ask: Ask) -> None:
    for path in ("/nowhere", "/things/", "/things//end", "/things/a/b/c", "/things//"):
        assert refusal(ask("GET", path)) == (404, "no_such_route")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/things", "GET, HEAD, POST"),
        ("GET", "/things/batch", "POST"),
        ("DELETE", f"/things/{JOB}", "GET, HEAD"),
        ("POST", "/metrics", "GET, HEAD"),
        ("OPTIONS", "/things", "GET, HEAD, POST"),
        ("TRACE", "/alive", "GET, HEAD"),
    ],
)
def test_another_method_is_told_which_there_are(ask: Ask, method: str, path: str, allowed: str) -> None:
    answer = ask(method, path)
    assert refusal(answer) == (405, "method_not_allowed")
    assert answer.headers["allow"] == allowed


def test_head_is_get_without_the_body(ask: Ask) -> None:
    full, head = ask("GET", "/things"), ask("HEAD", "/things")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == str(len(full.content))


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (KeyConflict("taken", "job-1"), 409, "idempotency_key_reused"),
        (StaleLease("stale"), 409, "stale_lease"),
        (TooMany("full", 3.2), 429, "too_many_requests"),
        (StoreBusy("password=secret"), 503, "store_busy"),
        (StoreUnavailable("password=secret"), 503, "store_unavailable"),
        (RuntimeError("password=secret"), 500, "internal_error"),
        (AssertionError("password=secret"), 500, "internal_error"),
    ],
)
def test_what_a_handler_raises_is_told_without_its_inside(
    build: Build, ask: Ask, error: Exception, status: int, code: str
) -> None:
    answer = ask("GET", "/things", to=build({"list": raising(error)}))
    assert refusal(answer) == (status, code)
    assert "secret" not in answer.text


def test_who_must_wait_is_told_how_long(build: Build, ask: Ask) -> None:
    assert ask("GET", "/things", to=build({"list": raising(TooMany("full", 3.2))})).headers["retry-after"] == "4"
    assert ask("GET", "/things", to=build({"list": raising(StoreBusy("locked"))})).headers["retry-after"] == "2"


def test_an_error_of_ours_is_in_the_log_under_the_id_that_the_caller_has(
    build: Build, ask: Ask, caplog: pytest.LogCaptureFixture
) -> None:
    answer = ask("GET", "/things", to=build({"list": raising(RuntimeError("the inside"))}))
    line = next(record for record in caplog.records if record.levelno == logging.ERROR)
    assert answer.json()["request_id"] in line.getMessage()
    assert "the inside" in str(line.exc_text)


def test_a_database_that_hangs_makes_no_request_hang(build: Build, ask: Ask) -> None:
    """Asked with a key that is known by then: one that is looked up first has had a limit for that."""
    hangs = asyncio.Event()

    async def hanging(service: Service, call: Call) -> Reply:
        if hangs.is_set():
            await asyncio.Event().wait()
        return Reply()

    application = build({"list": hanging}, answer_seconds=1.0)
    assert ask("GET", "/things", to=application).status_code == 200
    hangs.set()
    answer = ask("GET", "/things", to=application)
    assert refusal(answer) == (503, "store_unavailable")
    assert "retry-after" in answer.headers


def test_a_long_poll_has_its_wait_beside_the_databases_time(build: Build, ask: Ask) -> None:
    async def waits(service: Service, call: Call) -> Reply:
        await asyncio.sleep(call.body.wait / 10)
        return Reply(status=204)

    application = build({"make": waits}, answer_seconds=0.05)
    assert ask("POST", "/things", to=application, json={"name": "a", "wait": 2}).status_code == 204


def test_a_database_that_cannot_be_opened_is_503_and_the_process_lives(build: Build, ask: Ask) -> None:
    application = build()

    def refuse() -> None:
        raise StoreUnavailable("no route to host")

    application.service.start = refuse  # type: ignore[method-assign]
    assert refusal(ask("GET", "/things", to=application)) == (503, "store_unavailable")
    assert ask("GET", "/alive", to=application).status_code == 200


@pytest.mark.parametrize("said", ["abc-1.2_3", "A" * 100])
def test_a_short_plain_request_id_is_kept(ask: Ask, said: str) -> None:
    assert ask("GET", "/things", headers={"x-request-id": said}).headers["x-request-id"] == said


@pytest.mark.parametrize("said", ["", "a b", "A" * 101, "<script>", "-a", "a;b"])
def test_any_other_is_replaced(ask: Ask, said: str) -> None:
    made = ask("GET", "/nowhere", headers={"x-request-id": said})
    assert made.headers["x-request-id"] != said
    assert refusal(made)[0] == 404


def test_a_traceparent_is_passed_on_when_it_is_one(ask: Ask) -> None:
    good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    assert ask("GET", "/things", headers={"traceparent": good}).json()["said"]["traceparent"] == good
    broken = ("x", good.replace("00-", "ff-", 1), f"00-{'0' * 32}-{'1' * 16}-01", f"00-{'1' * 32}-{'0' * 16}-01")
    for said in broken:
        assert ask("GET", "/things", headers={"traceparent": said}).json()["said"]["traceparent"] is None


def test_every_answer_forbids_sniffing_and_keeping(ask: Ask) -> None:
    for path in ("/things", "/nowhere", "/alive", "/metrics"):
        headers = ask("GET", path).headers
        assert (headers["x-content-type-options"], headers["cache-control"]) == ("nosniff", "no-store")


def test_a_document_of_the_database_goes_out_byte_for_byte(build: Build, ask: Ask) -> None:
    async def raw(service: Service, call: Call) -> Reply:
        return Reply(body=Thing(said=msgspec.Raw(b'{"id": 1970670598291982290, "x":1.0}')))

    assert ask("GET", "/things", to=build({"list": raw})).content == b'{"said":{"id": 1970670598291982290, "x":1.0}}\n'


def test_a_client_that_went_away_is_nobody_to_answer(build: Build) -> None:
    sent: list[Any] = []

    async def gone() -> dict[str, str]:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    application = build(insecure_local=True)
    headers = [(b"host", b"localhost"), (b"content-type", b"application/json"), (b"content-length", b"9")]
    scope = {"type": "http", "method": "POST", "path": "/things", "raw_path": b"/things", "query_string": b"",
             "root_path": "", "headers": headers, "client": ("127.0.0.1", 1)}  # fmt: skip
    asyncio.run(application(scope, gone, send))
    assert sent == []


def test_the_access_log_has_one_line_a_request_without_query_or_key(ask: Ask, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "tenure.http.access")
    request_id = ask("GET", "/things?tag=private").headers["x-request-id"]
    (line,) = [record.getMessage() for record in caplog.records if record.name == "tenure.http.access"]
    assert "root GET /things 200 " in line
    assert line.endswith(request_id)
    assert "private" not in line
