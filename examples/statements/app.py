"""The application: one task, which makes the statement of an account and month.

`tenure worker statements.app:app` runs it. TENURE_DATABASE_URL names the database; STATEMENTS_LEDGER the ledger,
STATEMENTS_OUT the folder for the statements, STATEMENTS_DELAY the seconds that each one is made to last longer.
"""

import os
from functools import lru_cache
from pathlib import Path
from typing import Any

from statements import files
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
    terminal_on={NotALedger: "not_a_ledger", files.OtherBytes: "statement_exists"},
    retry_on={OSError: "file_error"},
)
def render_statement(ctx: Context, account: str, month: str, slice_sha256: str) -> dict[str, Any]:
    """Makes a statement, and answers its file's name, SHA-256 and length in bytes.

    slice_sha256: of the slice of the ledger that was asked for; another one ends the job, `ledger_changed`.
    """
    part = _slice(account, month)
    if part is None or part.sha256() != slice_sha256:
        raise Terminal("ledger_changed", f"the entries of {account} in {month} are not those that were asked for")
    pdf = draw(part)
    place = Path(os.environ["STATEMENTS_OUT"]) / files.name_of(account, month)
    aside = files.write_aside(place, pdf, ctx.attempt.number)
    try:
        ctx.wait_stop(float(os.environ.get("STATEMENTS_DELAY", "0")))
        ctx.raise_if_cancelled()
        files.promote(aside, place)
    finally:
        aside.unlink(missing_ok=True)
    return {"file": place.name, "sha256": files.sha256(pdf), "bytes": len(pdf)}


def _slice(account: str, month: str) -> Slice | None:
    path = Path(os.environ["STATEMENTS_LEDGER"])
    facts = path.stat()
    return _read(path, facts.st_mtime_ns, facts.st_size).get((account, month))


@lru_cache(maxsize=1)
def _read(path: Path, _changed: int, _size: int) -> dict[tuple[str, str], Slice]:
    """The ledger's slices, read once for as long as the file does not change."""
    return by_period(read_ledger(path))
