"""What a place for one file must be able to do. Raises OSError where the storage fails."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import datetime
from typing import BinaryIO, NamedTuple, Protocol


class Beside(NamedTuple):
    """A file of the folder. changed: aware UTC."""

    name: str
    changed: datetime


class ArtifactPlace(Protocol):
    """The place of one file, and the folder that it is in."""

    @property
    def uri(self) -> str: ...

    @property
    def name(self) -> str:
        """The file's, in its folder."""

    @property
    def can_promote(self) -> bool:
        """Whether a way is known to give a file its name in one step."""

    def create(self, aside: str) -> AbstractContextManager[BinaryIO]:
        """A new file of the folder to write to. It is durable once the context has ended."""

    def read(self, aside: str | None = None) -> Iterator[bytes]:
        """A file of the folder, or the place's own; in pieces. Raises FileNotFoundError."""

    def promote(self, aside: str) -> bool:
        """Gives a file of the folder the place's name, durably and in one step; only where `can_promote`. False: that
        name is taken."""

    def remove(self, aside: str) -> None:
        """One that is not there is removed already."""

    def beside(self) -> Iterator[Beside]:
        """The files of the folder; none where it is not there."""
