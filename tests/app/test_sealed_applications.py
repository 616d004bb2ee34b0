"""An application whose documents rest sealed: what its settings say, what a handler meets, and what a thief finds."""

import base64
import builtins
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tenure import Context, Misconfigured, ResultError, State, Tenure
from tenure.app.settings import Settings
from tenure.testing import drain
from tests.databases import EITHER, fresh
from tests.sealing_keys import said

WORD = "plaintext-of-a-customer"


def shop(url: str, *ids: str) -> Tenure:
    """All that can be sealed, in one task; a second attempt reads what the first one has left."""
    app = Tenure(url, encryption_keys=said(*ids) if ids else None)

    @app.task(kind="letter", backoff=(0.0, 0.0))
    def letter(ctx: Context, to: str) -> dict[str, str]:
        ctx.checkpoint("page", {"of": to})
        ctx.effect("post", lambda call: {"to": to})
        return {"sent": to}

    @app.task(kind="effect")
    def effect(ctx: Context) -> Any:
        return ctx.effect("post", lambda call: WORD, key="the one")

    @app.task(kind="resume")
    def resume(ctx: Context) -> Any:
        return ctx.checkpoints()

    return app


@pytest.fixture(params=EITHER)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return fresh(request.param, tmp_path)


@pytest.fixture
def apps(url: str) -> Iterator[Any]:
    """Applications on one database, by the ids of their keys."""
    made: list[Tenure] = []

    def with_keys(*ids: str) -> Tenure:
        made.append(shop(url, *ids))
        return made[-1]

    yield with_keys
    for app in made:
        app.close()


def dump(url: str, folder: Path) -> bytes:
    """What somebody finds who has the files of an SQLite database, or a dump of a PostgreSQL one."""
    if url.startswith("sqlite"):
        return b"".join(path.read_bytes() for path in sorted(folder.glob("tenure.db*")))
    from tests.conformance.postgres_server import shared

    server = shared()
    tables = server.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'", url)
    rows = [row for (table,) in tables for row in server.execute(f"SELECT t::text FROM {table} AS t", url)]
    return "\n".join(text for (text,) in rows).encode()


@pytest.mark.parametrize(("ids", "is_found"), [((), True), (("a",), False)], ids=["plain", "sealed"])
def test_a_dump_of_the_database_shows_no_word_of_a_document(
    apps: Any, url: str, tmp_path: Path, ids: tuple[str, ...], is_found: bool
) -> None:
    app = apps(*ids)
    jobs = [app.enqueue("letter", {"to": f"{WORD} {n}"}) for n in range(3)]
    jobs += app.enqueue_many([app.item("letter", {"to": f"{WORD} {n}"}) for n in range(30)])
    assert WORD.encode() not in dump(url, tmp_path) or is_found
    assert {ran.outcome for ran in drain(app)} == {"succeeded"}
    assert jobs[0].result(timeout=0) == {"sent": f"{WORD} 0"}
    assert jobs[-1].result(timeout=0) == {"sent": f"{WORD} 29"}
    assert (WORD.encode() in dump(url, tmp_path)) is is_found


def test_a_result_whose_key_is_missing_says_so(apps: Any) -> None:
    app = apps("a")
    job = app.enqueue("letter", {"to": "ada"})
    drain(app)
    with pytest.raises(ResultError) as refused:
        apps("b").get(job.id).result(timeout=0)
    assert refused.value.code == "sealed_key_missing"
    assert "key 'a', which this process lacks" in refused.value.message


def test_a_payload_that_does_not_open_says_so(apps: Any) -> None:
    job = apps("a").enqueue("letter", {"to": "ada"})
    assert job.payload() == {"to": "ada"}
    seen = apps("b").get(job.id)
    for reveal in (True, False):
        with pytest.raises(ResultError, match=r"the payload of job .* is sealed with key 'a'") as refused:
            seen.payload(reveal=reveal)
        assert (refused.value.code, "TENURE_ENCRYPTION_KEYS" in refused.value.hint) == ("sealed_key_missing", True)


def test_a_stored_result_of_an_effect_that_does_not_open_is_no_second_call(apps: Any) -> None:
    first, stranger = apps("a"), apps("b")
    first.enqueue("effect")
    assert drain(first)[0].outcome == "succeeded"
    stranger.enqueue("effect")
    (ran,) = drain(stranger)
    assert (ran.state, ran.code) == (State.FAILED, "sealed_key_missing")
    first.enqueue("effect")
    assert drain(first)[0].outcome == "succeeded"


