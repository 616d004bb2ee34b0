"""Delivery hints: start and stop them in the whole database, take and settle them, look after those nobody takes."""

from collections.abc import Collection
from typing import Final

from tenure.core import hints
from tenure.core.hints import Taken
from tenure.core.secrecy import cleaning
from tenure.core.switch import HINTS, Switch
from tenure.stores.protocol import AuditLine, Verbs
from tenure.stores.script import Script

_NOBODY: Final = ""
"""The token of hints that the pruner has looked at: no publisher's."""


def start_hints(verbs: Verbs, *, who: str) -> Script[bool]:
    """Every job that is ready, or becomes so from now on, leaves a hint. Whether that was not so before.

    Raises StoreBusy on PostgreSQL, where a transaction that has written jobs stays open.
    """
    now = yield from verbs.now()
    done = yield from verbs.start_hints(Switch(name=HINTS, who=who, why="", at=now))
    if done:
        yield from verbs.audit(_line("start_hints", who, ""))
    return done


def stop_hints(verbs: Verbs, *, who: str, why: str = "") -> Script[bool]:
    """None is left, and none is made; a publisher that starts later begins with every ready job. Whether there were
    any.

    Raises StoreBusy as `start_hints` does.
    """
    done = yield from verbs.stop_hints()
    if done:
        yield from verbs.audit(_line("stop_hints", who, why))
    return done


def take_hints(verbs: Verbs, token: str, limit: int = hints.BATCH, hold: float = hints.HOLD) -> Script[Taken]:
    """Up to `limit` ids of ready jobs, for the holder of `token` alone during `hold` seconds."""
    return (yield from verbs.take_hints(token, limit, hold))


def settle_hints(verbs: Verbs, token: str, job_ids: Collection[str], again: float | None = None) -> Script[int]:
    """They have been given. again: seconds after which they are given once more, if their jobs are ready still."""
    return (yield from verbs.settle_hints(token, job_ids, again))


def put_back_hints(verbs: Verbs, token: str, job_ids: Collection[str], wait: float, error: str) -> Script[int]:
    """They could not be given, because of `error`; they are due again in `wait` seconds."""
    return (yield from verbs.settle_hints(token, job_ids, wait, cleaning.message(error)))


def sweep_hints(verbs: Verbs, limit: int = 1000) -> Script[int]:
    """Of hints that nobody has taken for an hour, deletes those whose jobs are not ready any more; how many. So what is
    left behind by a publisher that never comes back is no more than there are ready jobs."""
    taken = yield from verbs.take_hints(_NOBODY, limit, 0.0, hints.UNREAD)
    return taken.dropped


def _line(verb: str, who: str, why: str) -> AuditLine:
    return AuditLine(who=who, verb=verb, subject="hints", why=cleaning.reason(why))
