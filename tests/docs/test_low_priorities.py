"""What the page on low priorities says: its commands, and its numbers."""

import re
import shlex
from pathlib import Path

from click.testing import CliRunner

from tenure import Tenure
from tenure.cli.main import main
from tenure.core.fields import PRIORITIES
from tenure.core.flow import relief
from tests.docs import pages

PAGE = pages.how_to("low-priorities")


def test_its_commands_set_show_and_take_away(folder: Path) -> None:
    app = Tenure("sqlite:///tenure.db")
    app.opened()
    app.close()
    said = []
    for line in pages.lines(PAGE):
        if re.match("tenure queues (set|show) work", line):
            done = CliRunner().invoke(main, shlex.split(line)[1:], catch_exceptions=False)
            said.append(done.output.splitlines()[-4 if "show" in line else -1].strip())
    assert said == [
        "work: reserve 10 % up to low", "work: aging 300 s a step", "work: aging 300 s a step, reserve 10 % up to medium",
        "low priorities aging 300 s a step, reserve 10 % up to medium", "work: none",
    ]  # fmt: skip


def test_its_numbers_are_those_of_the_rules() -> None:
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert f"the next {relief.TENANTS} tenants in turn, and at {relief.LEVELS} priorities" in text
    steps = {label: (PRIORITIES[label] - PRIORITIES["low"]) // relief.STEP for label in PRIORITIES}
    minutes = [steps[label] * 300 // 60 for label in ("critical", "high")]
    assert minutes == [15, 10]
    assert "after 15 and 10 minutes" in text
