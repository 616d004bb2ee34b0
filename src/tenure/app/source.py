"""Where an application can be imported again: `module:attribute`."""

import sys
from typing import TYPE_CHECKING

from tenure.core.errors import Misconfigured
from tenure.engine import source

if TYPE_CHECKING:
    from tenure.app.tenure import Tenure


def of(app: "Tenure") -> str | None:
    """The source of an app that is a global of a module with one of its tasks; None for the main script's."""
    for module in {task.function.__module__ for task in app.tasks.values()} - {"__main__"}:
        for name, value in vars(sys.modules[module]).items() if module in sys.modules else ():
            if value is app:
                return f"{module}:{name}"
    return None


def load(text: str) -> "Tenure":
    """The application named by `module:attribute`, its source noted.

    Raises Misconfigured where there is none; what the module itself raises passes through.
    """
    from tenure.app.tenure import Tenure

    found = source.load(text)
    if not isinstance(found, Tenure):
        module = text.partition(":")[0]
        named = [f"{module}:{name}" for name, value in vars(sys.modules[module]).items() if isinstance(value, Tenure)]
        hint = f"Write {' or '.join(named)}." if named else f"{module} has none; name the module that makes it."
        raise Misconfigured(f"{text!r} names no Tenure application", hint=hint)
    found.source = text
    return found
