"""Files that a payload names by their content: `InputRef`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import msgspec

from tenure.app.extras import lacking
from tenure.core.ledger.artifact import Summing, sum_of
from tenure.core.outcomes import Retry, Terminal
from tenure.stores.artifacts import ArtifactPlace, place_at

_SHA256: Final = re.compile(r"[0-9a-f]{64}")


class InputRef(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file in a payload. uri: a path, or the URI of a file system that fsspec knows. sha256: of its content, in
    hexadecimal.

    Every attempt reads it before the handler runs, and ends terminally, `input_mismatch`, where the content is another
    one. `read` and `fetch` look again: what they answer has this digest.
    """

    uri: str
    sha256: str

    def __post_init__(self) -> None:
        if not isinstance(self.sha256, str) or not _SHA256.fullmatch(self.sha256):
            raise ValueError("sha256 must be 64 hexadecimal digits in lower case")
        if not isinstance(self.uri, str) or not self.uri.strip():
            raise ValueError("uri must name a file")

    def check(self) -> None:
        """Raises Terminal (`input_mismatch`), Retry (`input_unreadable`), Misconfigured."""
        self._refuse_other(sum_of(self._chunks()).sha256)

    def read(self) -> bytes:
        """The content. Raises as `check`."""
        summing, chunks = Summing(), []
        for chunk in self._chunks():
            summing.add(chunk)
            chunks.append(chunk)
        self._refuse_other(summing.sum.sha256)
        return b"".join(chunks)

    def fetch(self, to: Path) -> Path:
        """Copies it to a local path, whole or not at all, and answers that. Raises as `check`; OSError where it cannot
        be written."""
        aside = to.with_name(f".{uuid4()}.part")
        summing = Summing()
        try:
            with aside.open("wb") as file:
                for chunk in self._chunks():
                    summing.add(chunk)
                    file.write(chunk)
            self._refuse_other(summing.sum.sha256)
            return aside.replace(to)
        finally:
            aside.unlink(missing_ok=True)

    def _chunks(self) -> Iterator[bytes]:
        try:
            yield from self._place().read()
        except OSError as error:
            raise Retry("input_unreadable", f"the input cannot be read: {type(error).__name__}: {error}") from error

    def _place(self) -> ArtifactPlace:
        try:
            return place_at("uri", self.uri)
        except ModuleNotFoundError as error:
            raise lacking("an input outside the local files", error, "fsspec") from error

    def _refuse_other(self, found: str) -> None:
        if found != self.sha256:
            raise Terminal("input_mismatch", f"the input has SHA-256 {found}, and {self.sha256} was enqueued")


def inputs_of(value: Any) -> Iterator[InputRef]:
    """Those anywhere in the arguments of a handler: in lists, dicts and structs too."""
    if isinstance(value, InputRef):
        yield value
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from inputs_of(getattr(value, name))
    elif isinstance(value, Mapping):
        for member in value.values():
            yield from inputs_of(member)
    elif isinstance(value, (Sequence, set, frozenset)) and not isinstance(value, (str, bytes)):
        for member in value:
            yield from inputs_of(member)
    elif hasattr(value, "__dataclass_fields__"):
        for name in value.__dataclass_fields__:
            yield from inputs_of(getattr(value, name))
