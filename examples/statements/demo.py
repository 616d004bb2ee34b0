"""The demo: statements for a whole ledger by two workers, one of which is killed in mid-job.

Exit codes: 0 every check holds; 1 one does not; 2 the ledger or the database cannot be used, or there is no statement
to make of the ledger.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from statements import book, display, summary, workers
from statements.app import app
from statements.jobs import Asked, ask_for
from statements.ledger import Ledger, NotALedger, Withheld, read_ledger
from statements.make_sample import SAMPLE
from statements.summary import counted
from statements.workers import WorkerProcess
from tenure import TenureError

_LOOK: Final = 0.1
_LITTLE: Final = 50
_SHOWN: Final = 12


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the demo; its exit code."""
    said = _parser().parse_args(arguments)
    try:
        ledger = _with_statements(_shortened(_with_rows(read_ledger(said.ledger)), said.accounts))
        out = _folder(said.out)
        app.url = said.database or f"sqlite:///{out / 'jobs.db'}"
        app.store.migrate()
        book.open_book(app.url)
        return _run(ledger, said, out)
    except (NotALedger, TenureError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"demo: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    finally:
        app.close()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="demo", description="Account statements as PDF, by durable jobs.")
    add = parser.add_argument
    add("--ledger", type=Path, default=SAMPLE, help="CSV with account, date, description, amount (default: a sample)")
    add("--database", metavar="URL", help="sqlite:///… or postgresql://… (default: jobs.db in the out folder)")
    add("--out", type=Path, help="folder for the statements (default: a new one in statements-out/)")
    add("--accounts", type=_at_least_one, metavar="N", help="only the first N accounts")
    add("--delay", type=float, default=0.25, metavar="SECONDS", help="how much longer each job takes (default: 0.25)")
    add("--timeout", type=float, default=600, metavar="SECONDS", help="give up after (default: 600)")
    return parser


def _run(ledger: Ledger, said: argparse.Namespace, out: Path) -> int:
    asked = ask_for(ledger)
    _tell_start(ledger, asked, out)
    names = ("first", "second") if display.look(time.monotonic(), {}).left else ()
    team = {name: workers.start(name, said.ledger.resolve(), out, said.delay) for name in names}
    try:
        _watch(team, asked.created, said.timeout)
    finally:
        codes = workers.drain(team)
    killed = [worker for worker in team.values() if worker.killed]
    found = [
        *summary.checks(asked, done := summary.read(asked), out, killed),
        *_left_well(codes),
        *_was_killed(asked, killed),
        _adds_nothing(ledger, asked),
    ]
    return _tell_end(found, done, out, ledger, asked)


def _watch(team: dict[str, WorkerProcess], created: int, timeout: float) -> None:
    """Shows the work until it is done, and kills the first worker on the way."""
    began, victim = time.monotonic(), team.get("first")
    with display.opened() as shown:
        while victim is not None:
            picture = display.look(began, team)
            shown.show(picture)
            if not picture.left or picture.seconds > timeout or not any(worker.alive for worker in team.values()):
                return
            if not victim.killed and _is_time(picture, created) and workers.kill_in_mid_job(victim, 2.0):
                names = ", ".join((job.idempotency_key or job.id) for job in victim.interrupted)
                shown.say(f"        SIGKILL to {victim.name} (process {victim.pid}) while it ran {names}")
            time.sleep(_LOOK)


def _is_time(picture: display.Picture, created: int) -> bool:
    """Whether a quarter of the new work is done; with little work, whether any has begun."""
    return bool(created and picture.running) and (created <= _LITTLE or picture.left <= created * 3 / 4)


def _left_well(codes: dict[str, int | None]) -> list[summary.Check]:
    return [
        summary.Check(f"worker {name} drained and left", [] if code == 0 else [f"exit code {code}; see {name}.log"])
        for name, code in codes.items()
    ]


