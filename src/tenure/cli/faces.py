"""Commands that other faces bring: entry points of the group `tenure.commands`. What they need may not be installed."""

from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

import click

from tenure.app.extras import lacking
from tenure.core.errors import Misconfigured

GROUP: Final = "tenure.commands"

_OWN: Final = {
    "serve": ("server", "Serve the HTTP interface."),
    "remote": ("client", "Call an operation of a Tenure service."),
}
"""Of this package: the extra that each needs, and one line of help, so that the group's help imports none of them."""


class Missing(click.Command):
    """Stands in for a command whose extra is not installed: says how to install it, whatever it is called with."""

    def __init__(self, name: str, reason: Misconfigured) -> None:
        self.reason = reason
        super().__init__(
            name,
            callback=self._tell,
            params=[click.Argument(["rest"], nargs=-1, type=click.UNPROCESSED)],
            context_settings={"ignore_unknown_options": True},
            help=f"Not installed. {reason.hint}",
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
        return Missing(name, lacking(f"`tenure {name}`", error, _OWN[name][0] if name in _OWN else None))
    return command


def _found() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}
