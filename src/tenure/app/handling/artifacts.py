"""What a handler calls to make a file: `ctx.artifact` and `ctx.aartifact`."""

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from tenure.app import values
from tenure.app.extras import lacking
from tenure.app.handling.effects import Effects
from tenure.core import fields
from tenure.core.errors import InvalidInput, LeaseLost
from tenure.core.ledger import artifact
from tenure.core.ledger.artifact import Artifact, Aside
from tenure.core.ledger.effect import EffectCall
from tenure.core.outcomes import NotDone, Retry, Terminal
from tenure.core.payloads import documents
from tenure.engine import barrier
from tenure.engine.attempts.run import Run
from tenure.operations.put_artifact import Write, put_artifact
from tenure.stores.artifacts import ArtifactPlace, place_to_make

Content = bytes | bytearray | memoryview | Path | Callable[[BinaryIO], None]
"""Bytes; a file to copy; or a function that writes to a file which takes its content from front to back."""

_CHUNK = 1 << 20


class Artifacts(Effects):
    """The part of a Context that makes files."""

    __slots__ = ()

    def artifact(
        self,
        name: str,
        content: Content,
        *,
        to: str | os.PathLike[str],
        sha256: str | None = None,
        metadata: Any = None,
        timeout: float | timedelta | None = None,
    ) -> Artifact:
        """Makes one file, whole or not at all: it is written aside, read back, and given its name in one step. On
        record as the effect `name`; a later attempt gets what is on record, and makes nothing.

        to: a path, or the URI of a file system of fsspec's (extra `fsspec`) that can rename or is an object store.
        sha256: what the content must have. metadata: JSON, kept with it. timeout: as for `effect`. The same bytes under
        that name already are kept.

        Where somebody has settled the effect, and not with what this answers, the file itself is looked at.

        Raises InvalidInput for a place where half a file could be left under the name; ArtifactConflict where other
        bytes have it; Terminal (`artifact_mismatch`, `artifact_missing`); NotDone (`artifact_not_written`,
        `artifact_damaged`); Retry (`artifact_unreadable`); LeaseLost; what `content` raises; and as `effect`.
        """
        making = self._making(content, to, sha256, metadata)
        told = self.effect(name, making.make, args=_args(to), timeout=timeout, idempotent=True, absent_on=_ABSENT)
        return _recorded(told) or making.standing(name)

    async def aartifact(
        self,
        name: str,
        content: Content,
        *,
        to: str | os.PathLike[str],
        sha256: str | None = None,
        metadata: Any = None,
        timeout: float | timedelta | None = None,  # noqa: ASYNC109 (it is the call's, and on record)
    ) -> Artifact:
        """The async twin of `artifact`: the file is written in a thread."""
        import asyncio

        making = self._making(content, to, sha256, metadata)
        call = partial(_in_thread, making)
        told = await self.aeffect(name, call, args=_args(to), timeout=timeout, idempotent=True, absent_on=_ABSENT)
        found = _recorded(told)
        return await asyncio.to_thread(making.standing, name) if found is None else found

    def _making(self, content: Content, to: str | os.PathLike[str], sha256: str | None, metadata: Any) -> "_Making":
        if not isinstance(to, (str, os.PathLike)):
            raise InvalidInput("to", f"must be a path or a URI, not {type(to).__name__}")
        plain = values.plain("metadata", metadata)
        documents.dump("metadata", plain)
        expected = None if sha256 is None else artifact.sha256("sha256", sha256)
        return _Making(self._run, _place(to), _write(content), expected, plain)


@dataclass(frozen=True, slots=True)
class _Making:
    """The call of the effect. given_up: whoever waited for it does not any more."""

    run: Run
    place: ArtifactPlace
    write: Write
    expected: str | None
    metadata: Any
    given_up: threading.Event = field(default_factory=threading.Event)

    def make(self, _call: EffectCall) -> Artifact:
        lease, place = self.run.lease, self.place
        aside = Aside(lease.job_id, lease.attempt, place.name)
        try:
            summed = put_artifact(place, aside, self.write, self.expected, self._before_promotion)
        except OSError as error:
            raise NotDone("artifact_not_written", f"{type(error).__name__}: {error}") from error
        return Artifact(uri=place.uri, sha256=summed.sha256, length=summed.length, metadata=self.metadata)

    def standing(self, name: str) -> Artifact:
        """The file as it stands. Raises Terminal where it does not, or is another; Retry where it cannot be read."""
        place = self.place
        try:
            summed = artifact.sum_of(place.read())
        except FileNotFoundError:
            told = f"effect {name!r} was settled as confirmed, and there is no file {place.name}"
            raise Terminal("artifact_missing", told) from None
        except OSError as error:
            raise Retry("artifact_unreadable", f"{place.name}: {type(error).__name__}: {error}") from error
        if self.expected not in (None, summed.sha256):
            told = f"{place.name} stands with SHA-256 {summed.sha256}, and {self.expected} was expected"
            raise Terminal("artifact_mismatch", told)
        return Artifact(uri=place.uri, sha256=summed.sha256, length=summed.length, metadata=self.metadata)

    def _before_promotion(self) -> None:
        self.run.check_owner()
        if self.given_up.is_set():
            raise LeaseLost(f"nobody waits for the file {self.place.name} of job {self.run.lease.job_id} any more")
        barrier.reach("before_promote")


_ABSENT = (LeaseLost,)


async def _in_thread(making: _Making, call: EffectCall) -> Artifact:
    import asyncio

    try:
        return await asyncio.to_thread(making.make, call)
    except asyncio.CancelledError:
        making.given_up.set()
        raise


def _args(to: str | os.PathLike[str]) -> dict[str, str]:
    return {"to": fields.text("to", os.fspath(to))}


def _place(to: str | os.PathLike[str]) -> ArtifactPlace:
    try:
        return place_to_make("to", to)
    except ModuleNotFoundError as error:
        raise lacking("a file outside the local ones", error, "fsspec") from error


def _write(content: Content) -> Write:
    if isinstance(content, (bytes, bytearray, memoryview)):
        return lambda file: _write_all(file, content)
    if isinstance(content, Path):
        return partial(_copy, content)
    if callable(content):
        return content
    raise InvalidInput("content", f"must be bytes, a Path or a function that writes, not {type(content).__name__}")


def _write_all(file: BinaryIO, content: bytes | bytearray | memoryview) -> None:
    file.write(content)


def _copy(source: Path, file: BinaryIO) -> None:
    with source.open("rb") as opened:
        while chunk := opened.read(_CHUNK):
            file.write(chunk)


def _recorded(result: Any) -> Artifact | None:
    """None where what is on record is no artifact."""
    try:
        return msgspec.convert(result, Artifact)
    except msgspec.ValidationError:
        return None
