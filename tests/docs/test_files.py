"""The blocks of the page on files do what it says."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from tenure.cli.main import main
from tenure.engine.barrier import ARTIFACT_NAMES
from tenure.testing import drain, memory_app
from tests.docs import pages
from tests.docs.conftest import Play

PAGE = pages.how_to("files")


def test_the_statement_of_the_page_is_made_and_told(play: Play, folder: Path) -> None:
    play(pages.blocks(PAGE, "python")[:1])
    import printing  # type: ignore[import-not-found]

    with memory_app(printing.app):
        job = printing.statement.enqueue(account="acct_91", folder=str(folder / "out"))
        assert [ran.outcome for ran in drain(printing.app)] == ["succeeded"]
        told = job.result(timeout=0)
    made = folder / "out" / "acct_91.txt"
    assert (told["uri"], told["length"]) == (made.as_uri(), len(made.read_bytes()))
    assert told["metadata"] == {"account": "acct_91"}


def test_the_sweep_of_the_page_is_a_command(folder: Path) -> None:
    line = next(line for line in pages.lines(PAGE) if line.startswith("tenure artifacts"))
    assert CliRunner().invoke(main, line.split()[1:]).output == "0 removed\n"


@pytest.mark.parametrize("name", sorted(ARTIFACT_NAMES))
def test_the_barriers_of_files_stand_on_the_page_of_tests(name: str) -> None:
    assert name in set(pages.spans(pages.how_to("test-your-jobs")))
