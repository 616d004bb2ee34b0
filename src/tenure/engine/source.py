"""Finds an application by its `module:attribute`, as a command line or a child process names it."""

import importlib
import os
import sys
from typing import Any

from tenure.core.errors import Misconfigured
from tenure.engine.handler import Handler


def load(source: str) -> Any:
    """The object that `module:attribute` names, looked for in the working directory too.

    Raises Misconfigured when there is no such module or attribute.
    """
    module_name, _, attribute = source.partition(":")
    if not module_name or not attribute:
        raise Misconfigured(f"{source!r} is not of the form module:attribute", hint="Write for instance app:app.")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is not None and not f"{module_name}.".startswith(f"{error.name}."):
            raise
        raise Misconfigured(f"there is no module {module_name!r}", hint="Start where it can be imported.") from None
    for name in attribute.split("."):
        if not hasattr(found, name):
            raise Misconfigured(f"module {module_name!r} has no {attribute!r}")
        found = getattr(found, name)
    return found


def handlers_of(source: str) -> list[Handler]:
    """The handlers of the application that `source` names."""
    handlers: list[Handler] = load(source).handlers()
    return handlers
