"""Every pair of concurrent events on one job, in both orders, has one documented result, and none raises
(FAULTS B73)."""

import pytest

from tests.conformance.asking import Ask
from tests.contract.drawn import FOLDER, PAGES
from tests.contract.pairs import EVENTS, Pair, play_all


def documented() -> list[list[str]]:
    """The rows of the page."""
    lines = (FOLDER / "pairs.md").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    return [row for row in rows if row[0] not in ("begins", "---")]


def row(pair: Pair) -> list[str]:
    return [pair.start, pair.first_answer, pair.second, pair.second_answer, pair.end]


def test_every_pair_ends_on_every_store_as_the_page_says(ask: Ask) -> None:
    pairs = play_all(ask)
    assert len(pairs) == len(EVENTS) ** 2
    differing = [(pair, told) for pair, told in zip(pairs, documented(), strict=True) if row(pair) != told]
    assert not differing


@pytest.mark.parametrize("name", PAGES)
def test_the_drawn_pages_are_not_stale(name: str) -> None:
    drawn = PAGES[name]()
    assert (FOLDER / name).read_text(encoding="utf-8") == drawn, "run `python -m tests.contract.drawn`"


@pytest.mark.parametrize("report", [name for name in EVENTS if name.startswith(("fail", "release", "snooze"))])
def test_a_cancelled_and_failing_attempt_ends_cancelled(report: str) -> None:
    told = {(cells[0], cells[1], cells[2]): cells[4] for cells in documented()}
    assert told["running", "requested", report].startswith("cancelled")
