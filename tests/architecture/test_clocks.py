"""FAULTS B31: what decides about leases asks the store for the instant, and no clock of its own machine."""

import ast
import re
from pathlib import Path

import pytest

from tests.architecture.sources import SOURCE, files, tree

OF_THE_WALL = {"time.time", "time.time_ns", "datetime.now", "datetime.utcnow", "datetime.today", "date.today"}
MAY_LOOK = {
    "engine/health.py",  # the age of a file that another process wrote, on the clock that stamped it
    "stores/memory/store.py",  # the clock of its one process is that of the store
    "stores/sqlite/instants.py",  # one host, and never back: with the instant kept in the file
}
DECIDING = [path for room in ("core", "engine", "operations", "stores") for path in files(room)]
STANDS_STILL = re.compile(
    r"\b(now|transaction_timestamp|statement_timestamp|localtimestamp)\s*\(|\bcurrent_time", re.IGNORECASE
)
STATEMENTS = sorted((SOURCE / "stores" / "postgres").rglob("*.sql"))


def looks(path: Path) -> set[str]:
    """The wall clocks that a file reads, by their dotted names, and those that it takes by another."""
    found = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute):
            of = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
            found.add(f"{of}.{node.attr}")
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{one.name}" for one in node.names}
            found |= {f"{one.name}.now" for one in node.names if one.name in ("datetime", "date") and one.asname}
        elif isinstance(node, ast.Import):
            found |= {"time.time" for one in node.names if one.name in ("time", "datetime") and one.asname}
    return found & OF_THE_WALL


def test_the_wall_clock_of_a_machine_is_read_only_where_it_is_the_stores() -> None:
    assert {path.relative_to(SOURCE).as_posix() for path in DECIDING if looks(path)} <= MAY_LOOK


@pytest.mark.parametrize("path", STATEMENTS, ids=lambda path: path.stem)
def test_no_statement_asks_for_an_instant_that_stands_still_in_a_callers_transaction(path: Path) -> None:
    said = "\n".join(line.split("--")[0] for line in path.read_text(encoding="utf-8").splitlines())
    assert STANDS_STILL.findall(said) == []
