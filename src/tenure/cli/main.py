"""`tenure`: the group. A command's module is imported when the command is called."""

import importlib
import logging
import os
import sys
import threading
from collections.abc import Collection
from typing import Any, Final

import click

from tenure import __version__
from tenure.app.settings import DATABASE, ENCRYPTION_KEYS, Settings
from tenure.cli import exit_codes, faces
from tenure.core.errors import Misconfigured, TenureError
from tenure.core.secrecy import cleaning
from tenure.core.spelling import meant

COMMANDS: Final = {
    "demo": ("tenure.cli.commands.demo:demo", "A small demonstration in a temporary SQLite file."),
    "up": ("tenure.cli.commands.up:up", "Run everything in one process, for development."),
    "worker": ("tenure.cli.commands.worker:worker", "Run the jobs of an application."),
    "publish-hints": (
        "tenure.cli.commands.publish_hints:publish_hints",
        "Give ids of ready jobs to a function, for a broker.",
    ),
    "hints": ("tenure.cli.commands.hints:hints", "Show the hints that wait to be published, or turn them off."),
    "migrate": ("tenure.cli.commands.migrate:migrate", "Bring the database to this release's schema."),
    "enqueue": ("tenure.cli.commands.enqueue:enqueue", "Enqueue one job."),
    "enqueue-file": ("tenure.cli.commands.enqueue_file:enqueue_file", "Enqueue the jobs of a JSON lines file."),
    "jobs": ("tenure.cli.commands.jobs:jobs", "List, show, cancel, supersede and redrive jobs."),
    "failures": ("tenure.cli.commands.failures:failures", "Show what failed, by cause."),
    "redrives": ("tenure.cli.commands.redrives:redrives", "Follow redrives of selections, pause, stop or forbid them."),
    "effects": ("tenure.cli.commands.effects:effects", "List what jobs did outside, and settle what nobody knows."),
    "artifacts": ("tenure.cli.commands.artifacts:artifacts", "Sweep what workers left beside the files of jobs."),
    "kinds": ("tenure.cli.commands.kinds:kinds", "List the kinds that the database knows, write or pause them."),
    "schedules": ("tenure.cli.commands.schedules:schedules", "Make and change schedules, pause, preview, backfill."),
    "queues": ("tenure.cli.commands.queues:queues", "List queues, pause and resume them."),
    "orders": ("tenure.cli.commands.orders:orders", "List order keys that are stopped."),
    "tenants": ("tenure.cli.commands.tenants:tenants", "List tenants, weigh, pause and resume them."),
    "resources": ("tenure.cli.commands.resources:resources", "What kinds share: limit it, pause and resume it."),
    "limits": ("tenure.cli.commands.limits:limits", "Limit how many jobs run at once, and how often one starts."),
    "capacities": (
        "tenure.cli.commands.capacities:capacities",
        "Bound how many jobs may wait in a queue or of a tenant.",
    ),
    "lateness": ("tenure.cli.commands.lateness:lateness", "Tell how late jobs start, and say how late they may."),
    "keys": ("tenure.cli.commands.keys:keys", "Create, list and revoke API keys."),
    "audit": ("tenure.cli.commands.audit:audit", "Show who changed what, and why."),
    "stats": ("tenure.cli.commands.stats:stats", "Count jobs by queue, kind and state."),
    "reseal": ("tenure.cli.commands.reseal:reseal", "Seal what rests under older keys, or under none, anew."),
    "doctor": ("tenure.cli.commands.doctor:doctor", "Look for what is wrong, and say what to do."),
}

_WITH_SETTINGS: Final = frozenset({"worker", "up"})
_NO_SETTINGS: Final = frozenset({"app_source", "database", "lifeline", "service", "service_key"})
_READ_BY_NAME: Final = frozenset({DATABASE, ENCRYPTION_KEYS, "app", "url", "key"})


