"""Migrations, apart from any database: which files there are, in which order, and which of them are missing.

A migration is a file `0001_what_it_does.sql` in a store's `migrations` folder, applied in steps
(`stores.migration_steps`). The ledger, tenure_migrations(name, checksum, applied_at, steps), has a row for each that
was begun, where `name` is the file's name without `.sql`, `steps` how many of its steps are done, and `applied_at`
stays empty until all are. A file that was begun never changes: its checksum is compared at every start.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Final, NamedTuple

from tenure.core.errors import SchemaChanged, SchemaTooNew, SchemaTooOld

if TYPE_CHECKING:
    from tenure.stores.migration_steps import Step

_NAME: Final = re.compile(r"\d{4}_[a-z0-9_]+")
_NEWER_ALLOWED: Final = 1
GOES_ON: Final = "What was done before stays; `tenure migrate` goes on from there."
"""The hint for a migration that was stopped."""


class Migration(NamedTuple):
    """One file: its name without `.sql`, and its text."""

    name: str
    text: str

    @property
    def checksum(self) -> str:
        """SHA-256 of the text in hexadecimal; line ends count as one newline, however they were checked out."""
        return hashlib.sha256(self._lines.encode()).hexdigest()

    @property
    def steps(self) -> tuple[Step, ...]:
        """Raises ValueError for a file that is not understood."""
        from tenure.stores import migration_steps

        return migration_steps.steps(self._lines)

    @property
    def _lines(self) -> str:
        return self.text.replace("\r\n", "\n")


class Entry(NamedTuple):
    """What the ledger has of one migration. steps: how many are done."""

    checksum: str
    is_whole: bool
    steps: int


class Place(NamedTuple):
    """Where a database stands: in this migration, with so many of its steps done."""

    migration: Migration
    done: int

    @property
    def step(self) -> Step:
        """The one that comes next."""
        return self.migration.steps[self.done]

    @property
    def is_last(self) -> bool:
        return self.done + 1 == len(self.migration.steps)

    @property
    def is_one_of_several(self) -> bool:
        return len(self.migration.steps) > 1

    def __str__(self) -> str:
        from tenure.stores import migration_steps

        number = f", step {self.done + 1} of {len(self.migration.steps)}" if self.is_one_of_several else ""
        return f"{self.migration.name}{number}: {migration_steps.in_words(self.step)}"


def discover(package: str) -> list[Migration]:
    """The migrations of a package (`tenure.stores.sqlite`), in the order in which they are applied. Raises ValueError
    for names out of order."""
    folder = files(package) / "migrations"
    found = [file for file in folder.iterdir() if file.name.endswith(".sql")]
    return in_order(Migration(file.name.removesuffix(".sql"), file.read_text(encoding="utf-8")) for file in found)


def checked(known: Sequence[Migration], refuse: Callable[[tuple[Step, ...]], None]) -> Sequence[Migration]:
    """The same, before the first of them is applied: whoever only compares checksums need not read them.

    refuse: raises ValueError for steps that this database cannot take. Raises ValueError for a file that nobody could
    apply, with its name and the reason.
    """
    for migration in known:
        check_steps(migration, refuse)
    return known


def check_steps(migration: Migration, refuse: Callable[[tuple[Step, ...]], None]) -> None:
    """Raises ValueError, with the name of the migration, as `checked` does."""
    from tenure.stores import migration_steps

    try:
        steps = migration.steps
        migration_steps.refuse_own_transactions(steps)
        refuse(steps)
    except ValueError as error:
        raise ValueError(f"migration {migration.name}: {error}") from error


def in_order(migrations: Iterable[Migration]) -> list[Migration]:
    """By number. Raises ValueError for a malformed name or a number that two files share."""
    ordered = sorted(migrations)
    numbers = [migration.name[:4] for migration in ordered]
    wrong = [m.name for m in ordered if not _NAME.fullmatch(m.name)]
    wrong += [m.name for m in ordered if numbers.count(m.name[:4]) > 1]
    if wrong:
        raise ValueError(f"migrations are named 0001_words.sql, each number once: {', '.join(wrong)}")
    return ordered


def missing(known: Iterable[Migration], ledger: Mapping[str, Entry]) -> list[Place]:
    """What `migrate` has still to apply, in order, and from where on.

    known: this release's migrations in order. ledger: by name.
    Raises SchemaChanged, SchemaTooNew (more than one version ahead of this release, or on the way there).
    """
    by_name = {migration.name: migration for migration in known}
    changed = [name for name, entry in ledger.items() if name in by_name and by_name[name].checksum != entry.checksum]
    newest = max(by_name, default="")
    changed += [name for name in ledger if name not in by_name and name < newest]
    if changed:
        raise SchemaChanged(f"the database holds other texts of migration {', '.join(sorted(changed))}")
    newer = sorted(name for name in ledger if name > newest)
    if len(newer) > _NEWER_ALLOWED:
        raise SchemaTooNew(f"the database is {len(newer)} migrations ahead of this release ({', '.join(newer)})")
    none = Entry("", is_whole=False, steps=0)
    entries = {name: ledger.get(name, none) for name in by_name}
    return [Place(by_name[name], entry.steps) for name, entry in entries.items() if not entry.is_whole]


def check(known: Iterable[Migration], ledger: Mapping[str, Entry]) -> None:
    """What a store asks before it works. Raises SchemaTooOld when a migration is missing, and as `missing` does."""
    places = missing(known, ledger)
    begun = [place for place in places if place.done]
    if begun:
        where = ", ".join(f"{one.migration.name}, {one.done} of {len(one.migration.steps)} steps" for one in begun)
        raise SchemaTooOld(
            f"a migration of the database stands half done: {where}",
            hint="Wait for the `tenure migrate` that works on it; where none does, run it: it goes on from there.",
        )
    if places:
        state = "is behind this release" if ledger else "holds no schema yet"
        raise SchemaTooOld(f"the database {state}: {', '.join(one.migration.name for one in places)} not applied")
