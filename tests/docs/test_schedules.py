"""The page on schedules: its blocks run, and it names what there is."""

import re
import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tenure import Tenure
from tenure.cli.main import main
from tenure.core.scheduling.rule import Form
from tenure.core.scheduling.schedule import GRACE, MISFIRE_CAP, Flag, Misfire, Overlap
from tenure.operations.run_schedule import MOST
from tests.docs import pages
from tests.docs.conftest import Play

PAGE = pages.how_to("schedules")
TEXT = PAGE.read_text(encoding="utf-8")


@pytest.fixture
def app(folder: Path, play: Play) -> Any:
    """The application of the page, whose worker has started once."""
    from tenure.app.source import load

    play(pages.blocks(PAGE, "python")[:1])
    app = load("reports:app")
    app.declare_kinds()
    app.declare_schedules()
    yield app
    app.close()


def test_the_schedule_beside_the_task_is_there_once_a_worker_has_started(app: Tenure) -> None:
    schedule = app.get_schedule("monthly_report")
    assert schedule is not None
    assert schedule.row.declared_by == "reports:app"
    assert schedule.preview(1)[0].astimezone(UTC).day in (1, 31)
    assert app.tasks["monthly_report"]("all", datetime(2026, 5, 1, tzinfo=UTC)) == "all: May"


def test_the_block_on_data_does_what_it_says(app: Tenure, play: Play) -> None:
    play(pages.blocks(PAGE, "python")[1:], app=app)
    schedule = app.get_schedule("warm-up")
    assert schedule is not None
    assert schedule.row.paused_at is None
    (run,) = schedule.occurrences()
    assert run.cause == "run_now"


def test_the_commands_run_in_their_order(app: Tenure, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENURE_APP", "reports:app")
    lines = list(pages.lines(PAGE))
    assert len(lines) == 9
    for line in lines:
        done = CliRunner().invoke(main, shlex.split(line)[1:], catch_exceptions=False)
        assert done.exit_code == 0, (line, done.output)
    assert app.get_schedule("nightly") is None


def test_the_page_names_every_form_policy_flag_and_default() -> None:
    assert re.findall(r"^\| `(\w+)=", TEXT, re.MULTILINE) == [str(form) for form in Form]
    assert re.findall(r"^\| `(\w+)` \|", TEXT, re.MULTILINE) == [str(flag) for flag in Flag]
    assert all(f"`{word}`" in TEXT for word in (*Misfire, *Overlap))
    assert f"`misfire_cap` ({MISFIRE_CAP})" in TEXT
    assert f"`grace` seconds ({GRACE:g}) late" in TEXT
    assert MOST == 1000
