"""The page on supersession does what it says."""

import shlex
from pathlib import Path

from click.testing import CliRunner

from tenure import State, Tenure
from tenure.cli.main import main
from tests.docs import pages
from tests.docs.conftest import Play

PAGE = pages.how_to("latest-only")


def test_its_blocks_leave_the_newest_of_each_key(folder: Path, play: Play) -> None:
    names = play(pages.blocks(PAGE, "python"))
    app: Tenure = names["app"]
    try:
        assert names["newest"].refresh().state is State.READY
        waiting = names["waiting"].refresh()
        assert waiting.state is State.SCHEDULED
        gone = app.get(waiting.row.supersedes)
        assert gone is not None
        assert (gone.state, gone.row.superseded_by) == (State.CANCELLED, waiting.id)
    finally:
        app.close()


def test_its_commands_tell_why_a_job_did_not_run(folder: Path, play: Play) -> None:
    names = play(pages.blocks(PAGE, "python"))
    older = names["waiting"].refresh().row.supersedes
    names["app"].close()
    for line in pages.lines(PAGE):
        said = CliRunner().invoke(
            main, [*shlex.split(line.replace("JOB-ID", older))[1:], "--database", "sqlite:///shop.db"]
        )
        assert said.exit_code == 0, said.output
        assert older in said.output
    assert f"superseded by {names['waiting'].id}" in said.output
