"""What a page or a docstring names of the product's modules is there: nothing that was moved is looked for in vain."""

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.sources import SOURCE, files, tree
from tests.docs import pages

_NAMED = re.compile(
    r"`(?:tenure\.)?((?:core|stores|operations)\.[\w.]+"
    r"|(?:core|stores|operations|engine|app|edge|http|cli|client|testing)/[a-z_/]+\.[A-Za-z_]+)`"
)
_FILES = ("py", "sql", "md")


def lost(text: str) -> Iterator[str]:
    for said in _NAMED.findall(text):
        if said.rpartition(".")[2] not in _FILES and not stands(said.replace("/", ".").split(".")):
            yield said


def stands(parts: list[str]) -> bool:
    """A module below `tenure`, or what it holds, or what a class of it holds."""
    module, rest = SOURCE, list(parts)
    while rest and ((module / rest[0]).is_dir() or (module / f"{rest[0]}.py").is_file()):
        module = module / rest.pop(0)
    found: object = importlib.import_module(".".join(("tenure", *module.relative_to(SOURCE).parts)))
    for name in rest:
        found = getattr(found, name, None) or getattr(found, "__annotations__", {}).get(name)
    return found is not None


@pytest.mark.parametrize("page", pages.every(), ids=lambda page: page.name)
def test_what_a_page_names_of_the_modules_is_there(page: Path) -> None:
    assert list(lost(page.read_text(encoding="utf-8"))) == []


def test_what_a_docstring_names_of_the_modules_is_there() -> None:
    said = {
        (path, node.value)
        for path in files()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "`" in node.value
    }
    assert [(path.name, name) for path, text in said for name in lost(text)] == []


def test_a_name_that_was_moved_is_found_out() -> None:
    assert list(lost("`core/effects.begin`, `core.job.NOTHING`, and `core.ledger.effects.begin`")) == [
        "core/effects.begin",
        "core.job.NOTHING",
    ]
