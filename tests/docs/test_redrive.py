"""The page on redrive says what a redrive answers, and its commands run a failed job again."""

import json
import re
from pathlib import Path

from click.testing import CliRunner, Result

from tenure import Tenure
from tenure.cli import exit_codes
from tenure.cli.main import main
from tenure.core.defaults import KEEP_FAILED
from tenure.core.outcomes import Terminal
from tenure.operations.redrive import Redriven
from tenure.testing import drain
from tests.docs import pages

PAGE = pages.how_to("redrive-a-job")
NOBODY = "0189f7e4-0000-7000-8000-000000000000"


def tenure(*words: str) -> Result:
    return CliRunner().invoke(main, [*words], catch_exceptions=False)


def test_the_page_names_every_answer_and_how_long_a_failed_job_stays() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == [str(one) for one in Redriven]
    assert f"for {KEEP_FAILED.days} days" in text


def test_its_commands_find_a_failed_job_and_run_it_again_with_fresh_tries(folder: Path) -> None:
    app, declined = Tenure("sqlite:///tenure.db"), [True]

    @app.task(max_attempts=1)
    def pay() -> str:
        if declined.pop():
            raise Terminal("card_declined")
        return "paid"

    job = pay.enqueue()
    drain(app)
    listing, showing, redriving = [re.findall(r'"[^"]+"|\S+', line)[1:] for line in pages.lines(PAGE)]
    assert job.id in tenure(*listing).stdout
    assert "card_declined" in tenure(*[job.id if word == "JOB-ID" else word for word in showing]).stdout
    again = [job.id if word == "JOB-ID" else word.strip('"') for word in redriving]
    assert tenure(*again).exit_code == exit_codes.OK
    assert tenure(*again).exit_code == exit_codes.FAILURE
    assert tenure(*again, NOBODY).exit_code == exit_codes.NOT_FOUND
    declined.append(False)
    drain(app)
    assert job.result(timeout=0) == "paid"
    assert job.refresh().row.attempt == 2
    (line,) = json.loads(tenure("audit", "--json").stdout)["lines"]
    assert (line["verb"], line["subject"], line["why"]) == ("redrive", f"job {job.id}", "the bank is back")
    app.close()
