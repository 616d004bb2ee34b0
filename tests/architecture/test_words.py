"""One word for one thing; no drawer for odds and ends; core asks nothing of the world."""

import ast
from pathlib import Path

import pytest

from tests.architecture.sources import SOURCE, files, imports, tree

DRAWERS = {"utils", "util", "helpers", "helper", "common", "managers", "manager", "misc", "lib"}
CORE_MAY_IMPORT = {
    "base64", "collections", "cronsim", "datetime", "dateutil", "difflib", "enum", "functools", "hashlib", "heapq", "hmac",
    "itertools", "json", "jsonschema_rs",
    "math", "msgspec", "re", "typing", "uuid", "zoneinfo",
}  # fmt: skip
ASKS_THE_WORLD = {"now", "utcnow", "today", "uuid1", "uuid4", "open", "print", "input", "getenv", "sleep", "random"}
LONGEST = 250


def words(path: Path) -> set[str]:
    return {word for part in path.relative_to(SOURCE).with_suffix("").parts for word in part.split("_")}


def test_no_module_is_a_drawer_for_odds_and_ends() -> None:
    assert [path for path in files() if words(path) & DRAWERS] == []


@pytest.mark.parametrize("path", files("core"), ids=lambda path: path.stem)
def test_core_imports_nothing_that_could_ask_the_world(path: Path) -> None:
    for name in imports(path):
        assert name.split(".")[0] in CORE_MAY_IMPORT or name.startswith("tenure.core"), f"{path.name} imports {name}"


@pytest.mark.parametrize("path", files("core"), ids=lambda path: path.stem)
def test_core_asks_for_no_instant_no_chance_and_no_file(path: Path) -> None:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            assert called not in ASKS_THE_WORLD, f"{path.name}:{node.lineno} calls {called}"


def test_every_module_says_what_it_is() -> None:
    assert [path for path in files() if not ast.get_docstring(tree(path))] == []


def test_no_file_outgrows_its_reader() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in files()}
    assert {path.name: lines for path, lines in lengths.items() if lines > LONGEST} == {}


def test_classes_and_functions_are_not_named_manager_or_helper() -> None:
    for path in files():
        for node in ast.walk(tree(path)):
            if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                assert not node.name.lower().endswith(("manager", "helper", "util", "utils")), f"{path}: {node.name}"


def test_errors_are_swallowed_nowhere() -> None:
    """A handler that catches everything does something with what it caught."""
    for path in files():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ExceptHandler):
                empty = len(node.body) == 1 and isinstance(node.body[0], ast.Pass)
                broad = node.type is None or getattr(node.type, "id", "") in ("Exception", "BaseException")
                assert not (empty and broad), f"{path}:{node.lineno} swallows errors"
