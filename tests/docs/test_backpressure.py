"""The page on backpressure: its Python and its commands run, and do what it says."""

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from tenure import Tenure
from tenure.cli.main import main
from tests.docs import pages
from tests.docs.conftest import Play

PAGE = pages.how_to("backpressure")


@pytest.fixture
def app(folder: Path) -> Iterator[Tenure]:
    app = Tenure("sqlite:///tenure.db")
    app.open()
    yield app
    app.close()


def test_what_the_page_declares_and_catches_runs(app: Tenure, play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    bounds, tasks, catching, objective = pages.blocks(PAGE, "python")
    names = play([bounds, tasks], app=app)
    assert len(app.capacities()) == 3
    app.set_capacity(0, queue="mail")
    play([catching], **names)
    assert capsys.readouterr().out == "mail 0 0 0.0 1.0\n"
    assert names["password_reset"].enqueue(to="ada").created
    assert names["weekly_report"].enqueue(to="ada").row.state == "scheduled"
    play([objective], app=app)
    assert app.lateness(["mail"])[0].objective is not None


def test_the_commands_of_the_page_run(app: Tenure) -> None:
    for line in pages.lines(PAGE):
        if line.startswith("tenure "):
            result = CliRunner().invoke(main, shlex.split(line)[1:], catch_exceptions=False)
            assert result.exit_code in (0, 1) if "doctor" in line else result.exit_code == 0, result.output
