"""The statements of each step of a migration: what `migrate` sends, and what `tenure migrate --sql` prints for psql."""

import re
from collections.abc import Sequence
from typing import Final

from tenure.stores.migration_steps import IndexChange, Rewrite, Step, Transaction, statements
from tenure.stores.migrations import Migration, Place
from tenure.stores.postgres.migration_batches import batches

LEDGER: Final = """CREATE TABLE IF NOT EXISTS tenure_migrations (
    name       text COLLATE "C" PRIMARY KEY,
    checksum   text NOT NULL,
    applied_at timestamptz,
    steps      integer NOT NULL DEFAULT 0
)"""
LOCK: Final = 7955377262162766949
"""The advisory lock of whoever migrates a database."""

UNLIMITED: Final = """SELECT set_config(name, '0', false) FROM pg_settings
WHERE name IN ('statement_timeout', 'transaction_timeout', 'lock_timeout')"""
"""For a session: an index is built for as long as it takes. While it waits for older transactions, it keeps nobody from
reading and writing."""

UNLIMITED_HERE: Final = """SELECT set_config(name, '0', true) FROM pg_settings
WHERE name IN ('statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout')"""
"""For a transaction: its waits for locks have bounds of their own, and a limit of the role would end them before."""

_WEAK_LOCK_WAIT: Final = "SET LOCAL lock_timeout = '10s';"
_STRONG_LOCK_WAIT: Final = "SET LOCAL lock_timeout = '500ms';"
_TAKE_LOCK: Final = f"""DO $$ BEGIN
    WHILE NOT pg_try_advisory_lock({LOCK}) LOOP COMMIT; PERFORM pg_sleep(0.5); END LOOP;
END $$;"""
_HEAD: Final = (
    "-- psql -v ON_ERROR_STOP=1 -f THIS_FILE DATABASE. "
    "A migration that the database has already is cut off before, and\n"
    "-- so are the steps of one that was stopped (tenure_migrations.steps tells how many are done)."
)
_MADE: Final = re.compile(r"CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)", re.IGNORECASE)
_LOCKED: Final = re.compile(
    r"(?:ALTER|DROP)\s+TABLE\s+(?:IF\s+EXISTS\s+)?(?:ONLY\s+)?(\w+)"
    r"|CREATE\s+(?:OR\s+REPLACE\s+)?TRIGGER\b.*?\bON\s+(\w+)",
    re.IGNORECASE | re.DOTALL,
)
_INDEXED: Final = re.compile(r"CREATE\s+(?:UNIQUE\s+)?INDEX\b.*?\bON\s+(?:ONLY\s+)?(\w+)", re.IGNORECASE | re.DOTALL)
_CONCURRENT: Final = re.compile(r"(?:CREATE|DROP|REINDEX)\b[^(]*\bCONCURRENTLY\b", re.IGNORECASE)


def refuse(steps: tuple[Step, ...]) -> None:
    """Raises ValueError for a transaction that would keep others waiting: an index built on a table that is in use, or
    strong locks on two of them, the first held while the second is waited for."""
    made = _made(steps)
    for step in steps:
        if not isinstance(step, Transaction):
            continue
        for statement in statements(step.text):
            if _CONCURRENT.match(statement):
                raise ValueError(f"CONCURRENTLY needs a step `-- tenure: concurrently`: {statement[:80]}")
            indexed = _INDEXED.match(statement)
            if indexed is not None and indexed[1] not in made:
                raise ValueError(f"an index on {indexed[1]}, which is in use, needs a step `-- tenure: concurrently`")
        locked = _locked(step, made)
        if len(locked) > 1:
            raise ValueError(f"one transaction changes {' and '.join(locked)}: each table needs a step of its own")


