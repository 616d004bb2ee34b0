"""`tenure enqueue-file`: many jobs from a file of JSON lines."""

import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from typing import IO, Any, Final

import click

from tenure.app.submitting.handle import JobHandle
from tenure.app.submitting.item import Item
from tenure.app.tenure import Tenure
from tenure.cli.asking import app_option, database_option, json_option, producer
from tenure.cli.commands.enqueue import options_of
from tenure.cli.rendering import print_json
from tenure.core import defaults
from tenure.core.errors import Conflict, InvalidInput, QueueFull
from tenure.core.payloads import documents
from tenure.core.spelling import meant

_LINE_BYTES: Final = 4 * defaults.PAYLOAD_BYTES
_OPTIONS: Final = frozenset({
    "idempotency_key", "id", "tenant", "queue", "priority", "delay", "run_at", "deadline", "max_attempts", "timeout",
    "tags", "trace", "supersede", "supersession_key", "debounce", "max_wait", "when_full", "order_key", "on_failure",
})  # fmt: skip
_SHOWN: Final = 20
_OF_ITEM: Final = re.compile(r"items\[(\d+)\]\.?")
_FULL: Final = "Run this again later, with an idempotency_key on each line, or with --wait."
_AGAIN: Final = (
    "The lines before its batch are enqueued; give each line an idempotency_key, mend it, and run this again."
)
_NOTHING: Final = "Nothing is enqueued: mend it, and run this again."


class BadLine(InvalidInput):
    """A line that cannot be enqueued. The batches before it are, where there are any."""

    code = "bad_line"
    hint = _AGAIN


@click.command("enqueue-file")
@click.argument("file", type=click.File("rb"))
@app_option
@database_option
@json_option
@click.option("--kind", help="The kind of lines that name none.")
@click.option(
    "--batch", type=click.IntRange(1, 10_000), default=defaults.BATCH, show_default=True, help="Jobs a commit."
)
@click.option("--wait", is_flag=True, help="Where as many jobs wait as may, wait until there is room.")
def enqueue_file(
    file: IO[bytes],
    app_source: str | None,
    database: str | None,
    as_json: bool,
    kind: str | None,
    batch: int,
    wait: bool,
) -> None:
    """Enqueue the jobs of FILE (- for standard input), one JSON object a line.

    A line holds `kind`, `payload`, and any of idempotency_key, id, tenant, queue, priority, delay, run_at, deadline,
    max_attempts, timeout, tags, trace, supersession_key, debounce, max_wait, when_full, order_key, on_failure. Each
    batch is stored whole or not at all; one that meets a full queue ends the command, or with --wait is tried again
    until there is room.
    """
    app = producer(app_source, database)
    created = known = 0
    with _progress(file) as bar:
        try:
            for lines in _batches(file, batch):
                items = _items(app, lines, kind)
                handles = _stored(app, items, _place_of(lines), wait)
                fresh = sum(handle.created for handle in handles)
                created, known = created + fresh, known + len(handles) - fresh
                if bar is not None:
                    bar.update(sum(len(line) for _, line in lines))
        except BadLine as bad:
            bad.hint = f"{bad.hint} {_AGAIN if created or known else _NOTHING}".lstrip()  # type: ignore[misc]
            raise
        finally:
            app.close()
    if as_json:
        print_json({"created": created, "known": known})
    else:
        click.echo(f"{created:,} enqueued, {known:,} known already")


def _batches(file: IO[bytes], size: int) -> Iterator[list[tuple[int, bytes]]]:
    numbered = enumerate(iter(lambda: file.readline(_LINE_BYTES + 1), b""), start=1)
    while lines := list(islice(numbered, size)):
        yield lines


def _place_of(lines: Sequence[tuple[int, bytes]]) -> str:
    first, last = lines[0][0], lines[-1][0]
    return f"line {first}" if first == last else f"lines {first} to {last}"


def _stored(app: Tenure, items: dict[int, Item], where: str, wait: bool) -> list[JobHandle]:
    """items: by line. Raises BadLine; Conflict or QueueFull that says where, and that nothing of the batch is
    stored."""
    while True:
        try:
            return app.enqueue_many(list(items.values()))
        except InvalidInput as error:
            place = _OF_ITEM.match(error.field)
            number = list(items)[int(place[1]) if place else 0]
            raise BadLine(f"line {number}", _OF_ITEM.sub("", error.message, count=1), hint=error.hint) from error
        except Conflict as error:
            raise type(error)(f"{where}, nothing of which is stored: {error.message}", error.job_id) from error
        except QueueFull as full:
            never_fits = full.capacity is not None and len(items) > full.capacity
            if not wait or never_fits:
                full.message = f"{where}, nothing of which is stored: {full.message}"
                full.hint = "Give a smaller --batch." if never_fits else _FULL  # type: ignore[misc]
                raise
            click.echo(f"{where}: {full.message}; trying again in {full.retry_after:g} s", err=True)
            time.sleep(full.retry_after)


def _items(app: Tenure, lines: Sequence[tuple[int, bytes]], kind: str | None) -> dict[int, Item]:
    """By line. Raises BadLine of the first that is bad, which names the others."""
    items: dict[int, Item] = {}
    bad: dict[int, BadLine] = {}
    for number, line in lines:
        if line.strip():
            try:
                items[number] = _item(app, number, line, kind)
            except BadLine as error:
                bad[number] = error
    if bad:
        first, *others = bad
        if others:
            shown = ", ".join(map(str, others[:_SHOWN])) + (", …" if len(others) > _SHOWN else "")
            bad[first].message += f" (and {len(others):,} more of its batch: {shown})"
        raise bad[first]
    return items


def _item(app: Tenure, number: int, line: bytes, kind: str | None) -> Item:
    """Raises BadLine."""
    try:
        said = documents.parse("line", line.rstrip(), _LINE_BYTES, defaults.DEPTH + 1)
        if not isinstance(said, dict):
            raise InvalidInput("line", "must be an object")
        named, payload = said.pop("kind", kind), said.pop("payload", {})
        unknown = sorted(said.keys() - _OPTIONS)
        if unknown:
            raise InvalidInput(unknown[0], "is not an option of a line", hint=meant(unknown[0], _OPTIONS))
        if named is None:
            raise InvalidInput("kind", "is missing")
        return app.item(named, payload, **options_of(said))
    except InvalidInput as error:
        raise BadLine(f"line {number}", _of_the_line(error.message), hint=error.hint) from error


def _of_the_line(message: str) -> str:
    """A member is named as it stands in the line, whoever refuses it."""
    return message.removeprefix("line: ").removeprefix("line.")


def _progress(file: IO[bytes]) -> AbstractContextManager[Any]:
    """A bar on a terminal, as long as the file; none elsewhere, and none for a pipe."""
    if not (sys.stderr.isatty() and file.seekable()):
        return nullcontext()
    length = file.seek(0, 2)
    file.seek(0)
    return click.progressbar(length=length, label="enqueueing", file=sys.stderr)
