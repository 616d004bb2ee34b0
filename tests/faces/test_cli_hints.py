"""`tenure publish-hints` and `tenure hints`: ids of ready jobs come to a function, whoever is killed in between."""

import json
import signal
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

from tenure import Tenure
from tenure.engine.exit_codes import BAD_START
from tests.databases import EITHER, fresh
from tests.engine.living import until
from tests.processes import Start

Run = Callable[..., Result]

SENDING = """
    import os, pathlib, signal

    def note(ids):
        with pathlib.Path("given").open("a") as file:
            file.writelines(f"{job_id}\\n" for job_id in ids)

    def note_and_die(ids):
        note(ids)
        os.kill(os.getpid(), signal.SIGKILL)

    def refuse(ids):
        raise ConnectionError("no broker at amqp://user:geheim@host")

    nothing = None
"""


@pytest.fixture
def sending(folder: Path) -> Iterator[Path]:
    """The module `sending`; the file that it notes ids in."""
    (folder / "sending.py").write_text(textwrap.dedent(SENDING))
    yield folder / "given"
    sys.modules.pop("sending", None)


@pytest.fixture(params=EITHER)
def database(request: pytest.FixtureRequest, folder: Path) -> str:
    return fresh(request.param, folder)


def letters(url: str, count: int) -> list[str]:
    app = Tenure(url)
    task = app.task(kind="letter", version=3, queue="post")(lambda to: None)
    ids = [task.enqueue(to=str(n)).id for n in range(count)]
    app.close()
    return ids


def lines(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []


def test_a_publisher_that_is_killed_before_it_has_stored_what_it_gave_gives_it_again(
    database: str, sending: Path, start: Start
) -> None:
    ids = letters(database, 5)
    command = (
        "publish-hints",
        "shop:app",
        "sending:note_and_die",
        "--database",
        database,
        "--hold",
        "1",
        "--batch",
        "3",
    )
    for given in (3, 5):
        died = start(*command)
        assert died.wait(60) == -signal.SIGKILL
        assert len({*lines(sending)}) == given
    second = start(*command[:2], "sending:note", *command[3:])
    until(lambda: all(lines(sending).count(job_id) >= 2 for job_id in ids), "the end of what the killed ones held")
    second.send_signal(signal.SIGTERM)
    assert second.wait(60) == 0
    assert {*lines(sending)} == {*ids}


def test_a_publisher_goes_on_where_the_one_before_has_ended(database: str, sending: Path, start: Start) -> None:
    for round_ in (1, 2):
        ids = letters(database, 4)
        one = start("publish-hints", "shop:app", "sending:note", "--database", database, "--health-file", "well.json")
        until(lambda round_=round_: len(lines(sending)) == 4 * round_)
        health = until(lambda: _health(sending.with_name("well.json")))
        assert (health["well"], health["given"], health["error"]) == (True, 4, "")
        one.send_signal(signal.SIGTERM)
        assert one.wait(60) == 0
        sending.with_name("well.json").unlink()
        assert sorted(lines(sending)[-4:]) == sorted(ids)


def _health(file: Path) -> dict[str, object] | None:
    facts: dict[str, object] = json.loads(file.read_text()) if file.exists() else {}
    return facts if facts.get("given") else None


def test_what_the_function_refuses_is_told_until_hints_are_off(
    tenure: Run, database: str, sending: Path, start: Start
) -> None:
    (job_id,) = letters(database, 1)
    one = start("publish-hints", "shop:app", "sending:refuse", "--database", database)

    def shown() -> dict[str, object]:
        told: dict[str, object] = json.loads(tenure("hints", "show", "--json", "--database", database).stdout)
        return told

    until(lambda: shown()["refused"])
    one.kill()
    one.wait(60)
    assert shown()["error"] == "ConnectionError: no broker at amqp://…"
    assert "1 were refused the last time" in tenure("hints", "show", "--database", database).stdout
    doctor = json.loads(tenure("doctor", "--json", "--database", database).stdout)["findings"]
    (finding,) = (one for one in doctor if one["check"] == "hints")
    assert (finding["level"], "no broker" in finding["words"]) == ("wrong", True)
    off = tenure("hints", "off", "--why", "no broker", "--json", "--database", database)
    assert json.loads(off.stdout) == {"changed": True}
    assert tenure("hints", "off", "--database", database).stdout == "hints were off already\n"
    assert (shown()["is_on"], shown()["refused"]) == (False, 0)
    assert "hints are off" in tenure("hints", "show", "--database", database).stdout
    assert job_id not in lines(sending)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        ("sending:nothing", "cannot be called"),
        ("sending:nobody", "has no 'nobody'"),
        ("nowhere:f", "no module 'nowhere'"),
        ("sending", "module:attribute"),
    ],
)
def test_a_function_that_there_is_not_is_one_clear_error(tenure: Run, sending: Path, function: str, words: str) -> None:
    done = tenure("publish-hints", "shop:app", function)
    assert (done.exit_code, words in done.stderr) == (BAD_START, True)


def test_a_module_that_cannot_be_imported_shows_its_error(tenure: Run, folder: Path) -> None:
    (folder / "broken.py").write_text("1 / 0\n")
    done = tenure("publish-hints", "shop:app", "broken:send")
    assert done.exit_code == BAD_START
    assert "the module of 'broken:send' cannot be imported" in done.stderr
