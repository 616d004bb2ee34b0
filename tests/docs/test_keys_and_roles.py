"""The page on keys says of roles what the code says, and its commands let people in and shut them out."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from tenure import Tenure
from tenure.cli.main import main
from tenure.core.principal import ACTIONS, DETAILS, Action, Detail, Role
from tests.docs import pages

PAGE = pages.how_to("keys-and-roles")
ROWS: dict[str, Action | Detail | None] = {
    "enqueue": Action.ENQUEUE,
    "claim, heartbeat, report; effects and checkpoints": Action.WORK,
    "list and show": Action.LIST,
    "cancel": Action.CANCEL,
    "[redrive](redrive.md)": Action.REDRIVE,
    "declare and change kinds": Action.DECLARE_KIND,
    "settle effects, clear slowdowns, cancel many, forbid redrives": Action.OPERATE,
    "read the audit": Action.READ_AUDIT,
    "make, list and revoke keys": Action.MANAGE_KEYS,
    "**sees** states, times, codes": None,
    "payload, result, progress, error text, idempotency key": Detail.PAYLOAD,
    "tracebacks, hosts of workers": Detail.TRACEBACK,
}


def table() -> list[list[str]]:
    """The cells of the table of roles, its head first."""
    text = PAGE.read_text(encoding="utf-8")
    lines = re.findall(r"^\| (?:\||[^\n]*\|)$", text[text.index("| | producer") :].partition("\n\n")[0], re.MULTILINE)
    rows = [[cell.strip() for cell in line[1:-1].split("|")] for line in lines]
    return [row for row in rows if not row[0].startswith("---")]


def may(role: Role, what: Action | Detail | None) -> bool:
    return what is None or what in ACTIONS[role] or what in DETAILS[role]


def test_the_table_of_roles_is_that_of_the_code() -> None:
    (_, *roles), *rows = table()
    assert roles == [str(role) for role in Role]
    assert [row[0] for row in rows] == list(ROWS)
    assert set(ROWS.values()) == {*Action, *Detail, None} - {Detail.ERROR}
    for name, *cells in rows:
        said = {role for role, cell in zip(Role, cells, strict=True) if cell}
        assert said == {role for role in Role if may(role, ROWS[name])}, name


def test_error_texts_are_shown_to_whom_payloads_are() -> None:
    """They share a row of the table."""
    assert all((Detail.ERROR in details) is (Detail.PAYLOAD in details) for details in DETAILS.values())


@pytest.fixture
def database(folder: Path) -> Tenure:
    app = Tenure("sqlite:///shop.db")
    app.open()
    app.close()
    return app


def test_the_commands_of_the_page_make_list_and_revoke_keys(database: Tenure, monkeypatch: pytest.MonkeyPatch) -> None:
    naming, first, second, listing, revoking = pages.lines(PAGE)
    monkeypatch.setenv(*naming.removeprefix("export ").split("=", 1))
    for line in (first, second):
        assert re.fullmatch(r"tenure_[\w-]{43}\n", run(line))
    assert {"web", "shell-1"} <= set(re.findall(r"[\w-]+", run(listing)))
    assert "revoked at" in run(revoking)
    assert re.search(r"web +producer +revoked", run(listing))


def run(line: str) -> str:
    """What it prints on standard output; it must end well."""
    result = CliRunner().invoke(main, shlex.split(line)[1:], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout
