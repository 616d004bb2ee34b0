"""Migrations, apart from any database: which files there are, in which order, and which of them are missing.

A migration is a file `0001_what_it_does.sql` in a store's `migrations` folder. What was applied stands in the
table tenure_migrations(name, checksum, applied_at), where `name` is the file's name without `.sql`. An applied
file never changes: its checksum is compared at every start.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Final, NamedTuple

from tenure.core.errors import SchemaChanged, SchemaTooNew, SchemaTooOld

_NAME: Final = re.compile(r"\d{4}_[a-z0-9_]+")
_NEWER_ALLOWED: Final = 1


class Migration(NamedTuple):
    """One file: its name without `.sql`, and its text."""

    name: str
    text: str

    @property
    def checksum(self) -> str:
        """SHA-256 of the text in hexadecimal; line ends count as one newline, however they were checked out."""
        return hashlib.sha256(self.text.replace("\r\n", "\n").encode()).hexdigest()


def discover(package: str) -> list[Migration]:
    """The migrations of a package (`tenure.stores.sqlite`), in the order in which they are applied."""
    folder = files(package) / "migrations"
    found = [file for file in folder.iterdir() if file.name.endswith(".sql")]
    return in_order(Migration(file.name.removesuffix(".sql"), file.read_text(encoding="utf-8")) for file in found)


def in_order(migrations: Iterable[Migration]) -> list[Migration]:
    """By number. Raises ValueError for a malformed name or a number that two files share."""
    ordered = sorted(migrations)
    numbers = [migration.name[:4] for migration in ordered]
    wrong = [m.name for m in ordered if not _NAME.fullmatch(m.name)]
    wrong += [m.name for m in ordered if numbers.count(m.name[:4]) > 1]
    if wrong:
        raise ValueError(f"migrations are named 0001_words.sql, each number once: {', '.join(wrong)}")
    return ordered


def missing(known: Iterable[Migration], applied: Mapping[str, str]) -> list[Migration]:
    """What `migrate` has still to apply, in order.

    known: this release's migrations in order. applied: checksum by name, as tenure_migrations has them.
    Raises SchemaChanged, SchemaTooNew (more than one version ahead of this release).
    """
    by_name = {migration.name: migration for migration in known}
    changed = [name for name, checksum in applied.items() if name in by_name and by_name[name].checksum != checksum]
    newest = max(by_name, default="")
    changed += [name for name in applied if name not in by_name and name < newest]
    if changed:
        raise SchemaChanged(f"the database holds other texts of migration {', '.join(sorted(changed))}")
    newer = sorted(name for name in applied if name > newest)
    if len(newer) > _NEWER_ALLOWED:
        raise SchemaTooNew(f"the database is {len(newer)} migrations ahead of this release ({', '.join(newer)})")
    return [migration for migration in by_name.values() if migration.name not in applied]


def check(known: Iterable[Migration], applied: Mapping[str, str]) -> None:
    """What a store asks before it works. Raises SchemaTooOld when a migration is missing, and as `missing` does."""
    names = [migration.name for migration in missing(known, applied)]
    if names:
        state = "is behind this release" if applied else "holds no schema yet"
        raise SchemaTooOld(f"the database {state}: {', '.join(names)} not applied")
