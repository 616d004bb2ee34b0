"""Cancels and redrives of one job on the wire."""

from tenure.core.cancellation import Told
from tenure.core.states import State
from tenure.edge.body import Answer
from tenure.edge.requests import Why
from tenure.edge.scalars import Id, Instant
from tenure.edge.words import Status


class Redrive(Why, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """deadline: a new one; left out, none."""

    deadline: Instant | None = None


class Happened(Answer, frozen=True, kw_only=True):
    """What a cancel or redrive did, and the job's state after it."""

    id: Id
    happened: str
    state: State
    status: Status


class Cancelled(Happened, frozen=True, kw_only=True):
    """told: what the cancellation has come to so far: `asked` (no answer yet), `not_started`, `waited` (between two
    attempts), `stopped` at a safe point, `interrupted` (its attempt ended otherwise) or `too_late`. Ask again to hear
    more.

    confirmed: names of the effects that have happened outside; open: of those of which nobody knows.
    """

    told: Told
    confirmed: list[str]
    open: list[str]
