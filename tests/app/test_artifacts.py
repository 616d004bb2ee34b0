"""`ctx.artifact` and `ctx.aartifact`: a file stands whole under its name, once, or not at all."""

import asyncio
import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

import pytest
from fsspec.core import url_to_fs  # type: ignore[import-untyped]

from tenure import Artifact, Context, InvalidInput, LeaseLost, Tenure
from tenure.core.ledger.artifact import Aside
from tenure.core.ledger.effect import Effect
from tenure.engine.attempts.run import StopReason
from tenure.stores.artifacts import folder, place_at
from tenure.stores.artifacts.filesystem import ObjectPlace
from tenure.stores.artifacts.promotion import Way, way_of
from tenure.testing import adrain, drain

CONTENT = b"statement of account"
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(params=["folder", "object store"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where the file shall stand: a path, or a URI of the file system in memory."""
    if request.param == "folder":
        yield str(tmp_path / "out" / "a.pdf")
        return
    import fsspec

    name = f"/{uuid4()}"
    yield f"memory:/{name}/a.pdf"
    fsspec.filesystem("memory").rm(name, recursive=True) if fsspec.filesystem("memory").exists(name) else None


def names(target: str) -> list[str]:
    return sorted(found.name for found in place_at("to", target).beside())


def content(target: str) -> bytes:
    return b"".join(place_at("to", target).read())


def put(target: str, data: bytes, name: str | None = None) -> None:
    """A file of the folder, as somebody else writes it."""
    place = place_at("to", target)
    with place.create(name or place.name) as file:
        file.write(data)


def declare(app: Tenure, handler: Callable[..., Any], **options: Any) -> str:
    app.task(kind="file", **({"max_attempts": 2, "backoff": (0, 0)} | options))(handler)
    return app.enqueue("file").id


def effect_of(app: Tenure, job: str) -> Effect:
    store = app.opened()
    (row,) = store.run(store.verbs.effects([job]))[job]
    return row


def test_a_file_is_made_and_told_with_its_length_and_digest(app: Tenure, target: str) -> None:
    def handler(ctx: Context) -> Artifact:
        return ctx.artifact("statement", CONTENT, to=target, metadata={"pages": 1})

    job = declare(app, handler)
    assert [ran.outcome for ran in drain(app)] == ["succeeded"]
    told = app.get(job).result()  # type: ignore[union-attr]
    assert (told["sha256"], told["length"], told["metadata"]) == (SHA256, len(CONTENT), {"pages": 1})
    assert told["uri"].endswith("/a.pdf")
    assert (names(target), content(target)) == (["a.pdf"], CONTENT)
    assert effect_of(app, job).state == "confirmed"


def test_the_async_twin_makes_it_in_a_thread(app: Tenure, target: str) -> None:
    async def handler(ctx: Context) -> Artifact:
        return await ctx.aartifact("statement", lambda file: file.write(CONTENT), to=target)

    declare(app, handler)
    assert [ran.outcome for ran in asyncio.run(adrain(app))] == ["succeeded"]
    assert (names(target), content(target)) == (["a.pdf"], CONTENT)


def test_a_file_of_the_handlers_is_copied(app: Tenure, target: str, tmp_path: Path) -> None:
    made = tmp_path / "made"
    made.write_bytes(CONTENT * 100_000)

    def handler(ctx: Context) -> None:
        ctx.artifact("statement", made, to=target)

    declare(app, handler)
    assert [ran.outcome for ran in drain(app)] == ["succeeded"]
    assert content(target) == CONTENT * 100_000


def test_a_later_attempt_takes_what_is_on_record_and_makes_nothing(app: Tenure, target: str) -> None:
    made: list[int] = []

    def write(file: BinaryIO) -> None:
        made.append(1)
        file.write(CONTENT)

    def handler(ctx: Context) -> Artifact:
        found = ctx.artifact("statement", write, to=target)
        if ctx.attempt.number == 1:
            raise ConnectionError
        return found

    job = declare(app, handler)
    assert [ran.outcome for ran in drain(app, advance=True)] == ["failed", "succeeded"]
    assert made == [1]
    assert app.get(job).result()["sha256"] == SHA256  # type: ignore[union-attr]


def test_the_same_bytes_under_the_name_are_kept(app: Tenure, target: str) -> None:
    put(target, CONTENT)

    def handler(ctx: Context) -> None:
        ctx.artifact("statement", CONTENT, to=target)

    job = declare(app, handler)
    assert [ran.outcome for ran in drain(app)] == ["succeeded"]
    assert (names(target), effect_of(app, job).state) == (["a.pdf"], "confirmed")


def test_other_bytes_under_the_name_are_refused(app: Tenure, target: str) -> None:
    put(target, b"somebody else's")

    def handler(ctx: Context) -> None:
        ctx.artifact("statement", CONTENT, to=target)

    job = declare(app, handler)
    (ran,) = drain(app)
    assert (ran.state, ran.code) == ("failed", "artifact_conflict")
    assert (names(target), content(target)) == (["a.pdf"], b"somebody else's")
    assert effect_of(app, job).state == "absent"


def test_bytes_of_another_digest_than_expected_are_refused(app: Tenure, target: str) -> None:
    def handler(ctx: Context) -> None:
        ctx.artifact("statement", CONTENT, to=target, sha256="0" * 64)

    declare(app, handler)
    (ran,) = drain(app)
    assert (ran.state, ran.code, names(target)) == ("failed", "artifact_mismatch", [])


def test_an_attempt_that_lost_its_job_removes_its_own_file_and_promotes_nothing(app: Tenure, target: str) -> None:
    def handler(ctx: Context) -> None:
        def write(file: BinaryIO) -> None:
            file.write(CONTENT)
            assert len(names(target)) in (0, 1), "object stores show a file when it is closed"
            ctx._run.stop(StopReason.LEASE_LOST)

        with pytest.raises(LeaseLost):
            ctx.artifact("statement", write, to=target)
        raise LeaseLost("told on")

    job = declare(app, handler, max_attempts=1)
    drain(app)
    assert (names(target), effect_of(app, job).state) == ([], "absent")


def test_an_exception_while_it_is_written_leaves_nothing(app: Tenure, target: str) -> None:
    def write(file: BinaryIO) -> None:
        file.write(CONTENT)
        raise ValueError("half")

    def handler(ctx: Context) -> None:
        ctx.artifact("statement", write, to=target)

    declare(app, handler, max_attempts=1)
    (ran,) = drain(app)
    assert (ran.state, names(target)) == ("failed", [])


def test_a_storage_that_fails_is_tried_again(app: Tenure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> None:
        monkeypatch.undo()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folder.os, "fsync", full)

    def handler(ctx: Context) -> None:
        ctx.artifact("statement", CONTENT, to=tmp_path / "a.pdf")

    declare(app, handler)
    assert [(ran.outcome, ran.code) for ran in drain(app, advance=True)] == [
        ("failed", "artifact_not_written"),
        ("succeeded", None),
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["a.pdf"]


def test_what_earlier_attempts_of_the_job_left_is_removed_and_nothing_else(app: Tenure, target: str) -> None:
    kept: list[str] = []

    def handler(ctx: Context) -> None:
        mine, other = ctx.job.id, str(uuid4())
        left = [Aside(mine, 0, "a.pdf").name]
        kept.extend([Aside(mine, 9, "a.pdf").name, Aside(mine, 0, "b.pdf").name, Aside(other, 0, "a.pdf").name])
        for name in [*left, *kept]:
            put(target, b"half", name)
        ctx.artifact("statement", CONTENT, to=target)

    declare(app, handler)
    assert [ran.outcome for ran in drain(app)] == ["succeeded"]
    assert names(target) == sorted([*kept, "a.pdf"])


def test_a_file_that_reads_back_otherwise_is_not_promoted(
    app: Tenure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder.FilePlace, "read", lambda *_: iter([b"statement of accounts"]))

    def handler(ctx: Context) -> None:
        ctx.artifact("statement", CONTENT, to=tmp_path / "a.pdf")

    declare(app, handler, max_attempts=1)
    (ran,) = drain(app)
    assert (ran.code, list(tmp_path.iterdir())) == ("artifact_damaged", [])


def test_a_file_system_without_links_promotes_by_a_rename(
    app: Tenure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)

    def handler(ctx: Context) -> None:
        ctx.artifact("first", CONTENT, to=tmp_path / "a.pdf")
        ctx.artifact("second", b"other", to=tmp_path / "a.pdf")

    declare(app, handler)
    (ran,) = drain(app)
    assert (ran.code, (tmp_path / "a.pdf").read_bytes()) == ("artifact_conflict", CONTENT)


@pytest.mark.parametrize("to", ["", "folder/", "nowhere-known://a/b"])
def test_what_is_no_place_for_a_file_is_refused(app: Tenure, to: str) -> None:
    with pytest.raises(InvalidInput, match="to"):
        place_at("to", to)


def test_a_file_uri_is_a_local_path(tmp_path: Path) -> None:
    place = place_at("to", (tmp_path / "a b.pdf").as_uri())
    assert (place.name, place.uri) == ("a b.pdf", (tmp_path / "a b.pdf").as_uri())


def test_a_local_uri_of_fsspecs_is_a_local_path_as_it_stands(tmp_path: Path) -> None:
    place = place_at("to", f"local://{tmp_path}/a%20b.pdf")
    assert isinstance(place, folder.FilePlace)
    assert place.uri == (tmp_path / "a%20b.pdf").as_uri()


@pytest.mark.parametrize(
    ("uri", "way"),
    [
        ("memory://a/b", Way.COPY),
        ("simplecache::memory://a/b", Way.COPY),
        ("dir::memory://a/b", Way.COPY),
        ("local:///a/b", Way.RENAME),
        ("dir::local:///a/b", Way.RENAME),
        ("data://a/b", None),
    ],
)
def test_how_a_file_gets_its_name_is_told_by_the_nearest_file_system_that_is_known(uri: str, way: Way | None) -> None:
    assert way_of(url_to_fs(uri)[0]) is way


def test_a_file_is_refused_where_half_of_it_could_be_left_under_its_name(app: Tenure) -> None:
    def handler(ctx: Context) -> str:
        with pytest.raises(InvalidInput, match="in one step"):
            ctx.artifact("statement", CONTENT, to="data://folder/a.pdf")
        return "refused"

    job = declare(app, handler)
    assert [ran.outcome for ran in drain(app)] == ["succeeded"]
    store = app.opened()
    assert store.run(store.verbs.effects([job]))[job] == []


def test_a_rename_that_did_nothing_and_told_nothing_is_no_promotion(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = ObjectPlace(f"local://{tmp_path}/a.pdf")
    with place.create("aside") as file:
        file.write(CONTENT)
    monkeypatch.setattr(type(place._files), "mv", lambda *_: None)
    with pytest.raises(OSError, match="renamed"):
        place.promote("aside")
    monkeypatch.undo()
    assert place.promote("aside")
    place.remove("aside")
    assert [found.name for found in place.beside()] == ["a.pdf"]
