"""The door: what `import tenure` offers is exactly what stands on its list, and costs little."""

import inspect
import subprocess
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

import tenure
import tenure.client
import tenure.testing
from tenure.core import errors, outcomes
from tenure.stores.protocol import Listener, Store, Verbs


@pytest.mark.parametrize("module", [tenure, tenure.testing])
def test_the_list_of_exports_is_whole_sorted_and_true(module: ModuleType) -> None:
    assert sorted(set(module.__all__)) == list(module.__all__)
    public = {
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and not isinstance(value, ModuleType) and name != "annotations"
    }
    assert public == set(module.__all__)


def test_every_error_a_caller_can_meet_stands_at_the_door() -> None:
    raised = {name for name, value in vars(errors).items() if isinstance(value, type) and not name.startswith("_")}
    assert raised - {"ClassVar"} <= set(tenure.__all__)


def test_every_outcome_a_handler_can_raise_stands_at_the_door() -> None:
    kinds = {name for name, value in vars(outcomes).items() if _is_outcome(value)}
    assert kinds <= set(tenure.__all__)


def _is_outcome(value: object) -> bool:
    base = outcomes.HandlerOutcome
    return isinstance(value, type) and issubclass(value, base) and value is not base


@pytest.mark.parametrize("module", [tenure, tenure.testing, tenure.client])
def test_every_exported_thing_and_what_it_can_do_has_a_docstring_of_its_own(module: ModuleType) -> None:
    things = {name: thing for name, thing in vars(module).items() if name in module.__all__}
    bare = [name for name, thing in things.items() if isinstance(thing, type) and not vars(thing).get("__doc__")]
    bare += [name for name, member in _members(things) if not inspect.getdoc(member)]
    assert bare == []


def test_every_verb_of_a_store_says_what_it_asks() -> None:
    protocols = {kind.__name__: kind for kind in (Verbs, Store, Listener)}
    assert [name for name, member in _members(protocols) if not inspect.getdoc(member)] == []


def _members(things: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """Functions of the module, and public functions and properties of its classes."""
    for name, thing in things.items():
        if inspect.isfunction(thing):
            yield name, thing
        elif isinstance(thing, type):
            own = (inspect.getattr_static(thing, said) for said in dir(thing) if not said.startswith("_"))
            for member in own:
                if inspect.isfunction(member) and member.__module__.startswith("tenure"):
                    yield f"{name}.{member.__name__}", member
                elif isinstance(member, property):
                    yield f"{name}.{member.fget.__name__ if member.fget else name}", member


@pytest.mark.parametrize(
    "heavy", ["asyncio", "click", "rich", "sqlite3", "psycopg", "pydantic", "sqlalchemy", "django"]
)
def test_importing_tenure_imports_nothing_heavy(heavy: str) -> None:
    program = f"import sys, tenure; print({heavy!r} in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout == "False\n"
