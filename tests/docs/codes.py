"""The stable codes that the product itself uses, found in its source."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.architecture.sources import SOURCE, files, tree

DEMONSTRATION = SOURCE / "cli" / "demonstration.py"
"""An application like those of users: its codes are its own."""

RAISED_BY_CALLS = frozenset({"InvalidInput", "TooLarge", "_Refused"})
REFUSES_CALLERS = frozenset({"Unauthenticated", "Forbidden", "TooMany"})
ENDS_AN_ATTEMPT = frozenset({"Terminal", "Retry", "NotDone", "failure"})
_POSITION = {"Terminal": 0, "Retry": 0, "NotDone": 0, "failure": 2, "_Refused": 1}
_CLASSES = {"Terminal": "terminal", "Retry": "retryable", "NotDone": "retryable"}


class Code(NamedTuple):
    """giver: the function or exception that is called with the code, or `class Name` whose own it is. error_class: how
    a failed attempt is taken."""

    code: str
    giver: str
    error_class: str = ""


def found() -> set[Code]:
    """Every code that stands in the source as text."""
    return {code for path in files() if path != DEMONSTRATION for code in of_file(path)}


def of_file(path: Path) -> Iterator[Code]:
    """Those of one file."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call):
            yield from _of_call(node)
        elif isinstance(node, ast.Tuple) and len(node.elts) == 2 and _class_of(node.elts[0]):
            yield from (Code(text, "failure", _class_of(node.elts[0])) for text in _texts(node.elts[1]))
        elif isinstance(node, ast.ClassDef):
            yield from _of_class(node)


def _of_class(node: ast.ClassDef) -> Iterator[Code]:
    """The code that an error has unless it is given another."""
    for line in node.body:
        if isinstance(line, ast.Assign) and getattr(line.targets[0], "id", "") in ("code", "default_code"):
            yield from (Code(text, f"class {node.name}") for text in _texts(line.value))


def _of_call(call: ast.Call) -> Iterator[Code]:
    giver = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    said = [keyword.value for keyword in call.keywords if keyword.arg == "code"]
    if giver in _POSITION and len(call.args) > _POSITION[giver]:
        said.append(call.args[_POSITION[giver]])
    error_class = _CLASSES.get(giver) or next(filter(None, map(_class_of, call.args)), "")
    for node in said:
        yield from (Code(text, giver, error_class) for text in _texts(node))


def _texts(node: ast.expr) -> list[str]:
    """The codes that an expression may give; none for a variable."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.IfExp):
        return _texts(node.body) + _texts(node.orelse)
    if isinstance(node, ast.JoinedStr):
        return ["".join(_texts(part)[0] if isinstance(part, ast.Constant) else "…" for part in node.values)]
    if isinstance(node, ast.Name) and node.id in _constants():
        return [_constants()[node.id]]
    return []


def _class_of(node: ast.expr) -> str:
    """`retryable` for `ErrorClass.RETRYABLE`; empty for anything else."""
    is_class = isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "ErrorClass"
    return node.attr.lower() if is_class and isinstance(node, ast.Attribute) else ""


@cache
def _constants() -> dict[str, str]:
    """Names in capitals that stand for a text, over the whole source."""
    return {
        node.target.id: node.value.value
        for path in files()
        for node in tree(path).body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    }
