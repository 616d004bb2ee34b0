"""The page on redrive says what a redrive answers, and its commands run a failed job again."""

import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tenure import Misconfigured, Tenure
from tenure.cli import exit_codes
from tenure.cli.main import main
from tenure.core.defaults import KEEP_FAILED
from tenure.core.outcomes import Terminal
from tenure.core.redriving.redrive import Left
from tenure.operations.redrive import Redriven
from tenure.testing import drain
from tests.docs import pages

PAGE = pages.how_to("redrive")
NOBODY = "0189f7e4-0000-7000-8000-000000000000"


def tenure(*words: str) -> Result:
    return CliRunner().invoke(main, [*words], catch_exceptions=False)


def test_the_page_names_every_answer_and_how_long_a_failed_job_stays() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == [str(one) for one in (*Redriven, *Left)]
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
    failing, narrowed, showing, redriving = [
        re.findall(r'"[^"]+"|\S+', line)[1:] for line in list(pages.lines(PAGE))[:4]
    ]
    assert job.id in tenure(*failing).stdout
    assert json.loads(tenure(*narrowed).stdout)["groups"] == []
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


def test_its_commands_run_a_selection_again_pause_and_resume_it_and_hold_all_of_them(folder: Path) -> None:
    app = Tenure("sqlite:///tenure.db")

    @app.task(remedies={"smtp_down": "look at the relay"})
    def send_mail(address: str) -> None:
        raise Terminal("smtp_down")

    for address in ("ada@example.com", "joe@example.com"):
        send_mail.enqueue(address=address)
    drain(app)
    app.declare_kinds()
    assert "look at the relay" in tenure("failures").stdout
    preview, start, listing, showing, pause, resume, cancel, forbid, allow = [
        shlex.split(line)[1:] for line in list(pages.lines(PAGE))[4:13]
    ]
    assert "2 of 2 jobs would run again" in tenure(*preview).stdout
    assert tenure(*start).exit_code == exit_codes.OK
    (redrive,) = json.loads(tenure(*listing, "--json").stdout)["redrives"]

    def of_it(words: list[str]) -> Result:
        return tenure(*[redrive["id"] if word == "REDRIVE-ID" else word for word in words])

    assert "2 waiting" in of_it(showing).stdout
    codes = [of_it(words).exit_code for words in (pause, resume, forbid, resume, allow, cancel, resume)]
    assert codes == [0, 0, 0, exit_codes.REFUSED, 0, 0, exit_codes.FAILURE]
    app.close()


def test_its_commands_cancel_many_and_supersede(folder: Path) -> None:
    app = Tenure("sqlite:///tenure.db")

    @app.task()
    def send_mail(address: str) -> None: ...

    older, newer = (send_mail.using(tenant="acct_91").enqueue(address=f"{name}@example.com") for name in "ab")
    preview, cancel, supersede = [shlex.split(line)[1:] for line in list(pages.lines(PAGE))[13:]]
    ids = {"JOB-ID": older.id, "NEWER-ID": newer.id}
    assert tenure(*[ids.get(word, word) for word in supersede]).exit_code == exit_codes.OK
    assert (older.refresh().row.end_code, older.row.superseded_by) == ("superseded", newer.id)
    assert "1" in tenure(*preview).stdout
    assert "1 cancelled" in tenure(*cancel).stdout
    assert newer.refresh().state == "cancelled"
    app.close()


def test_its_python_previews_starts_pauses_and_resumes(folder: Path) -> None:
    app = Tenure("sqlite:///tenure.db")

    @app.task()
    def send_mail() -> None:
        raise Terminal("smtp_down")

    send_mail.enqueue()
    drain(app)
    blocks = [block.text for block in pages.blocks(PAGE, "python")]
    names: dict[str, object] = {"app": app}
    exec(blocks[1], names)
    assert names["redrive"].state == "running"  # type: ignore[attr-defined]
    with pytest.raises(Misconfigured):
        exec(blocks[0], names)  # the kind is declared already
    app.close()
