"""The application: one task, which makes the statement of an account and month.

`tenure worker statements.app:app` runs it. TENURE_DATABASE_URL names the database; STATEMENTS_LEDGER the ledger,
STATEMENTS_OUT the folder for the statements, STATEMENTS_DELAY the seconds that each one is made to last longer.
"""

import os
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from statements import book
from statements.balances import Slice, by_period
from statements.ledger import NotALedger, read_ledger
from statements.pdf import FORMAT, draw
from tenure import Context, Tenure, Terminal

app = Tenure()


@app.task(
    kind="render_statement",
    version=FORMAT,
    queue="statements",
    timeout=120,
    effects=["statement"],
    terminal_on={NotALedger: "not_a_ledger"},
    retry_on={OSError: "file_error"},
)
def render_statement(ctx: Context, account: str, month: str, slice_sha256: str) -> None:
    """Makes a statement: its file, and in one transaction its row in the book and the success of the job.

    slice_sha256: of the slice of the ledger that was asked for; another one ends the job, `ledger_changed`. The job's
    result is the file's name, SHA-256 and length in bytes.
    """
    part = _slice(account, month)
    if part is None or part.sha256() != slice_sha256:
        raise Terminal("ledger_changed", f"the entries of {account} in {month} are not those that were asked for")

    def write(file: BinaryIO) -> None:
        file.write(draw(part))
        _linger(ctx)

    name = book.name_of(account, month)
    made = ctx.artifact("statement", write, to=Path(os.environ["STATEMENTS_OUT"]) / name)
    _linger(ctx)
    with book.transaction(app.url) as connection:
        book.enter(connection, name, made, slice_sha256, ctx.job.id)
        ctx.complete(connection=connection, result={"file": name, "sha256": made.sha256, "bytes": made.length})


def _linger(ctx: Context) -> None:
    """Makes the job last longer, in two halves: with its file unfinished, and with it finished."""
    ctx.wait_stop(float(os.environ.get("STATEMENTS_DELAY", "0")) / 2)
    ctx.raise_if_cancelled()


def _slice(account: str, month: str) -> Slice | None:
    path = Path(os.environ["STATEMENTS_LEDGER"])
    facts = path.stat()
    return _read(path, facts.st_mtime_ns, facts.st_size).get((account, month))


@lru_cache(maxsize=1)
def _read(path: Path, _changed: int, _size: int) -> dict[tuple[str, str], Slice]:
    """The ledger's slices, read once for as long as the file does not change."""
    return by_period(read_ledger(path))