class Refused(click.ClickException):
    """An error of the product as one line, with its code and hint."""

    def __init__(self, error: TenureError) -> None:
        super().__init__(cleaning.shown(str(error)))
        self.exit_code = exit_codes.of(error)  # type: ignore[misc]


class LazyGroup(click.Group):
    """Knows its commands by name and one line of help, without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS, *faces.names()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in faces.names():
            return faces.load(cmd_name)
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([*((name, words) for name, (_, words) in COMMANDS.items()), *faces.words().items()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Exit codes"):
            formatter.write_dl(exit_codes.help_rows())

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As a group that has its commands at hand: who misspells one is told which was meant."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            if args[0] in self.list_commands(ctx) or args[0].startswith("-"):
                raise
            hint = meant(args[0], self.list_commands(ctx))
            raise click.UsageError(f"there is no command {args[0]!r}. {hint}".rstrip(), ctx) from error

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """As a program. Python waits at its end for threads that are no daemons; a handler may have left some behind
        that never end, and they must not keep a worker from leaving by its deadline."""
        try:
            return super().__call__(*args, **kwargs)
        except SystemExit as leaving:
            if _has_threads() and isinstance(leaving.code, int):
                logging.shutdown()
                sys.stdout.flush()
                os._exit(leaving.code)
            raise

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except TenureError as error:
            raise Refused(error) from error


def _file(command: str) -> dict[str, Any]:
    """What the settings file says to a command: the head of the file to a worker, the table of its own name to the
    command of another face. Raises Misconfigured for a key that nobody would read."""
    from tenure.cli.commands.worker import worker

    said = dict(Settings().file())
    tables = set(faces.names())
    _check_keys(said.keys() - tables - _READ_BY_NAME, worker, "tenure worker", "")
    if command not in tables:
        return {name: value for name, value in said.items() if name not in tables}
    own = said.get(command, {})
    if not isinstance(own, dict):
        raise Misconfigured(f"{command} in the settings file is no table", hint=f"Write [{command}] above its keys.")
    _check_keys(own.keys(), faces.load(command), f"tenure {command}", f"[{command}] of ")
    return own


def _check_keys(said: Collection[str], reader: click.Command, name: str, where: str) -> None:
    if isinstance(reader, faces.Missing):
        return
    known = {option.name for option in reader.params if isinstance(option, click.Option)} - _NO_SETTINGS
    unknown = sorted(set(said) - known)
    if unknown:
        raise Misconfigured(
            f"{where}the settings file has {', '.join(unknown)}, which nobody reads",
            hint=f"{meant(unknown[0], known)} Spell it as `{name} --help` does, with _ for -.".lstrip(),
        )


def _has_threads() -> bool:
    """Whether a thread that is no daemon runs beside this one."""
    return any(not thread.daemon and thread is not threading.current_thread() for thread in threading.enumerate())


_TALKATIVE: Final = ("httpx2", "httpcore2")
"""Loggers that tell every request with its whole URL, at any level below a warning."""


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="tenure")
@click.option(
    "--log-level",
    type=click.Choice(["debug", "info", "warning", "error"]),
    default="info",
    show_default=True,
    help="How much is logged to standard error.",
)
@click.pass_context
def main(ctx: click.Context, log_level: str) -> None:
    """Background jobs that survive crashes.

    The database is named by --database, TENURE_DATABASE_URL, `database_url` in tenure.toml or [tool.tenure] of
    pyproject.toml, in this order; without any it is that of the application which TENURE_APP or `app` of the file
    names, or sqlite:///tenure.db. An application that names a database itself keeps it, unless --database says
    another. The options of `worker` and `up` are found in the same places, those of `serve` under
    [serve].
    """
    command = ctx.invoked_subcommand
    if command is not None and (command in _WITH_SETTINGS or command in faces.names()):
        ctx.default_map = {command: _file(command)}
    logging.basicConfig(level=log_level.upper(), format="%(asctime)s %(levelname)s %(message)s")
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)


if __name__ == "__main__":
    main()