def transaction(place: Place, step: Transaction) -> str:
    """The statements of one transaction. An autovacuum of the table is made to give way by waiting for a lock that lets
    everybody read and write; only then is the strong one asked for, and not for long: all who come queue behind it."""
    tables = _locked(step, _made(place.migration.steps))
    aside = [f"LOCK TABLE {table} IN SHARE UPDATE EXCLUSIVE MODE;" for table in tables]
    return "\n".join([_WEAK_LOCK_WAIT, *aside, _STRONG_LOCK_WAIT, _closed(step.text), f"{note(place)};"])


def index(change: IndexChange) -> list[str]:
    """What is left of a build that failed is dropped first."""
    drop = f"DROP INDEX CONCURRENTLY IF EXISTS {change.name}"
    return [drop] if change.statement is None else [drop, change.statement]


def note(place: Place) -> str:
    """Writes down that this step is done, and the last one that the migration is applied; only behind the step
    before."""
    migration, number = place.migration, place.done + 1
    applied = "clock_timestamp()" if place.is_last else "NULL"
    if place.done == 0:
        values = f"'{migration.name}', '{migration.checksum}', {applied}::timestamptz, 1"
        return (
            f"INSERT INTO tenure_migrations (name, checksum, applied_at, steps) SELECT {values}{_proof(place, 'WHERE')}"
        )
    return (
        f"UPDATE tenure_migrations SET steps = {number}, applied_at = {applied} "  # noqa: S608 (our own files)
        f"WHERE name = '{migration.name}' AND steps = {place.done}{_proof(place, 'AND')}"
    )


def rewrite(place: Place, step: Rewrite) -> str:
    """One statement that commits each batch, and in the end its note."""
    return batches(step, note(place))


def sql(which: Sequence[Migration]) -> str:
    """The text that does by hand what `migrate` does."""
    return "\n\n".join([_HEAD, f"{LEDGER};", *(_section(migration) for migration in which)]) + "\n"


def _section(migration: Migration) -> str:
    places = [Place(migration, done) for done in range(len(migration.steps))]
    if len(places) == 1 and isinstance(places[0].step, Transaction):
        return f"-- {migration.name}\n{_by_hand(places[0])}"
    parts = [f"-- {place}\n{_by_hand(place)}" for place in places]
    free = f"SELECT pg_advisory_unlock({LOCK});\nRESET ALL;"
    return "\n\n".join([f"-- {migration.name}, one process at a time\n{_TAKE_LOCK}\n{UNLIMITED};", *parts, free])


def _by_hand(place: Place) -> str:
    match place.step:
        case Transaction() as step:
            return f"BEGIN;\n{UNLIMITED_HERE};\n{transaction(place, step)}\nCOMMIT;"
        case IndexChange() as step:
            return "".join(f"{statement};\n" for statement in index(step)) + f"{note(place)};"
        case Rewrite() as step:
            return f"{rewrite(place, step)};"


def _proof(place: Place, word: str) -> str:
    """What the database itself knows of the step: whoever sends the statements by hand may have overlooked an error."""
    step = place.step
    if not isinstance(step, IndexChange):
        return ""
    return f" {word} " + (f"to_regclass('{step.name}') IS NULL" if step.statement is None else valid(step.name))


def valid(name: str) -> str:
    """The condition that an index of this name is there and has everything in it."""
    return f"EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass('{name}') AND indisvalid)"


def _made(steps: tuple[Step, ...]) -> set[str]:
    return {name for step in steps if isinstance(step, Transaction) for name in _MADE.findall(step.text)}


def _locked(step: Transaction, made: set[str]) -> list[str]:
    """The tables in use on which it takes a lock that lets nobody read or write, or nobody write."""
    found = [match for statement in statements(step.text) if (match := _LOCKED.match(statement))]
    return list(dict.fromkeys(name for match in found if (name := match[1] or match[2]) not in made))


def _closed(text: str) -> str:
    """So that a statement can follow, whether or not the last one of the text has its semicolon."""
    last = text.rstrip()
    return last if last.endswith(";") else f"{last}\n;"
