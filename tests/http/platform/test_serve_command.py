"""`tenure serve` and `tenure up` as processes, and the commands of faces whose extra is missing."""

import json
import os
import re
import shlex
import signal
import socket
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any, NoReturn

import httpx2
import pytest
from click.testing import CliRunner

from tenure import Tenure
from tenure.cli import faces
from tenure.cli.main import main
from tenure.engine import exit_codes
from tests.http.platform.test_tokens_of_an_issuer import AUDIENCE, ISSUER, OTHER, PRIVATE, key_set, token
from tests.processes import Child, Start

PATIENCE = 60
APPLICATION = """
    from tenure import Tenure

    app = Tenure("sqlite:///shop.db")

    @app.task()
    def letter(to: str) -> dict:
        return {"to": to}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with an application `shop:app`."""
    (tmp_path / "shop.py").write_text(textwrap.dedent(APPLICATION))
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("TENURE_")]:
        monkeypatch.delenv(name)
    return tmp_path


def address(child: Child) -> str:
    """Where it serves, from its log."""
    assert child.stderr is not None
    for line in child.stderr:
        if found := re.search(r"http://[\w.\[\]:]+:\d+", line):
            return found[0]
    raise AssertionError(f"it ended with {child.wait()}")


def ended(child: Child) -> tuple[int, str]:
    """Asks it to drain; its exit code and the rest of its log."""
    child.send_signal(signal.SIGTERM)
    log = child.communicate(timeout=PATIENCE)[1]
    return child.returncode, log


def test_a_server_answers_whoever_has_a_key_and_leaves_with_code_0(start: Start, folder: Path) -> None:
    child = start("serve", "shop:app", "--port", "0")
    url = address(child)
    made = CliRunner().invoke(
        main, ["keys", "create", "--role", "admin", "--name", "root", "--database", "sqlite:///shop.db"]
    )
    found = re.search(r"tenure_[\w-]{43}", made.output)
    assert found is not None
    headers = {"authorization": f"Bearer {found[0]}"}
    answer = httpx2.post(f"{url}/jobs", json={"type": "letter", "payload": {"to": "ada"}}, headers=headers)
    assert answer.status_code == 201
    assert httpx2.post(f"{url}/jobs", json={"type": "letter"}).status_code == 401
    assert httpx2.get(f"{url}/readyz").json() == {"ready": True, "troubles": []}
    code, log = ended(child)
    assert (code, "Traceback" in log) == (exit_codes.OK, False)


def test_a_server_says_which_database_its_jobs_are_in(start: Start) -> None:
    child = start("serve", "shop:app", "--port", "0")
    assert child.stderr is not None
    assert any("the jobs are in the database sqlite:///shop.db" in line for line in child.stderr)


def test_a_server_that_nobody_can_call_yet_says_how_to_make_a_key_in_its_own_database(start: Start) -> None:
    child = start("serve", "shop:app", "--port", "0")
    assert child.stderr is not None
    hint = re.search(r"`tenure (keys create .*)`", child.stderr.readline())
    assert hint is not None
    url = address(child)
    made = CliRunner().invoke(main, shlex.split(hint[1]))
    assert made.exit_code == 0, made.output
    headers = {"authorization": f"Bearer {made.stdout.strip()}"}
    assert httpx2.get(f"{url}/keys", headers=headers).status_code == 200
    assert ended(child)[0] == 0


def test_a_server_in_memory_names_no_command_that_would_reach_another_database(start: Start) -> None:
    child = start("serve", "--database", "memory://", "--port", "0")
    assert child.stderr is not None
    said = child.stderr.readline()
    assert ("nobody can call" in said, "tenure keys create" in said) == (True, False)
    address(child)
    assert ended(child)[0] == 0


