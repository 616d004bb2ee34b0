"""The inbox: a table in a database of the caller's own that says which effects have happened there.

A row and the write that it stands for commit together, and there is one row for an effect: whoever comes second finds
it, or waits until the first has committed or rolled back.
"""

from typing import Any, Final

import msgspec

from tenure.stores.connections.reach import Dialect
from tenure.stores.script import Script, Statement

TABLE: Final = """
CREATE TABLE IF NOT EXISTS tenure_inbox (
    effect      text PRIMARY KEY,
    result      text,
    job_id      text NOT NULL,
    attempt     integer NOT NULL,
    recorded_at timestamp with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP
)"""
"""For both databases."""

_ENTER: Final[dict[Dialect, str]] = {
    "sqlite": "INSERT INTO tenure_inbox (effect, job_id, attempt) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING "
    "effect",
    "postgresql": """
        INSERT INTO tenure_inbox (effect, job_id, attempt)
        SELECT said.effect, said.job_id, said.attempt
        FROM jsonb_to_record($1::jsonb) AS said (effect text, job_id text, attempt integer)
        ON CONFLICT DO NOTHING RETURNING effect""",
}
_RESULT: Final[dict[Dialect, str]] = {
    "sqlite": "SELECT result FROM tenure_inbox WHERE effect = ?",
    "postgresql": "SELECT result FROM tenure_inbox WHERE effect = $1::jsonb ->> 'effect'",
}
_KEEP: Final[dict[Dialect, str]] = {
    "sqlite": "UPDATE tenure_inbox SET result = ? WHERE effect = ?",
    "postgresql": """
        UPDATE tenure_inbox AS inbox SET result = said.result
        FROM jsonb_to_record($1::jsonb) AS said (result text, effect text) WHERE inbox.effect = said.effect""",
}


def make(_dialect: Dialect) -> Script[None]:
    """The table, unless it is there."""
    yield Statement(TABLE)


def enter(dialect: Dialect, effect: str, job_id: str, attempt: int) -> Script[bool]:
    """Whether the effect has not happened here before; then its row stands in this transaction."""
    rows = yield _statement(dialect, _ENTER, effect=effect, job_id=job_id, attempt=attempt)
    return bool(rows)


def result(dialect: Dialect, effect: str) -> Script[str | None]:
    """What was kept of it: JSON text."""
    rows = yield _statement(dialect, _RESULT, effect=effect)
    found: str | None = rows[0][0]
    return found


def keep(dialect: Dialect, effect: str, text: str | None) -> Script[None]:
    """Keeps a result in the effect's row."""
    yield _statement(dialect, _KEEP, result=text, effect=effect)


def _statement(dialect: Dialect, texts: dict[Dialect, str], **said: Any) -> Statement:
    if dialect == "sqlite":
        return Statement(texts[dialect], tuple(said.values()))
    return Statement(texts[dialect], (msgspec.json.encode(said).decode(),))
