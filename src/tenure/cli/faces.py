"""Commands that other faces bring: entry points of the group `tenure.commands`. What they need may not be installed."""

from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

import click

from tenure.core.errors import Misconfigured

GROUP: Final = "tenure.commands"

_OWN: Final = {
    "serve": ("server", "Serve the HTTP interface."),
    "remote": ("client", "Call an operation of a Tenure service."),
}
"""Of this package: the extra that each needs, and one line of help, so that the group's help imports none of them."""


class Missing(click.Command):
    """Stands in for a command whose extra is not installed: says how to install it, whatever it is called with."""

    def __init__(self, name: str, error: ModuleNotFoundError) -> None:
        package = f"'tenure[{_OWN[name][0]}]'" if name in _OWN else error.name
        self.reason = Misconfigured(
            f"`tenure {name}` needs {error.name}, which is not installed", hint=f"Run pip install {package}."
        )
        super().__init__(
            name,
            callback=self._tell,
            params=[click.Argument(["rest"], nargs=-1, type=click.UNPROCESSED)],
            context_settings={"ignore_unknown_options": True},
            help=f"Not installed: pip install {package}.",
        )

    def _tell(self, **said: Any) -> None:
        raise self.reason


def words() -> dict[str, str]:
    """Each command with one line of help."""
    return {name: _OWN[name][1] if name in _OWN else load(name).get_short_help_str() for name in sorted(_found())}


def names() -> list[str]:
    return sorted(_found())


def load(name: str) -> click.Command:
    """The command of a name that `names` has."""
    try:
        command: click.Command = _found()[name].load()
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "tenure":
            raise
        return Missing(name, error)
    return command


def _found() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}