def test_a_checkpoint_that_does_not_open_is_not_taken_as_missing(apps: Any) -> None:
    first, stranger = apps("a"), apps("b")
    job = stranger.enqueue("resume")
    store = first.opened()
    from datetime import UTC, datetime

    from tenure.core.ledger.checkpoint import Checkpoint

    saved = Checkpoint(job_id=job.id, name="page", value="7", attempt=1, fencing_token=1, saved_at=datetime.now(UTC))
    store.run(store.verbs.write_checkpoint(saved))
    (ran,) = drain(stranger)
    assert (ran.state, ran.code) == (State.FAILED, "sealed_key_missing")
    assert "the checkpoint 'page' is sealed with key 'a'" in (ran.error or "")


def test_a_payload_of_the_largest_size_is_taken_sealed_or_not(apps: Any) -> None:
    """Limits are of what was sent: sealed it is a third longer."""
    app = apps("a")
    largest = "x" * (65_536 - len('{"to":""}'))
    job = app.enqueue("letter", {"to": largest})
    job.refresh()
    assert len(job.row.payload or "") == 65_536


def test_drain_goes_on_past_what_was_set_aside(apps: Any) -> None:
    lost = apps("a").enqueue("letter", {"to": "ada"})
    app = apps("b")
    app.enqueue("letter", {"to": "bob"})
    assert [ran.outcome for ran in drain(app)] == ["succeeded"]
    assert app.get(lost.id).state is State.SCHEDULED
    assert app.get(lost.id).row.last_error_code == "sealed_key_missing"


def test_a_worker_that_lacks_the_key_of_jobs_that_wait_does_not_start_and_loses_none_of_them(apps: Any) -> None:
    owner = apps("a")
    jobs = [owner.enqueue("letter", {"to": "ada"}) for _ in range(3)]
    for stranger in (apps("b"), apps()):
        with pytest.raises(Misconfigured, match=r"key 'a', which this process lacks: job .*, for one") as refused:
            stranger.worker().run()
        assert refused.value.code == "sealed_key_missing"
        assert "TENURE_ENCRYPTION_KEYS" in str(refused.value)
    assert [job.refresh().state for job in jobs] == [State.READY] * 3
    assert {ran.outcome for ran in drain(owner)} == {"succeeded"}


def test_a_worker_starts_beside_jobs_of_other_kinds_and_what_has_ended_under_keys_that_it_lacks(apps: Any) -> None:
    owner = apps("a")
    owner.enqueue("letter", {"to": "ada"})
    drain(owner)
    owner.enqueue("letter", {"to": "bob"})
    other = Tenure(owner.url)
    other.task(kind="unsealed")(lambda: None)
    worker = other.worker()
    assert worker.run(on_ready=worker.stop) == 0
    other.close()


def test_keys_come_from_argument_variable_and_file_in_this_order(tmp_path: Path) -> None:
    environ = {"TENURE_ENCRYPTION_KEYS": said("variable")}
    (tmp_path / "tenure.toml").write_text(f'encryption_keys = "{said("file", "older")}"\n')
    settings = Settings(environ, tmp_path)
    assert [str(settings.keyring(text)) for text in (said("argument"), None)] == [
        "<Keyring argument>",
        "<Keyring variable>",
    ]
    assert str(Settings({}, tmp_path).keyring()) == "<Keyring file, older>"
    assert Settings({}, tmp_path / "nowhere").keyring() is None


def test_bad_keys_are_refused_at_the_start_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENURE_ENCRYPTION_KEYS", f"a:{base64.b64encode(b'too short').decode()}")
    with pytest.raises(Misconfigured, match="encryption_keys: key 1 \\('a'\\) is 9 bytes long, not 32") as refused:
        Tenure("memory://")
    assert refused.value.code == "bad_encryption_keys"
    assert base64.b64encode(b"too short").decode() not in str(refused.value)


def test_keys_without_the_library_are_refused_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    imported = builtins.__import__

    def lacking(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("cryptography"):
            raise ModuleNotFoundError(name, name=name)
        return imported(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", lacking)
    assert Tenure("memory://").database.keyring is None
    with pytest.raises(Misconfigured, match=r"needs cryptography.*tenure\[encryption\]"):
        Tenure("memory://", encryption_keys=said("a"))
