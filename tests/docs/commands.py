"""The command line, as click knows it."""

from collections.abc import Iterator

import click

from tenure.cli.main import main


def every() -> Iterator[tuple[str, click.Command]]:
    """Each command by its full name (`tenure jobs list`), groups and `tenure` itself included."""
    yield from _under("tenure", main, click.Context(main, info_name="tenure"))


def options(command: click.Command) -> list[click.Option]:
    """What a user may say to it."""
    return [p for p in command.params if isinstance(p, click.Option) and not p.hidden]


def default(option: click.Option) -> str:
    """As users write it; empty where nothing is said."""
    said = option.to_info_dict()["default"]
    return "" if option.is_flag or not isinstance(said, int | float | str) else plain(said)


def plain(value: object) -> str:
    """A value of a setting in words: whole seconds without a dot."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def flag(option: click.Option) -> str:
    """With the word for its value: `--state ready|running`."""
    name = option.opts[-1]
    if option.is_flag:
        return name
    if isinstance(option.type, click.Choice):
        return f"{name} {'|'.join(map(str, option.type.choices))}"
    return f"{name} {option.metavar or option.type.name.upper().removesuffix(' RANGE')}"


def check(arguments: list[str]) -> None:
    """Parses `tenure …` without running it. Raises click.UsageError for what the command line does not know."""
    context, rest = click.Context(main, info_name="tenure"), arguments
    command: click.Command = main
    while isinstance(command, click.Group):
        with command.make_context(context.info_name, list(rest), parent=context.parent) as parsed:
            name, found, rest = command.resolve_command(parsed, [*parsed._protected_args, *parsed.args])
        if found is None:
            raise click.UsageError(f"no command {name}")
        command, context = found, click.Context(found, info_name=name, parent=parsed)
    with command.make_context(context.info_name, list(rest), parent=context.parent):
        return


def _under(name: str, command: click.Command, context: click.Context) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        for sub in command.list_commands(context):
            found = command.get_command(context, sub)
            if found is not None:
                yield from _under(f"{name} {sub}", found, click.Context(found, info_name=sub, parent=context))
