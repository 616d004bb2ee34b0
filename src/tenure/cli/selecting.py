"""How a command says which jobs it means, and asks whether that is what was meant."""

import sys
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import click

from tenure.app.operators.selecting import which_of
from tenure.cli.commands.enqueue import instant_of, options_of
from tenure.core import fields
from tenure.core.errors import InvalidInput
from tenure.core.job_filter import JobFilter

F = TypeVar("F", bound=Callable[..., Any])

_NAMES: Final = ("kinds", "queues", "tenants", "code", "tag", "version", "since", "until", "order_key")
_INSTANTS: Final = ("since", "until")


def selection_options(command: F) -> F:
    """`--kind`, `--queue`, `--tenant` (each may be said several times), `--code`, `--tag`, `--order-key`,
    `--version`."""
    for option in (
        click.option("--version", type=click.IntRange(1), help="Of the handler."),
        click.option("--order-key", help="Those of one order key."),
        click.option("--tag"),
        click.option("--code", help="The code that ended it, or its last error's."),
        click.option("--tenant", "tenants", multiple=True),
        click.option("--queue", "queues", multiple=True),
        click.option("--kind", "kinds", multiple=True),
    ):
        command = option(command)
    return command


def failed_options(command: F) -> F:
    """`--since` and `--until`, of when it failed."""
    for option in (
        click.option("--until", help="It failed before: ISO 8601 with a time zone."),
        click.option("--since", help="It failed at or after: ISO 8601 with a time zone."),
    ):
        command = option(command)
    return command


def says_which(said: dict[str, Any]) -> bool:
    """Whether an option of a selection is said."""
    return any(said.get(name) not in (None, ()) for name in _NAMES)


def filter_of(said: dict[str, Any], ids: tuple[str, ...] = ()) -> JobFilter:
    """The jobs that the options mean; ids: only these. Raises InvalidInput."""
    meant = {name: value for name, value in options_of(said).items() if name in _NAMES}
    meant |= {name: instant_of(name, meant[name]) for name in _INSTANTS if name in meant}
    return which_of(meant | ({"ids": job_ids(ids)} if ids else {}))


def job_ids(said: Sequence[str]) -> list[str]:
    """Single jobs, as they were named. Raises InvalidInput for the first that is no id, by its place from 1."""
    return [fields.job_id(f"job_id[{place}]", job_id) for place, job_id in enumerate(said, start=1)]


def confirm(question: str, is_sure: bool) -> None:
    """Asks on a terminal; elsewhere `--yes` must have been said. Raises InvalidInput; ends the command on a no."""
    if is_sure:
        return
    if not sys.stdin.isatty():
        raise InvalidInput("yes", "is not said, and nobody can be asked", hint="Say --yes, or --preview to only look.")
    click.confirm(question, abort=True, err=True)
