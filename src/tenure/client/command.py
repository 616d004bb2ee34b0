"""`tenure remote`: every operation of the HTTP interface as a command, made from the table."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from tenure.client import saying
from tenure.client.call import made
from tenure.client.client import Client
from tenure.client.sending import PATIENCE
from tenure.client.shapes import check_reads
from tenure.core.errors import InvalidInput
from tenure.core.payloads import documents
from tenure.core.secrecy import cleaning
from tenure.edge.operation import Operation
from tenure.edge.operations import BY_NAME, TABLE

_PARAMETER: Final = re.compile(r"\{(\w+)\}")
_REFUSED: Final = 400
Texts = dict[str, list[str]]
NOT_AS_ASKED: Final = 1
"""Exit code where the answer itself says that something is wrong (`readyz`)."""


class Remote(click.Group):
    """Knows the operations of the table."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [_word(operation.name) for operation in TABLE]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        operation = BY_NAME.get(cmd_name.replace("-", "_"))
        return None if operation is None else _command(operation)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Operations"):
            formatter.write_dl([(_word(operation.name), operation.summary) for operation in TABLE])


@click.group(cls=Remote)
def remote() -> None:
    """Call an operation of a Tenure service, and print its answer as JSON.

    Members of the request are said as options or as NAME=VALUE, or as one JSON object with --json. The service is named
    by --url, TENURE_URL or `url` of the settings file, the key by --key or TENURE_KEY.
    """


def _command(operation: Operation) -> click.Command:
    types = saying.types_of(operation)
    members = [*_PARAMETER.findall(operation.path), *types]
    options = [
        click.Option([f"--{_word(name)}", name], multiple=True, metavar=_metavar(types, name)) for name in members
    ]

    def run(
        url: str | None, key: str | None, file: str | None, patience: float, words: Sequence[str], **said: Any
    ) -> None:
        texts = _with_words(operation, {name: list(found) for name, found in said.items() if found}, words, members)
        values = {name: _value(types, name, found) for name, found in texts.items()}
        _print(operation, {**_document(file), **values}, url, key, patience)

    return click.Command(
        _word(operation.name),
        callback=run,
        help=f"{operation.summary}\n\n{operation.method} {operation.path}",
        params=[*options, *_ours()],
    )


def _ours() -> list[click.Parameter]:
    return [
        click.Argument(["words"], nargs=-1, metavar="[NAME=VALUE]..."),
        click.Option(["--json", "file"], metavar="FILE", help="The request as one JSON object; - is standard input."),
        click.Option(["--url"], envvar="TENURE_URL", help="Of the service."),
        click.Option(["--key"], help="Of the caller; better said by TENURE_KEY, which no process list shows."),
        click.Option(
            ["--patience"],
            type=click.FloatRange(0),
            default=PATIENCE,
            show_default=True,
            help="Seconds for which what is safe to repeat is tried again.",
        ),
    ]


def _print(operation: Operation, said: dict[str, Any], url: str | None, key: str | None, patience: float) -> None:
    named = saying.by_names_in_python(operation, saying.with_identity(operation, said))
    wait = named.get("wait")
    call = made(
        operation.name,
        named,
        lambda status, content: (status, content),
        float(wait) if isinstance(wait, (int, float)) else 0.0,
    )
    with Client(url, key, patience=patience) as client:
        status, content = client.send(call)
    click.echo(cleaning.shown(_checked(operation, status, content)))
    if status >= _REFUSED:
        click.get_current_context().exit(NOT_AS_ASKED)


def _checked(operation: Operation, status: int, content: bytes) -> str:
    """The answer for people, members that this release does not know too. Raises TenureError for an answer that is none
    of the operation's."""
    shapes = operation.answers[status]
    if not shapes:
        return "null"
    check_reads(content, shapes)
    return msgspec.json.format(content, indent=2).decode()


def _document(file: str | None) -> dict[str, Any]:
    """Raises InvalidInput for a file that cannot be read or holds no object."""
    if file is None:
        return {}
    try:
        content = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise InvalidInput("json", f"the file cannot be read: {error}") from error
    found = documents.parse("json", content, saying.MOST_BYTES)
    if not isinstance(found, dict):
        raise InvalidInput("json", "is no object")
    return found


def _with_words(operation: Operation, texts: Texts, words: Sequence[str], members: Sequence[str]) -> Texts:
    """With what stands outside options: NAME=VALUE, or the parameter of the path by itself."""
    for word in words:
        name, said, text = word.partition("=")
        if not said and operation.path.count("{") == 1:
            name, text = _PARAMETER.findall(operation.path)[0], word
        elif not said or name not in members:
            hint = f"It has {', '.join(members)}." if members else "It has none."
            message = f"is not a member of {operation.name}"
            raise InvalidInput(name, message, code="unknown_member", hint=hint)
        texts.setdefault(name, []).append(text)
    return texts


def _value(types: dict[str, Any], name: str, texts: Sequence[str]) -> Any:
    return saying.value(name, types[name], texts) if name in types else texts[-1]


def _metavar(types: dict[str, Any], name: str) -> str:
    return "TEXT" if name not in types else saying.word_for(types[name])


def _word(name: str) -> str:
    return name.replace("_", "-")
