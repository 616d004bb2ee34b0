"""A file of a local folder."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Final

from tenure.stores.artifacts.place import Beside

CHUNK: Final = 1 << 20
_NO_LINKS: Final = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})
"""What file systems answer that know no hard links."""


class FilePlace:
    """The folder is made with the first file that is written to it."""

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()

    @property
    def uri(self) -> str:
        return self._path.as_uri()

    @property
    def name(self) -> str:
        return self._path.name

    @property
    def can_promote(self) -> bool:
        return True

    @contextmanager
    def create(self, aside: str) -> Iterator[BinaryIO]:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._beside(aside).open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())

    def read(self, aside: str | None = None) -> Iterator[bytes]:
        with (self._path if aside is None else self._beside(aside)).open("rb") as file:
            while chunk := file.read(CHUNK):
                yield chunk

    def promote(self, aside: str) -> bool:
        """A link is refused where the name is taken, a rename would replace what is there."""
        made = self._beside(aside)
        try:
            os.link(made, self._path)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            if self._path.exists():
                return False
            made.replace(self._path)
        self.remove(aside)
        _sync(self._path.parent)
        return True

    def remove(self, aside: str) -> None:
        self._beside(aside).unlink(missing_ok=True)

    def beside(self) -> Iterator[Beside]:
        if not self._path.parent.is_dir():
            return
        with os.scandir(self._path.parent) as found:
            for entry in found:
                try:
                    changed = entry.stat(follow_symlinks=False).st_mtime
                except FileNotFoundError:
                    continue  # removed since it was listed
                yield Beside(entry.name, datetime.fromtimestamp(changed, UTC))

    def _beside(self, name: str) -> Path:
        return self._path.with_name(name)


def _sync(folder: Path) -> None:
    """Makes the new name itself durable. Windows has no such call for folders."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
