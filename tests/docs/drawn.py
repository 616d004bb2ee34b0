"""The reference pages that repeat facts of the code. `python -m tests.docs.drawn` draws them anew."""

from pathlib import Path

from tests.docs import facts_of_errors, facts_of_settings, facts_of_tables
from tests.docs.drawing import Drawing, redrawn

FOLDER = Path(__file__).parents[2] / "docs" / "reference"

DRAWINGS: dict[str, Drawing] = {
    **facts_of_errors.DRAWINGS,
    **facts_of_settings.DRAWINGS,
    **facts_of_tables.DRAWINGS,
}


def pages() -> list[Path]:
    return sorted(FOLDER.glob("*.md"))


def write() -> None:
    for page in pages():
        page.write_text(redrawn(page.read_text(encoding="utf-8"), DRAWINGS), encoding="utf-8")


if __name__ == "__main__":
    write()
