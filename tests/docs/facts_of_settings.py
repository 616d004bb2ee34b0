"""What the pages of settings and of the command line repeat."""

import dataclasses
import inspect
import re
from datetime import timedelta

import click

from tenure.app.kinds.declarable import UNSAID, Declarable
from tenure.app.kinds.options import Options
from tenure.cli import exit_codes
from tenure.core import defaults
from tenure.engine.options import WorkerOptions
from tests.architecture.sources import files
from tests.docs import commands
from tests.docs.drawing import Drawing, Table

VARIABLE = re.compile(r"TENURE_[A-Z]+(?:_[A-Z]+)*")


def bound_variables() -> set[str]:
    """Variables that stand for an option of a command."""
    return {str(option.envvar) for _, command in commands.every() for option in commands.options(command)} - {"None"}


def other_variables() -> set[str]:
    """Variables that the source names besides."""
    return {name for path in files() for name in VARIABLE.findall(path.read_text(encoding="utf-8"))}


def worker_settings() -> Table:
    """The options of `tenure worker`, wherever they may be said, without those that say which jobs and whose code."""
    worker = dict(commands.every())["tenure worker"]
    rows = []
    for option in commands.options(worker):
        if option.name in ("app_source", "database", "service", "service_key"):
            continue
        variable = f"`{option.envvar}`" if option.envvar else ""
        rows.append((f"`{option.opts[-1]}`", variable, f"`{option.name}`", commands.default(option)))
    return Table(("flag", "variable", "key of the file", "default"), rows, "means")


def surroundings() -> Table:
    return Table(("variable",), [(f"`{name}`",) for name in sorted(other_variables())], "means")


def every_default() -> Table:
    """`core.defaults`, whole."""
    rows = [(f"`{name}`", _shown(value)) for name, value in vars(defaults).items() if name.isupper()]
    return Table(("name", "value"), rows, "means")


def worker_options() -> Table:
    made = WorkerOptions()
    rows = [(f"`{field.name}`", _shown(getattr(made, field.name))) for field in dataclasses.fields(WorkerOptions)]
    return Table(("argument", "default"), rows, "means")


def task_options() -> Table:
    names = ("kind", *Declarable.__annotations__)
    return Table(("argument", "default"), [(f"`{name}`", _shown(UNSAID.get(name))) for name in names], "means")


def job_options() -> Table:
    made = Options()
    rows = [(f"`{name}`", _shown(getattr(made, name))) for name in Options.__struct_fields__]
    return Table(("option", "default"), rows, "means")


def every_exit_code() -> Table:
    return Table(("code", "means"), [(str(code), words) for code, words in exit_codes.MEANINGS.items()])


def every_command() -> str:
    """A section for each command: how it is called, what it does, what it takes."""
    return "\n".join(_section(name, command) for name, command in commands.every())


def _section(name: str, command: click.Command) -> str:
    context = click.Context(command, info_name=name)
    usage = " ".join([name, *command.collect_usage_pieces(context)])
    lines = [f"## {name}", "", f"`{usage}`", "", inspect.cleandoc(command.help or ""), ""]
    if isinstance(command, click.Group):
        known = [f"`{sub}`" for sub in command.list_commands(context)]
        lines += [f"Commands: {', '.join(known)}.", ""]
    rows = [_option(option) for option in commands.options(command)]
    if rows:
        lines += ["| option | default | means |", "| --- | --- | --- |", *rows, ""]
    return "\n".join(lines)


def _option(option: click.Option) -> str:
    cells = [f"`{commands.flag(option)}`", commands.default(option), option.help or ""]
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _shown(value: object) -> str:
    """A default in words; nothing for None."""
    if value is None or value == () or value is dataclasses.MISSING:
        return ""
    if isinstance(value, timedelta):
        return f"{value.days} days"
    if isinstance(value, tuple):
        return ", ".join(_shown(item) for item in value)
    if isinstance(value, float):
        return f"{value:.4g}" if value < 1000 else f"{value:,.0f}"
    if isinstance(value, int):
        return f"{value:,}"
    return f"`{value}`" if isinstance(value, str) and value else "" if value == "" else "see below"


DRAWINGS: dict[str, Drawing] = {
    "worker-settings": worker_settings,
    "surroundings": surroundings,
    "defaults": every_default,
    "worker-options": worker_options,
    "task-options": task_options,
    "job-options": job_options,
    "exit-codes": every_exit_code,
    "commands": every_command,
}
