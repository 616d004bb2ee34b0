"""What pages name exists: commands and their options, variables, files, members of the context, errors."""

import builtins
import contextlib
import os
import re
import shlex
import tomllib
from pathlib import Path

import click
import pytest

from tenure import Context
from tenure.app.handling.context import AttemptView, JobView
from tenure.app.handling.secrets import PREFIX
from tests.architecture.sources import SOURCE, files
from tests.docs import commands, pages
from tests.docs.facts_of_settings import VARIABLE, bound_variables, other_variables

PAGES = [page for page in pages.every() if page.name not in ("command-line.md", "pairs.md", "states.md")]
OF_TESTS = {"TENURE_TEST_POSTGRES"}
OF_OTHERS = {
    "AsyncConnection", "AsyncSession", "CancelledError", "Connection", "IsolationLevel", "PoolTimeout", "Session",
}  # fmt: skip
"""Classes of other libraries that the pages name."""

_FILE = re.compile(r"[\w*/.-]+/[\w*.-]+\.(py|sql|md|toml|sh)|scripts/[\w-]+")
_CLASS = re.compile(r"([A-Z][a-z]+(?:[A-Z][a-z]+)+)(?:\(.*)?")


def name(page: Path) -> str:
    return str(page.relative_to(pages.ROOT))


def calls(text: str) -> list[list[str]]:
    """The arguments of each command of a line that begins with `tenure`; what `…` leaves out is taken as said, and what
    is the shell's is left out."""
    if not text.startswith("tenure ") or "COMMAND" in text:
        return []
    parts = [shlex.split(part) for part in re.split(r"&&|;|\||\d?>\S+ *&?$", text) if part]
    return [[word for word in words[1:] if word != "…"] for words in parts if words[0] == "tenure"]


@pytest.mark.parametrize("line", sorted({line for page in PAGES for line in pages.lines(page) if calls(line)}))
def test_every_command_that_a_page_runs_can_be_called_so(line: str) -> None:
    for arguments in calls(line):
        commands.check(arguments)


def test_a_command_that_does_not_exist_is_found_out() -> None:
    for wrong in ("tenure wrok", "tenure worker --sloths 3", "tenure jobs shwo x", "tenure enqueue"):
        with pytest.raises(click.UsageError):
            commands.check(calls(wrong)[0])


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_command_that_a_page_names_is_one_with_these_options(page: Path) -> None:
    for text in pages.spans(page):
        for arguments in calls(text):
            with contextlib.suppress(click.MissingParameter):  # prose names the command, it need not complete it
                commands.check(arguments)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_flag_that_a_page_names_belongs_to_a_command_or_script(page: Path) -> None:
    known = {opt for _, command in commands.every() for option in commands.options(command) for opt in option.opts}
    scripts = "".join(path.read_text("utf-8") for path in (pages.ROOT / "scripts").iterdir() if path.is_file())
    scripts += "".join(path.read_text("utf-8") for path in (pages.ROOT / "examples").rglob("*.py"))
    flags = {text.split("[")[0].split()[0] for text in pages.spans(page) if text.startswith("--")}
    assert {flag for flag in flags if flag not in known | {"--help"} and flag not in scripts} == set()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_variable_that_a_page_names_is_read_somewhere(page: Path) -> None:
    named = set(VARIABLE.findall(page.read_text(encoding="utf-8")))
    secrets = {variable for variable in named if variable.startswith(PREFIX)}
    assert named - secrets <= bound_variables() | other_variables() | OF_TESTS


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_file_that_a_page_names_exists(page: Path) -> None:
    files_named = [text for text in pages.spans(page) if _FILE.fullmatch(text)]
    files_named += [line.split()[0] for line in pages.lines(page) if line.startswith("scripts/")]
    roots = (pages.ROOT, SOURCE, page.parent)
    assert [text for text in files_named if not any(list(root.glob(text)) for root in roots)] == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_script_that_a_page_runs_may_be_run(page: Path) -> None:
    run = [pages.ROOT / line.split()[0] for line in pages.lines(page) if line.startswith("scripts/")]
    assert [path.name for path in run if not os.access(path, os.X_OK)] == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_member_of_the_context_that_a_page_names_exists(page: Path) -> None:
    owners = {"ctx": Context, "ctx.job": JobView, "ctx.attempt": AttemptView}
    named = re.findall(r"(ctx(?:\.job|\.attempt)?)\.(\w+)", page.read_text(encoding="utf-8"))
    known = [(owner, member) for owner, member in named if hasattr(owners[owner], member)]
    slots = [(owner, member) for owner, member in named if member in ("job", "attempt")]
    assert set(named) - set(known) - set(slots) == set()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_class_that_a_page_names_is_defined(page: Path) -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in files())
    defined = set(re.findall(r"^class (\w+)", source, re.MULTILINE)) | OF_OTHERS | set(dir(builtins))
    named = {found[1] for text in pages.spans(page) if (found := _CLASS.fullmatch(text))}
    assert named - defined == set()


def test_every_extra_of_the_package_is_listed_with_what_it_brings() -> None:
    project = tomllib.loads((pages.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for_development = {"bench", "example", "test"}
    text = (pages.ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE))
    assert listed == project["optional-dependencies"].keys() - for_development
