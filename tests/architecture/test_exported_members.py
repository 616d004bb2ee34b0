"""The door: what `import tenure` offers is exactly what stands on its list, and costs little."""

import subprocess
import sys
from types import ModuleType

import pytest

import tenure
import tenure.testing
from tenure.core import errors, outcomes


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


def test_every_exported_thing_but_errors_has_a_docstring() -> None:
    """The errors are told in the tree at the head of their module."""
    things = {name: getattr(tenure, name) for name in tenure.__all__}
    others = {name: thing for name, thing in things.items() if thing.__module__ != errors.__name__}
    bare = [name for name, thing in others.items() if not (thing.__doc__ or "").strip() and name != "State"]
    assert bare == []


@pytest.mark.parametrize(
    "heavy", ["asyncio", "click", "rich", "sqlite3", "psycopg", "pydantic", "sqlalchemy", "django"]
)
def test_importing_tenure_imports_nothing_heavy(heavy: str) -> None:
    program = f"import sys, tenure; print({heavy!r} in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout == "False\n"
