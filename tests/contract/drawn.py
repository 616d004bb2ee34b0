"""The pages of the documentation that are drawn from the code. `python -m tests.contract.drawn` writes them anew."""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from pathlib import Path

from tenure.core.states import TABLE, TERMINAL
from tenure.stores.memory import MemoryStore
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask
from tests.contract import lines
from tests.contract.pairs import play_all

FOLDER = Path(__file__).parents[2] / "docs" / "explanation"
_NOTE = "This page is drawn from the code by `python -m tests.contract.drawn`; a test fails when it is stale."


def states_page() -> str:
    """The state diagram, from `core.states.TABLE`."""
    arrows = [f"    {rule.before or '[*]'} --> {after}: {rule.event}" for rule in TABLE for after in sorted(rule.after)]
    ends = [f"    {state} --> [*]" for state in sorted(TERMINAL)]
    rows = [
        f"| {rule.before or '–'} | {rule.event} | {', '.join(sorted(rule.after))} |"
        for rule in sorted(TABLE, key=lambda rule: (str(rule.before or ""), str(rule.event)))
    ]
    return "\n".join([
        "# States of a job", "", _NOTE, "", "```mermaid", "stateDiagram-v2", *arrows, *ends, "```", "",
        "| from | event | to one of |", "| --- | --- | --- |", *rows, "",
    ])  # fmt: skip


def pairs_page() -> str:
    """The result of every ordered pair of events on one job, as the memory store plays it."""
    clock = FakeClock()
    pairs = play_all(Ask(MemoryStore(clock=clock), clock))
    told = [
        "# Two events on one job", "", _NOTE, "",
        "What happens when two events meet on one job, in both orders. Each pair begins in a state that suits both",
        "events where there is one, else the first. An answer is what its caller is told: `stale` and `nothing` change",
        "nothing, `repeated` gives the stored outcome again. To supersede is to enqueue a newer job of the same supersession",
        "key; one that runs has it `noted`: it may complete, and does not come back.", "",
    ]  # fmt: skip
    for first, group in groupby(pairs, key=lambda pair: pair.first):
        rows = ([p.start, p.first_answer, p.second, p.second_answer, p.end] for p in group)
        told += _table(f"First {first}", ["begins", "answer", "then", "answer", "ends"], rows)
    return "\n".join(told)


def lines_page() -> str:
    """The result of every ordered pair of events on two jobs of one order key, as the memory store plays it."""
    clock = FakeClock()
    found = lines.play_all(Ask(MemoryStore(clock=clock), clock))
    told = [
        "# Two events on jobs of one order key", "", _NOTE, "",
        "Three jobs of one [order key](../how-to/order-keys.md): the head runs, the next one has a deadline, the last waits. What becomes",
        "of them when two events meet, in the order in which they are written.", "",
    ]  # fmt: skip
    for on_failure, group in groupby(found, key=lambda pair: pair.on_failure):
        rows = ([p.first, p.second, p.head, p.following, p.last] for p in group)
        told += _table(f"on_failure: {on_failure}", ["first", "then", "head", "next", "last"], rows)
    return "\n".join(told)


def _table(heading: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """The lines of a section that holds one table."""
    lines = [columns, ["---"] * len(columns), *rows]
    return [f"## {heading}", "", *(f"| {' | '.join(map(str, line))} |" for line in lines), ""]


PAGES: dict[str, Callable[[], str]] = {
    "states.md": states_page,
    "pairs.md": pairs_page,
    "pairs-of-one-order-key.md": lines_page,
}


def write() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    write()
