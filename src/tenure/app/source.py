"""Where an application can be imported again: `module:attribute`."""

import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tenure.core.errors import Misconfigured

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
    """The application named by `module:attribute` (`app` where the attribute is left out), its source noted.

    The working directory counts as a place for modules. Raises Misconfigured.
    """
    from tenure.app.tenure import Tenure

    module, _, attribute = text.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found = getattr(importlib.import_module(module), attribute or "app", None)
    except ModuleNotFoundError as missing:
        if missing.name is None or not f"{module}.".startswith(f"{missing.name}."):
            raise
        raise Misconfigured(f"no module named {missing.name!r}", hint="Name the app as module:attribute.") from missing
    if not isinstance(found, Tenure):
        raise Misconfigured(f"{text!r} names no Tenure application", hint="Name the app as module:attribute.")
    found.source = f"{module}:{attribute or 'app'}"
    return found
