"""A file of any file system that fsspec knows: s3://, gs://, sftp://, memory:// and their kin (extra `fsspec`).

Where it can rename, the name is given by that. An object store cannot: there a file is copied to its name, whole or not
at all, and the copy is read back. Nor can most refuse a name that is taken at the very moment; of two attempts that
promote together the later file stands, and they differ only where one file was made of two contents.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, BinaryIO

from tenure.core.ledger.artifact import sum_of
from tenure.stores.artifacts.folder import CHUNK
from tenure.stores.artifacts.place import Beside
from tenure.stores.artifacts.promotion import Way, way_of


class ObjectPlace:
    """Raises ModuleNotFoundError without fsspec, or without the package that it needs for the URI's scheme."""

    def __init__(self, uri: str) -> None:
        from fsspec.core import url_to_fs  # type: ignore[import-untyped]

        self._files: Any
        self._path: str
        self._files, self._path = url_to_fs(uri)
        self._folder, _, self._name = self._path.rpartition("/")
        self._uri = uri

    @property
    def uri(self) -> str:
        return self._uri

    @property
    def name(self) -> str:
        return self._name

    @property
    def can_promote(self) -> bool:
        return way_of(self._files) is not None

    @contextmanager
    def create(self, aside: str) -> Iterator[BinaryIO]:
        self._files.makedirs(self._folder, exist_ok=True)
        with self._files.open(self._beside(aside), "wb") as file:
            yield file

    def read(self, aside: str | None = None) -> Iterator[bytes]:
        with self._files.open(self._path if aside is None else self._beside(aside), "rb") as file:
            while chunk := file.read(CHUNK):
                yield chunk

    def promote(self, aside: str) -> bool:
        if self._stands(self._path):
            return False
        if way_of(self._files) is Way.RENAME:
            self._rename(aside)
        else:
            self._copy(aside)
        return True

    def _rename(self, aside: str) -> None:
        self._files.mv(self._beside(aside), self._path)
        if self._stands(self._beside(aside)):
            raise OSError(f"{self._name} was not renamed to, though no error was told")

    def _copy(self, aside: str) -> None:
        expected = sum_of(self.read(aside))
        self._files.cp_file(self._beside(aside), self._path)
        if sum_of(self.read()) != expected:
            raise OSError(f"the copy of {self._name} is not what was copied")
        self.remove(aside)

    def remove(self, aside: str) -> None:
        """Looks first: what a file system raises for a file that is not there is its own affair."""
        if not self._stands(self._beside(aside)):
            return
        try:
            self._files.rm_file(self._beside(aside))
        except FileNotFoundError:
            return

    def _stands(self, path: str) -> bool:
        self._files.invalidate_cache(self._folder)
        found: bool = self._files.exists(path)
        return found

    def beside(self) -> Iterator[Beside]:
        self._files.invalidate_cache(self._folder)
        try:
            found = self._files.ls(self._folder, detail=True)
        except FileNotFoundError:
            return
        for entry in found:
            if entry["type"] == "file":
                yield Beside(entry["name"].rpartition("/")[2], self._changed(entry["name"]))

    def _changed(self, path: str) -> datetime:
        changed: datetime = self._files.modified(path)
        return changed.replace(tzinfo=UTC) if changed.tzinfo is None else changed

    def _beside(self, name: str) -> str:
        return f"{self._folder}/{name}" if self._folder else name
