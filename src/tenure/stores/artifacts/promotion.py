"""How a file system of fsspec gives a file its name in one step: by a rename, by a copy, or not at all.

fsspec tells neither: its `mv` is a copy and a removal unless a class has one of its own, and a copy on whatever keeps
files byte by byte stands half under the name when its process dies. So it is said here, by the name of the protocol.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import Any, Final


class Way(StrEnum):
    RENAME = "rename"
    COPY = "copy"


_WAYS: Final = {
    Way.RENAME: frozenset({"file", "local", "sftp", "ssh", "smb", "ftp", "hdfs", "arrow_hdfs", "webhdfs"}),
    Way.COPY: frozenset({"memory", "s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "oci", "oss", "tos"}),
}
"""RENAME: `mv` is the file system's own rename. COPY: object stores, where an object is seen when it is whole."""


def way_of(files: Any) -> Way | None:
    """Of an fsspec file system; of the one below, where it only wraps one. None: no way is known."""
    known = (way for protocol in _protocols(files) for way, protocols in _WAYS.items() if protocol in protocols)
    return next(known, None)


def _protocols(files: Any) -> Iterator[str]:
    """Its own and those that it inherits, the nearest first; then those of what it wraps."""
    from fsspec import AbstractFileSystem  # type: ignore[import-untyped]

    while isinstance(files, AbstractFileSystem):
        for kind in type(files).__mro__:
            said = vars(kind).get("protocol", ())
            yield from [said] if isinstance(said, str) else said if isinstance(said, tuple) else ()
        files = getattr(files, "fs", None)
