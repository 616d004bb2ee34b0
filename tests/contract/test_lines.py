"""Every pair of events on two jobs of one order key has one documented result on every store, and none raises."""

from tests.conformance.asking import Ask
from tests.contract.drawn import FOLDER
from tests.contract.lines import LinePair, pairs, play_all


def test_every_pair_ends_on_every_store_as_the_page_says(ask: Ask) -> None:
    found = play_all(ask)
    assert len(found) == 2 * len(pairs())
    page = (FOLDER / "pairs-of-one-order-key.md").read_text(encoding="utf-8").splitlines()
    told = [line for line in page if line.startswith("| the ")]
    differing = [(pair, line) for pair, line in zip(found, told, strict=True) if row(pair) != line]
    assert not differing


def row(pair: LinePair) -> str:
    return f"| {' | '.join(pair[1:])} |"
