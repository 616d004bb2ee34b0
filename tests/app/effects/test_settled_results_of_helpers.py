"""What an operator or a reconcile function says of an effect of `ctx.request` or `ctx.artifact` is read by it."""

import hashlib
import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tenure import Artifact, Context, Tenure, happened
from tenure.core.ledger.effect import EffectState, Said
from tenure.core.ledger.http_response import HttpResponse, recorded
from tenure.operations.redrive import redrive
from tenure.operations.settle_effect import settle_effect
from tenure.testing import drain

CHARGE = {"charge": "ch_1", "status": "paid"}


@pytest.fixture
def hangs_up() -> Any:
    """The URL of a service that takes each connection and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        import threading

        def serve() -> None:
            while True:
                try:
                    taken, _ = server.accept()
                except OSError:
                    return
                taken.recv(1 << 16)
                taken.close()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"
        server.shutdown(socket.SHUT_RDWR)
    thread.join()


def settled(app: Tenure, job: str, result: Any = None) -> None:
    """The only effect of the job is said to have happened, and the job sent again."""
    text, store = None if result is None else json.dumps(result), app.opened()
    (row,) = store.run(store.verbs.effects([job]))[job]
    answer = store.run(settle_effect(store.verbs, job, row.name, Said(EffectState.CONFIRMED, text), who="ada"))
    assert answer.happened == "settled"
    store.run(redrive(store.verbs, job, who="ada"))


def declare(app: Tenure, handler: Callable[..., Any]) -> str:
    app.task(kind="act", max_attempts=1)(handler)
    return app.enqueue("act").id


@pytest.mark.parametrize("is_async", [False, True])
def test_a_settled_result_is_the_body_of_the_answer_to_a_request(app: Tenure, hangs_up: str, is_async: bool) -> None:
    def handler(ctx: Context) -> Any:
        answer = ctx.request("charge", "POST", hangs_up)
        return [answer.status, answer.json()]

    async def async_handler(ctx: Context) -> Any:
        answer = await ctx.arequest("charge", "POST", hangs_up)
        return [answer.status, answer.json()]

    job = declare(app, async_handler if is_async else handler)
    drain(app)
    settled(app, job, CHARGE)
    assert [ran.outcome for ran in drain(app)] == ["succeeded"]
    assert app.get(job).result() == [200, CHARGE]  # type: ignore[union-attr]


def test_a_request_that_was_settled_without_a_result_has_an_empty_body(app: Tenure, hangs_up: str) -> None:
    job = declare(app, lambda ctx: ctx.request("charge", "POST", hangs_up).text)
    drain(app)
    settled(app, job)
    assert [ran.outcome for ran in drain(app)] == ["succeeded"]
    assert app.get(job).result() == ""  # type: ignore[union-attr]


def test_what_a_reconcile_function_found_is_the_body_of_the_answer(app: Tenure, hangs_up: str) -> None:
    def handler(ctx: Context) -> Any:
        return ctx.request("charge", "POST", hangs_up, reconcile=lambda key: happened(CHARGE), timeout=1).json()

    app.task(kind="act", max_attempts=3, backoff=(0, 0))(handler)
    job = app.enqueue("act")
    drain(app, advance=True)
    assert job.refresh().result() == CHARGE


@pytest.mark.parametrize(
    ("result", "response"),
    [
        ({"status": 201, "text": "made"}, HttpResponse(status=201, text="made")),
        ({"status": 201, "headers": {"location": "/7"}, "text": None, "is_cut": False},
         HttpResponse(status=201, headers={"location": "/7"})),
        (None, HttpResponse(status=200, text="")),
    ],
)  # fmt: skip
def test_a_response_that_is_on_record_is_read_as_it_is(result: Any, response: HttpResponse) -> None:
    assert recorded(result) == response


@pytest.mark.parametrize(
    "result", [{"status": "paid"}, {"status": 5}, {"status": True}, {"status": 200, "id": 7}, {"status": 200, "text": 7}, [], "ok", 0]
)  # fmt: skip
def test_what_only_resembles_a_response_is_a_body(result: Any) -> None:
    response = recorded(result)
    assert (response.status, response.json()) == (200, result)


def breaks(_file: Any) -> None:
    raise RuntimeError("nobody knows how far it came")


@pytest.fixture
def made(app: Tenure, tmp_path: Path, request: pytest.FixtureRequest) -> tuple[str, Path]:
    """A job whose file may be there or not; and where."""
    path = tmp_path / "a.pdf"

    async def handler(ctx: Context, sha256: str | None = None) -> Artifact:
        return await ctx.aartifact("statement", breaks, to=path, metadata={"pages": 1}, sha256=sha256)

    app.task(kind="act", max_attempts=1)(handler)
    job = app.enqueue("act", getattr(request, "param", {}))
    drain(app)
    return job.id, path


@pytest.mark.parametrize("result", [None, {"looked": "at it"}])
def test_a_file_that_was_settled_is_told_as_it_stands(app: Tenure, made: tuple[str, Path], result: Any) -> None:
    job, path = made
    path.write_bytes(b"statement")
    settled(app, job, result)
    assert [ran.outcome for ran in drain(app)] == ["succeeded"]
    told = app.get(job).result()  # type: ignore[union-attr]
    digest = hashlib.sha256(b"statement").hexdigest()
    assert told == {"uri": path.as_uri(), "sha256": digest, "length": 9, "metadata": {"pages": 1}}


def test_a_settled_file_that_is_not_there_ends_the_job_with_a_code(app: Tenure, made: tuple[str, Path]) -> None:
    job, path = made
    settled(app, job)
    (ran,) = drain(app)
    assert (ran.outcome, ran.code) == ("failed", "artifact_missing")
    assert path.name in app.read(job).error  # type: ignore[union-attr,operator]


@pytest.mark.parametrize("made", [{"sha256": "0" * 64}], indirect=True)
def test_a_settled_file_with_another_digest_ends_the_job_with_a_code(app: Tenure, made: tuple[str, Path]) -> None:
    job, path = made
    path.write_bytes(b"statement")
    settled(app, job)
    (ran,) = drain(app)
    assert (ran.outcome, ran.code) == ("failed", "artifact_mismatch")


def test_a_settled_file_that_cannot_be_read_is_tried_again(app: Tenure, made: tuple[str, Path]) -> None:
    job, path = made
    path.mkdir()
    settled(app, job)
    (ran,) = drain(app)
    assert ran.code == "artifact_unreadable"
