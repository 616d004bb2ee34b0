"""What every store can be asked about the documents that it keeps, as they rest: to count them by key, and to seal them
anew."""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from tenure.core.secrecy.sealed import Column, RowKey
from tenure.stores.script import Script


class Kept(msgspec.Struct, frozen=True, array_like=True):
    """A row's document as it rests. head: its first characters, None where there is no document. text: all of it, where
    it was asked for."""

    place: RowKey
    head: str | None
    text: str | None


class Waiting(msgspec.Struct, frozen=True, array_like=True):
    """A job that waits. head: the first characters of its payload as it rests, blank where there is none."""

    job_id: str
    kind: str
    head: str
    last_error_code: str | None


class Change(msgspec.Struct, frozen=True, array_like=True):
    """A document as it was read, and as it is to rest from now on."""

    place: RowKey
    before: str
    after: str


class ResealVerbs(Protocol):
    """Part of `stores.protocol.Verbs`. Neither seals nor opens anything."""

    def documents(self, column: Column, after: RowKey | None, limit: int, but: str | None) -> Script[list[Kept]]:
        """Rows in the order of their places, past `after`, with or without a document: at most `limit` are looked at.
        but: the whole text is answered of those that do not begin so; None: of none."""

    def waiting_payloads(self, queue: str, limit: int) -> Script[list[Waiting]]:
        """Of the ready jobs of a queue the first `limit` in the order of claims and the last; and those that are of the
        queue among the `limit` jobs of all queues that are due first, and last. By id, each once."""

    def replace_documents(self, column: Column, changes: Sequence[Change]) -> Script[int]:
        """G9: each where it still rests as it was read, and nobody holds the row; how many. Neither the row's revision
        nor its lease is touched: what it says is the same."""
