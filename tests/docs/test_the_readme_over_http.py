"""The README's section on HTTP runs as it is typed, in an empty folder; and its effect happens once."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tenure import Tenure
from tenure.testing import drain, memory_app
from tests.docs import pages
from tests.docs.conftest import Play

README = pages.ROOT / "README.md"
PATIENCE = 60.0


class Walk(NamedTuple):
    """What the lines printed. statuses: of the answers with a head. documents: the JSON that was shown, in order."""

    typed: str
    statuses: list[int]
    documents: list[dict[str, Any]]
    answers: str


def shell() -> str:
    """The blocks that are to be typed, one after the other."""
    section = README.read_text(encoding="utf-8").partition("## Over HTTP")[2]
    return "".join(block.text for block in pages.blocks(README, "sh") if block.text in section)


def walked(folder: Path) -> Walk:
    """On a free port, with the `tenure` of this Python; what serves is ended as the README says."""
    typed, port = shell(), str(free_port())
    (folder / "walk.sh").write_text(f"{typed.replace('8000', port)}\nkill $!\nwait $!\n", encoding="utf-8")
    known = {name: value for name, value in os.environ.items() if not name.startswith("TENURE_")}
    known |= {"TENURE_PORT": port, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{known['PATH']}"}
    with (folder / "answers").open("wb") as answers:
        process = subprocess.Popen(["sh", "walk.sh"], cwd=folder, env=known, stdout=answers, start_new_session=True)
        try:
            code = process.wait(PATIENCE)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    assert code == 0, (folder / "serve.log").read_text(encoding="utf-8")
    return read(typed, (folder / "answers").read_text(encoding="utf-8"))


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
    return port


def read(typed: str, answers: str) -> Walk:
    statuses = [int(code) for code in re.findall(r"HTTP/1\.1 (\d+)", answers)]
    decoder, documents, place = json.JSONDecoder(), [], answers.find('{"')
    while place >= 0:
        document, end = decoder.raw_decode(answers, place)
        documents.append(document)
        place = answers.find('{"', end)
    return Walk(typed, statuses, documents, answers)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_a_job_goes_from_an_empty_folder_to_its_end_with_curl_alone(tmp_path: Path) -> None:
    walk = walked(tmp_path)
    promised = re.findall(r"^curl -sSi .*# (\d{3})", walk.typed, re.MULTILINE)
    assert walk.statuses == [int(code) for code in promised] == [201, 200, 200, 200]
    first, again, beat, done, shown, refused = walk.documents
    assert len({document["id"] for document in (first, again, beat, done, shown)}) == 1
    assert (first["created"], again["created"], beat["held"]) == (True, False, True)
    assert (shown["status"], shown["result"], shown["attempt"]) == ("completed", {"sent": True}, 1)
    (block,) = pages.blocks(README, "json")
    as_it_came = json.dumps(refused, separators=(",", ":"))
    assert as_it_came in walk.answers
    told = json.loads(block.text)
    assert block.text.strip() == as_it_came.replace(refused["request_id"], told["request_id"])


def test_no_meter_stands_between_the_answers() -> None:
    assert all("-sS" in line for line in shell().splitlines() if line.startswith("curl "))


class Bank:
    """Charges once for a key, and says so after it has charged; the first time the line breaks before."""

    def __init__(self) -> None:
        self.charged: dict[str, int] = {}
        self.calls = 0

    def charge(self, cents: int, key: str) -> str:
        self.calls += 1
        self.charged.setdefault(key, cents)
        if self.calls == 1:
            raise ConnectionError("the line broke after the charge")
        return f"charge of {cents}"


def test_the_effect_of_the_readme_happens_once_also_when_its_answer_is_lost(play: Play) -> None:
    declaring, _enqueueing, effect = pages.blocks(README, "python")
    bank = Bank()
    names = play([declaring._replace(title="letters.py"), effect], bank=bank)
    app: Tenure = names["app"]
    with memory_app(app):
        job = names["pay"].enqueue(cents=500)
        drain(app, advance=True)
        assert job.result(timeout=0) == "charge of 500"
    assert (bank.calls, list(bank.charged.values())) == (2, [500])
