"""`ctx.request` and `ctx.arequest`: a request is sent once, its answer kept, and each answer means one thing."""

import asyncio
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import pytest

from tenure import Context, HttpResponse, InvalidInput, Misconfigured, Tenure
from tenure.app.handling.http_calls import retry_after
from tenure.core.ledger.effect import Effect
from tenure.testing import adrain, drain


class Asked(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Scripted:
    """A service that answers as it is told, in turn, and then with 200 `{"n": requests so far}`. None: it hangs up."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.answers: list[tuple[int, dict[str, str], bytes] | None] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/acts"

    def then(self, status: int, headers: dict[str, str] | None = None, body: bytes = b"") -> "Scripted":
        self.answers.append((status, headers or {}, body))
        return self

    def then_hangs_up(self) -> "Scripted":
        self.answers.append(None)
        return self

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _handler(service: Scripted) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def _any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            service.asked.append(Asked(self.command, self.path, headers, body))
            usual = (200, {"Content-Type": "application/json"}, b'{"n":%d}' % len(service.asked))
            answer = service.answers.pop(0) if service.answers else usual
            if answer is None:
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            status, said, content = answer
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **said}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_DELETE = _any  # noqa: N815 (the base's names)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the base's name)
            """Nothing is printed."""

    return Handler


@pytest.fixture
def service() -> Iterator[Scripted]:
    scripted = Scripted()
    yield scripted
    scripted.close()


def declare(app: Tenure, handler: Callable[..., Any], **options: Any) -> str:
    app.task(kind="call", **({"max_attempts": 3, "backoff": (0, 0)} | options))(handler)
    return app.enqueue("call").id


def posting(service: Scripted, **said: Any) -> Callable[[Context], Any]:
    def handler(ctx: Context) -> HttpResponse:
        return ctx.request("act", "POST", service.url, json={"cents": 5}, timeout=5, **said)

    return handler


def effect_of(app: Tenure, job: str) -> Effect:
    store = app.opened()
    (row,) = store.run(store.verbs.effects([job]))[job]
    return row


def test_a_request_carries_the_key_of_its_effect_and_its_answer_is_kept(app: Tenure, service: Scripted) -> None:
    job = declare(app, posting(service, headers={"Authorization": "Bearer s3cret"}))
    assert [ran.outcome for ran in drain(app)] == ["succeeded"]
    (asked,) = service.asked
    assert (asked.method, asked.path, asked.body) == ("POST", "/acts", b'{"cents":5}')
    assert asked.headers["idempotency-key"] == f"{job}:act"
    assert (asked.headers["content-type"], asked.headers["authorization"]) == ("application/json", "Bearer s3cret")
    told = app.get(job).result()  # type: ignore[union-attr]
    kept = {"content-type": "application/json"}
    assert told == {"status": 200, "headers": kept, "text": '{"n":1}', "is_cut": False}
    assert "s3cret" not in f"{effect_of(app, job)}"


def test_a_later_attempt_gets_the_answer_from_the_record(app: Tenure, service: Scripted) -> None:
    def handler(ctx: Context) -> Any:
        answer = ctx.request("act", "POST", service.url, json={})
        if ctx.attempt.number == 1:
            raise ConnectionError
        return answer.json()

    job = declare(app, handler)
    drain(app, advance=True)
    assert (len(service.asked), app.get(job).result()) == (1, {"n": 1})  # type: ignore[union-attr]


def test_the_async_twin_sends_the_same(app: Tenure, service: Scripted) -> None:
    async def handler(ctx: Context) -> HttpResponse:
        return await ctx.arequest("act", "PUT", service.url, content="five", key="order-7", key_header="X-Once")

    declare(app, handler)
    assert [ran.outcome for ran in asyncio.run(adrain(app))] == ["succeeded"]
    (asked,) = service.asked
    assert (asked.method, asked.body, asked.headers["x-once"]) == ("PUT", b"five", "order-7")
    assert "idempotency-key" not in asked.headers


@pytest.mark.parametrize(
    ("status", "headers", "code", "outcome", "effect"),
    [
        (429, {}, "http_429", "throttled", "absent"),
        (429, {"Retry-After": "7"}, "http_429", "throttled", "absent"),
        (503, {"Retry-After": "7"}, "http_503", "throttled", "absent"),
        (408, {"Retry-After": "7"}, "http_408", "throttled", "absent"),
        (408, {}, "http_408", "failed", "absent"),
        (425, {}, "http_425", "failed", "absent"),
        (404, {}, "http_404", "failed", "absent"),
        (409, {}, "http_409", "failed", "absent"),
        (301, {}, "http_301", "failed", "absent"),
        (501, {}, "http_501", "failed", "absent"),
        (500, {}, "effect_uncertain", "uncertain", "uncertain"),
        (503, {}, "effect_uncertain", "uncertain", "uncertain"),
    ],
)
def test_each_answer_to_a_request_that_must_not_be_repeated_means_one_thing(
    app: Tenure, service: Scripted, status: int, headers: dict[str, str], code: str, outcome: str, effect: str
) -> None:
    service.then(status, headers, b"no")
    job = declare(app, posting(service), backoff=(3600, 3600))
    (ran,) = drain(app)
    assert (ran.code, ran.outcome, effect_of(app, job).state) == (code, outcome, effect)
    is_over = code in ("http_404", "http_409", "http_301", "http_501", "effect_uncertain")
    assert (ran.state == "failed") == is_over


@pytest.mark.parametrize("status", [500, 503, 409])
def test_a_request_that_may_be_repeated_is_sent_again_under_its_key(
    app: Tenure, service: Scripted, status: int
) -> None:
    service.then(status)
    job = declare(app, posting(service, idempotent=True))
    assert [(ran.outcome, ran.code) for ran in drain(app, advance=True)] == [
        ("failed", "effect_unclear"),
        ("succeeded", None),
    ]
    assert {asked.headers["idempotency-key"] for asked in service.asked} == {f"{job}:act"}
    assert (len(service.asked), effect_of(app, job).state) == (2, "confirmed")


@pytest.mark.parametrize("idempotent", [False, True])
def test_a_connection_that_is_cut_tells_nothing(app: Tenure, service: Scripted, idempotent: bool) -> None:
    service.then_hangs_up()
    job = declare(app, posting(service, idempotent=idempotent))
    ran = drain(app, advance=True)
    assert (ran[0].code, effect_of(app, job).state) == (
        ("effect_unclear", "confirmed") if idempotent else ("effect_uncertain", "uncertain")
    )
    assert len(service.asked) == (2 if idempotent else 1)


def test_a_connection_that_is_refused_sent_nothing(app: Tenure) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}"

        def handler(ctx: Context) -> None:
            ctx.request("act", "POST", url, json={}, timeout=5)

        job = declare(app, handler, max_attempts=2)
        ran = drain(app, advance=True)
    assert [one.code for one in ran] == ["http_no_connection"] * 2
    assert effect_of(app, job).state == "absent"


def test_an_answer_that_does_not_come_in_time_tells_nothing(app: Tenure) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"

        def handler(ctx: Context) -> None:
            ctx.request("act", "POST", url, json={}, timeout=0.3)

        job = declare(app, handler)
        assert drain(app)[0].code == "effect_uncertain"
    assert effect_of(app, job).state == "uncertain"


def test_a_status_that_the_caller_expects_is_a_success(app: Tenure, service: Scripted) -> None:
    service.then(404)

    def handler(ctx: Context) -> int:
        return ctx.request("remove", "DELETE", service.url, expect=[404]).status

    job = declare(app, handler)
    drain(app)
    assert app.get(job).result() == 404  # type: ignore[union-attr]


def test_retries_within_an_attempt_are_taken_from_the_tries_of_the_job(app: Tenure, service: Scripted) -> None:
    for _ in range(9):
        service.then(500)
    job = declare(app, posting(service, idempotent=True, retries=1, wait=0), max_attempts=3)
    ran = drain(app, advance=True)
    assert [one.code for one in ran] == ["effect_unclear", "effect_uncertain"]
    assert (len(service.asked), effect_of(app, job).tries) == (3, 3)
    assert effect_of(app, job).state == "uncertain"


def test_an_answer_that_throttles_is_not_taken_from_the_tries(app: Tenure, service: Scripted) -> None:
    for _ in range(4):
        service.then(429)
    declare(app, posting(service, retries=5, wait=0), max_attempts=2)
    assert [one.outcome for one in drain(app, advance=True)] == ["throttled"] * 4 + ["succeeded"]
    assert len(service.asked) == 5


def test_retries_within_an_attempt_succeed_within_it(app: Tenure, service: Scripted) -> None:
    service.then(408).then(425)
    job = declare(app, posting(service, retries=2, wait=0))
    assert [one.outcome for one in drain(app)] == ["succeeded"]
    assert effect_of(app, job).tries == 3


def test_a_long_body_is_kept_in_part_and_says_so(app: Tenure, service: Scripted) -> None:
    service.then(200, {}, "äöü".encode() * 100_000).then(200, {}, b"\xff\xfe\xff")

    def handler(ctx: Context) -> list[Any]:
        cut = ctx.request("cut", "GET", service.url, keep_body=11)
        with pytest.raises(InvalidInput, match="cut"):
            cut.json()
        return [cut.text, cut.is_cut, ctx.request("binary", "GET", service.url).text]

    job = declare(app, handler)
    drain(app)
    assert app.get(job).result() == ["äöüäö", True, None]  # type: ignore[union-attr]


def test_another_body_under_the_same_effect_is_refused(app: Tenure, service: Scripted) -> None:
    def handler(ctx: Context) -> None:
        for cents in (5, 6):
            ctx.request("act", "POST", service.url, json={"cents": cents})

    declare(app, handler)
    assert (drain(app)[0].code, len(service.asked)) == ("effect_conflict", 1)


@pytest.mark.parametrize(
    ("said", "field"),
    [({"json": {}, "content": b""}, "json"), ({"keep_body": 1 << 20}, "keep_body"), ({"retries": -1}, "retries")],
)
def test_what_cannot_be_sent_is_refused_before_it_is_on_record(
    app: Tenure, service: Scripted, said: dict[str, Any], field: str
) -> None:
    def handler(ctx: Context) -> None:
        with pytest.raises(InvalidInput, match=field):
            ctx.request("act", "POST", service.url, **said)
        with pytest.raises(InvalidInput, match="url"):
            ctx.request("act", "POST", "ftp://example.org")

    job = declare(app, handler)
    assert [ran.outcome for ran in drain(app)] == ["succeeded"]
    store = app.opened()
    assert store.run(store.verbs.effects([job])) == {job: []}


def test_without_the_library_it_says_what_to_install(app: Tenure, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx2", None)

    def handler(ctx: Context) -> None:
        with pytest.raises(Misconfigured, match=r"tenure\[client\]"):
            ctx.request("act", "GET", "http://127.0.0.1")

    declare(app, handler)
    assert [ran.outcome for ran in drain(app)] == ["succeeded"]


@pytest.mark.parametrize(
    ("said", "seconds"),
    [(None, None), ("7", 7.0), ("soon", None), ("Sun, 06 Nov 1994 08:49:37 GMT", 0.0), ("-3", None)],
)
def test_both_forms_of_retry_after_are_read(said: str | None, seconds: float | None) -> None:
    assert retry_after(said) == seconds


@pytest.mark.parametrize("level", ["INFO", "DEBUG"])
@pytest.mark.parametrize("is_async", [False, True])
def test_no_log_holds_the_url_the_headers_or_the_answer_of_a_request(
    app: Tenure, service: Scripted, caplog: pytest.LogCaptureFixture, level: str, is_async: bool
) -> None:
    service.then(200, {"Set-Cookie": "session=9c1f"})
    url = f"{service.url}?card=4111-2222-3333"

    def handler(ctx: Context) -> None:
        ctx.request("act", "POST", url, headers={"Authorization": "Bearer s3cret"})

    async def async_handler(ctx: Context) -> None:
        await ctx.arequest("act", "POST", url, headers={"Authorization": "Bearer s3cret"})

    for name in ("", "httpx2", "httpcore2"):
        caplog.set_level(level, name)
    declare(app, async_handler if is_async else handler)
    assert [ran.outcome for ran in drain(app)] == ["succeeded"]
    assert len(service.asked) == 1
    told = "\n".join(f"{record.name} {record.getMessage()}" for record in caplog.records)
    for secret in ("4111-2222-3333", "s3cret", "9c1f", "/acts"):
        assert secret not in told


def test_what_the_handler_itself_sends_stays_in_its_log(
    app: Tenure, service: Scripted, caplog: pytest.LogCaptureFixture
) -> None:
    httpx2 = pytest.importorskip("httpx2")

    def handler(ctx: Context) -> None:
        ctx.request("act", "GET", f"{service.url}/recorded")
        httpx2.get(f"{service.url}/own")

    caplog.set_level("INFO", "httpx2")
    declare(app, handler)
    assert [ran.outcome for ran in drain(app)] == ["succeeded"]
    told = [record.getMessage() for record in caplog.records if record.name == "httpx2"]
    assert len(told) == 1
    assert "/own" in told[0]