def _was_killed(asked: Asked, killed: Sequence[WorkerProcess]) -> list[summary.Check]:
    if not asked.created:
        return []
    if not killed and asked.created <= _LITTLE:
        return [summary.Check("no worker was killed: so little work was done before one could be caught at it")]
    return [summary.Check("a worker was killed in mid-job", [] if killed else ["none could be"])]


def _adds_nothing(ledger: Ledger, before: Asked) -> summary.Check:
    again = ask_for(ledger)
    same = [job.id for job in again.jobs] == [job.id for job in before.jobs]
    against = [] if same and not again.created else [f"it added {counted(again.created, 'job')}"]
    return summary.Check(
        f"asking for the same ledger again adds nothing: {counted(len(again.jobs), 'known job')}", against
    )


def _tell_start(ledger: Ledger, asked: Asked, out: Path) -> None:
    accounts = counted(len({*ledger.entries, *(each.account for each in asked.withheld)}), "account")
    print(f"{ledger.file}: {accounts}, {counted(len(asked.jobs), 'statement')} asked for")
    print(f"{counted(asked.created, 'job')} added, {len(asked.jobs) - asked.created} known; statements go to {out}")
    _tell_bad(ledger, asked.withheld)
    for refused in asked.refused:
        print(f"  refused {refused.account} {refused.month}: job {refused.job_id} has this key with other entries")


def _tell_bad(ledger: Ledger, withheld: Sequence[Withheld]) -> None:
    for row in ledger.bad:
        print(f"  bad row {row}")
    for each in withheld:
        print(f"  withheld {each.account} {each.month}, because of {each.because}")


def _tell_end(checks: Sequence[summary.Check], done: summary.Done, out: Path, ledger: Ledger, asked: Asked) -> int:
    print("\nSummary, checked against the database and the files on disk")
    for check in checks:
        print(f"  {'ok  ' if check.holds else 'FAIL'}  {check.claim}")
        _tell_some([f"          {text}" for text in check.against])
    if ledger.bad:
        withheld = counted(len(asked.withheld), "statement")
        print(
            f"  note  {withheld} withheld, not made, because of {counted(len(ledger.bad), 'bad row')}; both are listed "
            "above"
        )
    again = list(summary.second_attempts(done))
    finished = len(summary.reused(done))
    print(f"\nStatements that took a second attempt: {len(again)}, of which {finished} reused a finished file")
    _tell_some([f"  {text}" for text in again])
    print(f"\nThe statements, the workers' logs and (on SQLite) the database are in {out}")
    return 0 if all(check.holds for check in checks) else 1


def _tell_some(lines: Sequence[str]) -> None:
    for line in lines[:_SHOWN]:
        print(line)
    if len(lines) > _SHOWN:
        print(f"  … and {len(lines) - _SHOWN} more")


def _with_statements(ledger: Ledger) -> Ledger:
    """Raises NotALedger where bad rows, which are listed, withhold them all: then no folder is made either."""
    done, withheld = ledger.periods()
    if not done:
        _tell_bad(ledger, withheld)
        raise NotALedger(f"{ledger.file}: every statement is withheld because of bad rows, so none is made")
    return ledger


def _shortened(ledger: Ledger, accounts: int | None) -> Ledger:
    if accounts is not None:
        kept = sorted({*ledger.entries, *(row.account for row in ledger.bad if row.account)})[:accounts]
        ledger.entries = {account: ledger.entries[account] for account in kept if account in ledger.entries}
        ledger.bad = [row for row in ledger.bad if row.account is None or row.account in kept]
    return ledger


def _with_rows(ledger: Ledger) -> Ledger:
    """Raises NotALedger: where nothing is asked for, every check would hold, and say nothing."""
    if not (ledger.entries or ledger.bad):
        raise NotALedger(f"{ledger.file}: there are no rows below the header, so there is no statement to make")
    return ledger


def _at_least_one(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def _folder(said: Path | None) -> Path:
    folder = said or Path("statements-out") / f"{datetime.now(UTC):%Y%m%d-%H%M%S}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder.resolve()


if __name__ == "__main__":
    sys.exit(main())
