"""The driver's errors as the product's."""

from typing import Final

from tenure.core.errors import StoreBusy, StoreError, StoreUnavailable, TenureError

_BUSY: Final = {
    "55P03": "a lock was not to be had in time",
    "40P01": "a deadlock with another transaction",
    "40001": "a rival transaction came first",
    "57014": "the statement was cancelled",
}
_UNAVAILABLE_CLASSES: Final = ("08", "53", "57", "58")
MISSING_TABLE: Final = "42P01"
_NOT_UNIQUE: Final = "23505"
_STANDING: Final = "tenure_jobs_standing"

_REFUSED: Final = {
    "25006": "Check that the URL leads to the primary server, and that the role may write.",
    "42501": "Grant the role what it needs on the tables of Tenure, or run `tenure migrate` as their owner.",
}

TRY_AGAIN: Final = frozenset({"40P01", "40001"})
"""Codes after which nothing of the transaction is stored and the same may be tried at once."""

NO_ROOM: Final = "54000"
"""Among others: what was notified and not yet read by some session that has listened fills the server's queue."""


def sqlstate(error: BaseException) -> str | None:
    """The five characters that the server gave, whichever driver raised it (SQLAlchemy and Django wrap it)."""
    for one in (error, getattr(error, "orig", None), error.__cause__):
        state = getattr(one, "sqlstate", None)
        if isinstance(state, str):
            return state
    return None


def lost_standing(error: BaseException, state: object) -> bool:
    """Whether a job was to wait again beside a newer one of its key, which was committed just then
    (`core.flow.supersession`)."""
    return state == _NOT_UNIQUE and _STANDING in str(error)


def translated(error: BaseException) -> TenureError | None:
    """The product's error for one that an own connection raised; None for a fault of the statement itself."""
    state = sqlstate(error)
    if state is None:
        return StoreUnavailable(f"the database does not answer: {_first_line(error)}")
    if lost_standing(error, state):
        return StoreBusy("the database is busy: a newer job of the same supersession key came first")
    if state in _BUSY:
        return StoreBusy(f"the database is busy: {_BUSY[state]}")
    if state == MISSING_TABLE:
        return StoreError(f"a table is missing: {_first_line(error)}", hint="Run `tenure migrate`.")
    if state in _REFUSED:
        return StoreUnavailable(f"the database refuses: {_first_line(error)}", hint=_REFUSED[state])
    if state.startswith(_UNAVAILABLE_CLASSES) or state in ("28P01", "28000", "3D000"):
        return StoreUnavailable(f"the database refuses: {_first_line(error)}")
    return None


def drop_detail(error: BaseException) -> None:
    """Leaves the first line of the server's words: what follows may be a whole row, its lease token and payload too,
    and errors go into logs and onto jobs."""
    error.args = (_first_line(error),)


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
