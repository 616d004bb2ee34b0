"""Finds an application by its `module:attribute`, as a command line or a child process names it."""

import importlib
import os
import sys
from typing import Any

from tenure.core.errors import Misconfigured
from tenure.core.spelling import meant
from tenure.engine.attempts.handler import Handler


def load(source: str) -> Any:
    """The object that `module:attribute` names, looked for in the working directory too.

    Raises Misconfigured when there is no such module or attribute.
    """
    module_name, _, attribute = source.partition(":")
    if not module_name or not attribute:
        example = module_name if module_name and _is_module(module_name) else "shop"
        raise Misconfigured(
            f"{source!r} is not of the form module:attribute", hint=f"Write for instance {example}:app."
        )
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is not None and not f"{module_name}.".startswith(f"{error.name}."):
            raise
        raise Misconfigured(f"there is no module {module_name!r}", hint=_how_to_name(module_name, attribute)) from None
    for name in attribute.split("."):
        if not hasattr(found, name):
            hint = meant(name, [one for one in vars(found) if not one.startswith("_")])
            raise Misconfigured(f"module {module_name!r} has no {attribute!r}", hint=hint)
        found = getattr(found, name)
    return found


def _is_module(name: str) -> bool:
    return all(part.isidentifier() for part in name.split("."))


def _how_to_name(module_name: str, attribute: str) -> str:
    """Files are often named in the place of modules."""
    bare = module_name.removesuffix(".py").removeprefix("./").replace("/", ".")
    if bare != module_name and _is_module(bare):
        return f"Write {bare}:{attribute}, as an import names it."
    return "Start where it can be imported."


def handlers_of(source: str) -> list[Handler]:
    """The handlers of the application that `source` names."""
    handlers: list[Handler] = load(source).handlers()
    return handlers
