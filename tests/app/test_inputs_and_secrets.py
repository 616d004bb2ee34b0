"""`InputRef` and `SecretRef`: a payload names a file by its content and a secret by its name."""

import asyncio
import base64
import hashlib
import urllib.parse
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import pytest

from tenure import Context, InputRef, InvalidInput, SecretRef, Tenure, Uncertain
from tenure.core.payloads import documents
from tenure.testing import adrain, drain, memory_app

CONTENT = b"account,amount\n"
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.csv"
    path.write_bytes(CONTENT)
    return path


def test_an_input_is_read_as_it_was_enqueued(app: Tenure, file: Path, tmp_path: Path) -> None:
    @app.task(kind="load")
    def load(ledger: InputRef) -> list[str]:
        return [ledger.read().decode(), ledger.fetch(tmp_path / "copy").read_text()]

    job = load.enqueue(ledger=InputRef(str(file), SHA256))
    drain(app)
    assert job.refresh().result() == [CONTENT.decode()] * 2
    assert documents.load(job.row.payload or "") == {"ledger": {"uri": str(file), "sha256": SHA256}}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy", "ledger.csv"]


class Batch(msgspec.Struct):
    parts: list[InputRef]


@pytest.mark.parametrize("shape", ["alone", "list", "dict", "struct"])
def test_another_content_ends_the_job_before_its_handler_runs(app: Tenure, file: Path, shape: str) -> None:
    ran_at_all: list[Any] = []

    @app.task(kind="load_alone")
    def load_alone(ledger: InputRef) -> None:
        ran_at_all.append(ledger)

    @app.task(kind="load_list")
    async def load_list(ledger: list[InputRef | None]) -> None:
        ran_at_all.append(ledger)

    @app.task(kind="load_dict")
    def load_dict(ledger: dict[str, InputRef]) -> None:
        ran_at_all.append(ledger)

    @app.task(kind="load_struct")
    def load_struct(ledger: Batch) -> None:
        ran_at_all.append(ledger)

    ref = {"uri": str(file), "sha256": SHA256}
    said: dict[str, Any] = {"alone": ref, "list": [None, ref], "dict": {"a": ref}, "struct": {"parts": [ref]}}
    app.enqueue(f"load_{shape}", {"ledger": said[shape]})
    file.write_bytes(b"changed")
    (ran,) = asyncio.run(adrain(app))
    assert (ran.state, ran.code, ran_at_all) == ("failed", "input_mismatch", [])


def test_an_input_that_changes_while_the_handler_runs_is_found_out_when_it_is_read(app: Tenure, file: Path) -> None:
    @app.task(kind="load")
    def load(ledger: InputRef) -> None:
        file.write_bytes(b"changed")
        ledger.fetch(file.with_name("copy"))

    load.enqueue(ledger=InputRef(str(file), SHA256))
    (ran,) = drain(app)
    assert (ran.code, sorted(path.name for path in file.parent.iterdir())) == ("input_mismatch", ["ledger.csv"])


def test_an_input_that_is_not_there_may_come_yet(app: Tenure, file: Path) -> None:
    @app.task(kind="load", max_attempts=2)
    def load(ledger: InputRef) -> None: ...

    file.unlink()
    load.enqueue(ledger=InputRef(str(file), SHA256))
    assert [ran.code for ran in drain(app, advance=True)] == ["input_unreadable"] * 2


def test_an_input_may_be_in_any_file_system_that_fsspec_knows(app: Tenure) -> None:
    import fsspec

    uri = f"memory://{uuid4()}/ledger.csv"
    fsspec.filesystem("memory").pipe_file(uri, CONTENT)

    @app.task(kind="load")
    def load(ledger: InputRef) -> str:
        return ledger.read().decode()

    job = load.enqueue(ledger=InputRef(uri, SHA256))
    drain(app)
    assert job.refresh().result() == CONTENT.decode()


@pytest.mark.parametrize(("uri", "sha256"), [("a", "short"), ("a", "A" * 64), ("", "0" * 64)])
def test_what_names_no_content_is_refused_where_it_is_enqueued(app: Tenure, uri: str, sha256: str) -> None:
    @app.task(kind="load")
    def load(ledger: InputRef) -> None: ...

    with pytest.raises(InvalidInput, match=r"payload\.ledger"):
        app.enqueue("load", {"ledger": {"uri": uri, "sha256": sha256}})


def test_a_secret_comes_from_the_environment_and_leaves_no_trace(app: Tenure, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENURE_SECRET_BANK_KEY", "sk-very-private")

    def call(_call: Any) -> None:
        raise Uncertain(message="the bank said: no sk-very-private")

    @app.task(kind="pay")
    def pay(ctx: Context, key: SecretRef) -> None:
        assert ctx.secret(key) == "sk-very-private"
        try:
            ctx.effect("charge", call)
        except Uncertain as error:
            raise ValueError("it was sk-very-private") from error

    job = pay.enqueue(key=SecretRef("bank/key"))
    (ran,) = drain(app)
    store = app.opened()
    rows = [job.refresh().row, *store.run(store.verbs.attempts([job.id]))[job.id]]
    told = f"{ran} {rows} {store.run(store.verbs.effects([job.id]))}"
    assert "very-private" not in told
    assert "it was •••" in told
    assert documents.load(job.row.payload or "") == {"key": {"name": "bank/key"}}


@pytest.mark.parametrize(
    "written",
    [
        repr,
        lambda secret: f"https://bank.example/?key={urllib.parse.quote(secret)}",
        lambda secret: f"Basic {base64.b64encode(f'shop:{secret}'.encode()).decode()}",
    ],
    ids=["quoted", "in a URL", "in a header"],
)
def test_a_secret_that_was_resolved_is_found_however_it_is_written(
    app: Tenure, monkeypatch: pytest.MonkeyPatch, written: Callable[[str], str]
) -> None:
    secret = 'very "private\\'
    monkeypatch.setenv("TENURE_SECRET_BANK_KEY", secret)

    @app.task(kind="pay", max_attempts=1)
    def pay(ctx: Context) -> None:
        raise ValueError(f"the bank refuses: {written(ctx.secret('bank-key'))}")

    job = pay.enqueue()
    drain(app)
    store = app.opened()
    told = f"{job.refresh().row} {store.run(store.verbs.attempts([job.id]))[job.id]}"
    assert "the bank refuses: " in told
    assert "•••" in told
    assert "private" not in told
    assert written(secret) not in told


def test_no_other_variable_of_the_environment_can_be_named(app: Tenure, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME_KEY", "x")

    @app.task(kind="pay")
    def pay(ctx: Context, key: SecretRef) -> None:
        ctx.secret(key)

    pay.enqueue(key=SecretRef("HOME_KEY"))
    (ran,) = drain(app)
    assert (ran.state, ran.code) == ("failed", "secret_missing")
    for name in ("", "../x", "a b"):
        with pytest.raises(InvalidInput, match=r"payload\.key"):
            app.enqueue("pay", {"key": {"name": name}})


def test_an_application_may_resolve_secrets_by_itself() -> None:
    app = Tenure("sqlite:///never-opened.db", secrets={"bank": "s3cret"}.get)

    @app.task(kind="pay")
    async def pay(ctx: Context, key: SecretRef) -> int:
        return len(await ctx.asecret(key)) + len(ctx.secret("bank"))

    with memory_app(app):
        job = pay.enqueue(key=SecretRef("bank"))
        asyncio.run(adrain(app))
        assert job.refresh().result() == 12