def test_an_open_long_poll_is_answered_when_the_server_drains(start: Start) -> None:
    child = start("serve", "shop:app", "--port", "0", "--insecure-local")
    url = address(child)
    answers: list[int] = []

    def poll() -> None:
        answers.append(httpx2.post(f"{url}/jobs/claim", json={"wait": 30}, timeout=PATIENCE).status_code)

    polling = threading.Thread(target=poll)
    polling.start()
    while "tenure_http_long_polls 1" not in httpx2.get(f"{url}/metrics").text:
        assert child.poll() is None
    assert ended(child)[0] == 0
    polling.join(PATIENCE)
    assert answers == [204]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["shop:app", "--insecure-local", "--host", "0.0.0.0"], "--insecure-local serves 127.0.0.1 alone"),
        (["shop:app", "--jwt-issuer", "https://login.example"], "all three are needed"),
        (["shop:nothing"], "has no 'nothing'"),
        (["shop:app", "--database", "sqlite:////nowhere/at/all.db"], "store_unavailable"),
    ],
)
def test_a_start_that_cannot_work_is_told_in_one_line(start: Start, arguments: list[str], words: str) -> None:
    child = start("serve", *arguments, "--port", "0")
    log = child.communicate(timeout=PATIENCE)[1]
    assert child.returncode == exit_codes.BAD_START
    assert words in log
    assert "Traceback" not in log


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "::", "::1", "192.168.1.7", "10.0.0.1", "localhost", "shop.example", "127.0.0.2", ""]
)
def test_without_keys_no_other_address_is_listened_on(folder: Path, host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def bound(*said: Any) -> NoReturn:
        raise AssertionError(f"it would listen on {said}")

    monkeypatch.setattr("tenure.http.server.bound", bound)
    told = CliRunner().invoke(main, ["serve", "--insecure-local", "--host", host, "--port", "0"])
    assert told.exit_code == exit_codes.BAD_START
    assert "--insecure-local serves 127.0.0.1 alone" in told.stderr


def test_a_token_of_the_issuer_enters_and_one_of_another_does_not(start: Start, folder: Path) -> None:
    (folder / "keys.json").write_text(key_set(PRIVATE))
    child = start(
        "serve", "shop:app", "--port", "0", "--jwt-issuer", ISSUER, "--jwt-audience", AUDIENCE,
        "--jwt-keys", "keys.json", "--jwt-algorithms", "ES256",
    )  # fmt: skip
    url = address(child)
    body = {"type": "letter", "payload": {"to": "ada"}}
    made = httpx2.post(f"{url}/jobs", json=body, headers={"authorization": f"Bearer {token()}"})
    assert made.status_code == 201, made.text
    for wrong in (token(OTHER), token(aud="others"), token(tenure_role="viewer")):
        refused = httpx2.post(f"{url}/jobs", json=body, headers={"authorization": f"Bearer {wrong}"})
        assert refused.status_code in (401, 403)
    assert ended(child)[0] == 0


def test_the_trace_of_a_request_reaches_whoever_claims_its_job(start: Start) -> None:
    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    child = start("serve", "shop:app", "--port", "0", "--insecure-local")
    url = address(child)
    body = {"type": "letter", "payload": {"to": "ada"}}
    for headers in ({"traceparent": trace}, {}):
        assert httpx2.post(f"{url}/jobs", json=body, headers=headers).status_code == 201
    claimed = [httpx2.post(f"{url}/jobs/claim", json={}).json()["trace"] for _ in range(2)]
    assert claimed == [trace, None]
    assert ended(child)[0] == 0


def test_a_port_that_is_taken_is_told_in_one_line(start: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        child = start("serve", "shop:app", "--port", str(taken.getsockname()[1]))
        log = child.communicate(timeout=PATIENCE)[1]
    assert child.returncode == exit_codes.BAD_START
    assert "cannot listen on 127.0.0.1" in log


def test_its_settings_come_from_the_environment_and_from_a_table_of_the_file(start: Start, folder: Path) -> None:
    (folder / "tenure.toml").write_text('app = "shop:app"\n[serve]\nport = 0\nbody_bytes = 2000\nlog_format = "json"\n')
    child = start("serve", "--insecure-local", TENURE_BODY_BYTES="1500")
    url = address(child)
    body = b'{"type": "letter"}'.ljust(1501)
    answer = httpx2.post(f"{url}/jobs", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 413
    said = [json.loads(line) for line in ended(child)[1].splitlines()]
    assert {"operation": "enqueue", "status": 413}.items() <= next(line for line in said if "operation" in line).items()


def test_a_key_of_the_file_that_nobody_reads_is_refused(start: Start, folder: Path) -> None:
    (folder / "tenure.toml").write_text("[serve]\nbody_bites = 2000\n")
    child = start("serve", "shop:app", "--port", "0")
    assert "body_bites, which nobody reads" in child.communicate(timeout=PATIENCE)[1]
    assert child.returncode == 2


def test_up_serves_beside_the_worker(start: Start) -> None:
    child = start("up", "shop:app", "--port", "0")
    url = address(child)
    job = httpx2.post(f"{url}/jobs", json={"type": "letter", "payload": {"to": "ada"}}).json()
    while (said := httpx2.get(f"{url}/jobs/{job['id']}").json())["status"] != "completed":
        assert child.poll() is None
    assert said["result"] == {"to": "ada"}
    assert httpx2.get(f"{url}/jobs", headers={"host": "evil.example"}).status_code == 403
    code, log = ended(child)
    assert (code, "Traceback" in log) == (0, False)


@pytest.fixture
def no_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the extra were not installed."""

    class Point:
        name = "serve"

        def load(self) -> Any:
            raise ModuleNotFoundError("No module named 'uvicorn'", name="uvicorn")

    monkeypatch.setattr(faces, "_found", lambda: {"serve": Point()})


@pytest.mark.usefixtures("no_extra")
def test_a_command_without_its_extra_says_how_to_install_it(folder: Path) -> None:
    assert "serve" in CliRunner().invoke(main, ["--help"]).output
    told = CliRunner().invoke(main, ["serve", "shop:app", "--port", "9"])
    assert told.exit_code != 0
    assert "pip install 'tenure[server]'" in told.output


@pytest.mark.usefixtures("no_extra")
def test_up_goes_on_without_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tenure.cli.commands.up.work", lambda *_, **__: 0)
    monkeypatch.syspath_prepend(str(folder))
    told = CliRunner().invoke(main, ["up", "shop:app"])
    sys.modules.pop("shop", None)
    assert told.exit_code == 0
    assert "without the HTTP interface" in told.output
    assert "pip install 'tenure[server]'" in told.output


def test_the_door_offers_the_application_of_every_operation(folder: Path) -> None:
    from tenure.edge.operations import TABLE
    from tenure.http import asgi

    made = asgi(Tenure("memory://"), insecure_local=True, upkeep=False)
    for one in TABLE:
        segments = tuple(one.path[1:].replace("{id}", "x").replace("{name}", "x").split("/"))
        assert made._routes.find(segments).take(one.method).operation == one
