"""Where the files of jobs are kept: a local folder, or any file system that fsspec knows."""

import os
import re
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from tenure.core.errors import InvalidInput
from tenure.stores.artifacts.filesystem import ObjectPlace
from tenure.stores.artifacts.folder import FilePlace
from tenure.stores.artifacts.place import ArtifactPlace, Beside

__all__ = ["ArtifactPlace", "Beside", "place_at", "place_to_make"]

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(://|::)")
"""Two letters at least: one is a drive."""
_LOCAL: Final = "local://"
"""fsspec's own word for a path, which it takes as it stands."""


def place_at(field: str, said: str | os.PathLike[str]) -> ArtifactPlace:
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
    if text.lower().startswith(_LOCAL):
        return FilePlace(Path(text[len(_LOCAL) :]))
    try:
        return ObjectPlace(text)
    except ValueError as error:
        raise InvalidInput(field, f"no file system is known for it: {error}") from error


def place_to_make(field: str, said: str | os.PathLike[str]) -> ArtifactPlace:
    """As `place_at`. Raises InvalidInput also where a process that dies could leave half a file under the name."""
    place = place_at(field, said)
    if not place.can_promote:
        raise InvalidInput(field, "its file system has no known way to give a whole file its name in one step")
    return place
