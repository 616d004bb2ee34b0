"""Where the files of jobs are kept: a local folder, or any file system that fsspec knows."""

import os
import re
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from tenure.core.errors import InvalidInput
from tenure.stores.artifacts.filesystem import ObjectPlace
from tenure.stores.artifacts.folder import FilePlace
from tenure.stores.artifacts.place import Beside, Place

__all__ = ["Beside", "Place", "place_at"]

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(://|::)")
"""Two letters at least: one is a drive."""


def place_at(field: str, said: str | os.PathLike[str]) -> Place:
    """The place of a file. said: a path, or a URI. Raises InvalidInput for one that names no file; ModuleNotFoundError
    where what it takes to get there is not installed."""
    text = os.fspath(said)
    if not text or text.endswith("/") or "\0" in text:
        raise InvalidInput(field, "must be the path or URI of a file")
    if not _SCHEME.match(text):
        return FilePlace(Path(text))
    parts = urlsplit(text)
    if parts.scheme == "file":
        return FilePlace(Path(unquote(parts.path)))
    try:
        return ObjectPlace(text)
    except ValueError as error:
        raise InvalidInput(field, f"no file system is known for it: {error}") from error
