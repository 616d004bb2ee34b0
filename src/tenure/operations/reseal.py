"""Reseal: what rests under an older key, or under none, is sealed with the first one. A batch of one column at a
time."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from tenure.core.secrecy import cleaning
from tenure.core.secrecy.sealed import Column, RowKey, head_of, is_sealed, key_id_of
from tenure.stores.protocol import AuditLine, Verbs
from tenure.stores.resealing import Change, Kept
from tenure.stores.script import Script
from tenure.stores.sealing.keyring import Keyring


class ResealedBatch(msgspec.Struct, frozen=True, kw_only=True):
    """rows: looked at. resealed: documents that rest under the first key now. busy: somebody held the row or wrote it
    meanwhile. unopened: by the id of a key that is missing, or that does not open them; left as they are. next: where
    the following batch begins, None at the end."""

    rows: int
    resealed: int = 0
    busy: int = 0
    unopened: dict[str, int] = {}
    next: RowKey | None = None


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """Documents of one batch by the id of their key, those that rest in plain text by None. next: as in
    ResealedBatch."""

    rows: int
    by_key: dict[str | None, int]
    next: RowKey | None


def begin_reseal(verbs: Verbs, keyring: Keyring, *, who: str, why: str = "") -> Script[None]:
    """The line in the audit."""
    line = AuditLine(
        who=who, verb="reseal", subject="documents", why=cleaning.reason(why), detail=f"key {keyring.first}"
    )
    yield from verbs.audit(line)


def reseal(
    verbs: Verbs, keyring: Keyring, column: Column, after: RowKey | None = None, limit: int = 100
) -> Script[ResealedBatch]:
    """One batch. Repeating it changes nothing more. Neither leases nor revisions are touched, so that it goes beside
    running workers; a row that is written meanwhile is left, and met again by the next pass."""
    found = yield from verbs.documents(column, after, limit, head_of(keyring.first))
    opened = {kept.place: keyring.open(kept.text, column, kept.place) for kept in found if kept.text is not None}
    changes = [
        Change(kept.place, kept.text, keyring.seal(opened[kept.place], column, kept.place))
        for kept in found
        if kept.text is not None and not is_sealed(opened[kept.place])
    ]
    resealed = (yield from verbs.replace_documents(column, changes)) if changes else 0
    return ResealedBatch(
        rows=len(found),
        resealed=resealed,
        busy=len(changes) - resealed,
        unopened=dict(Counter(key_id_of(text) or "" for text in opened.values() if is_sealed(text))),
        next=_next(found, limit),
    )


def tally(verbs: Verbs, column: Column, after: RowKey | None = None, limit: int = 1000) -> Script[Tally]:
    """How many documents of a batch rest under which key; only their beginnings are read."""
    found = yield from verbs.documents(column, after, limit, None)
    heads = Counter(key_id_of(kept.head) for kept in found if kept.head is not None)
    return Tally(rows=len(found), by_key=dict(heads), next=_next(found, limit))


def _next(found: Sequence[Kept], limit: int) -> RowKey | None:
    return found[-1].place if len(found) == limit else None
