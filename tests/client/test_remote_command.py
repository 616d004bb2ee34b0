"""`tenure remote`: every operation from a terminal."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from tenure.cli.main import main
from tenure.client.command import remote
from tenure.core.errors import InvalidInput, NotFound, TenureError
from tenure.edge.operations import TABLE
from tests.client import bodies
from tests.client.bodies import ID
from tests.client.stub import Asked, Told, problem, stub
from tests.client.test_every_operation import SAMPLES


@pytest.fixture(autouse=True)
def level() -> Iterator[None]:
    """What the command sets for its process is put back."""
    log = logging.getLogger("httpx2")
    before = log.level
    yield
    log.setLevel(before)


def called(told: Told, *words: str, stdin: str = "") -> tuple[Result, Asked]:
    with stub(told) as run:
        result = CliRunner().invoke(remote, [*words, "--url", run.url, "--patience", "0"], input=stdin)
        return result, run.asked[0]


def refused(*words: str) -> TenureError:
    result = CliRunner().invoke(remote, [*words, "--url", "http://127.0.0.1:9"])
    assert isinstance(result.exception, TenureError), result.output
    return result.exception


def test_help_lists_every_operation_with_its_summary() -> None:
    shown = " ".join(CliRunner().invoke(remote, ["--help"], terminal_width=400).output.split())
    for operation in TABLE:
        assert f"{operation.name.replace('_', '-')} {operation.summary}" in shown


def test_no_member_of_an_operation_hides_an_option_of_the_command() -> None:
    with click.Context(remote) as context:
        for name in remote.list_commands(context):
            command = remote.get_command(context, name)
            assert command is not None
            names = [param.name for param in command.params]
            assert len(names) == len(set(names)), name


@pytest.mark.parametrize(
    ("name", "told"), [(operation, told) for operation, _said, told in SAMPLES.values() if operation != "readyz"]
)
def test_every_operation_can_be_called(name: str, told: Told) -> None:
    said: dict[str, Any] = next(said for operation, said, _told in SAMPLES.values() if operation == name)
    result, _asked = called(told, name.replace("_", "-"), "--json", "-", stdin=json.dumps(said))
    assert result.exit_code == 0, result.output
    assert json.loads(result.output) == told.document


@pytest.mark.parametrize("name", [one.name for one in TABLE if one.method == "DELETE"])
def test_a_reason_travels_where_there_is_no_body(name: str) -> None:
    told = next(told for operation, _said, told in SAMPLES.values() if operation == name)
    which = ID if "{id}" in next(one.path for one in TABLE if one.name == name) else "greet"
    result, asked = called(told, name.replace("_", "-"), which, "--why", "it leaked & more")
    assert result.exit_code == 0, result.output
    assert asked.path.endswith("?why=it+leaked+%26+more") or asked.path.endswith("?why=it%20leaked%20%26%20more")


@pytest.mark.parametrize(
    "document",
    [[], None, 7, "text", {}, bodies.job() | {"created_at": "2026-02-31T00:00:00Z"}, bodies.job() | {"attempt": "x"}],
    ids=str,
)
def test_an_answer_that_is_none_of_the_operations_is_refused_and_not_printed(document: Any) -> None:
    result, _asked = called(Told(200, document), "show-job", f"id={ID}")
    assert result.exit_code == 1
    assert isinstance(result.exception, TenureError)
    assert result.exception.code == "unexpected_answer"
    assert result.output == ""


def test_members_that_this_release_does_not_know_are_printed_too() -> None:
    told = Told(200, bodies.job() | {"of_a_newer_release": [1, 2]})
    result, _asked = called(told, "show-job", f"id={ID}")
    assert json.loads(result.output)["of_a_newer_release"] == [1, 2]


def test_options_words_and_a_document_say_the_same() -> None:
    told = Told(201, bodies.enqueued())
    wanted = {"type": "greet", "payload": {"n": 1}, "max_retries": 0, "tags": ["a", "b"], "id": ID, "priority": "high"}
    words = ["type=greet", 'payload={"n": 1}', "max_retries=0", "tags=a", "tags=b", f"id={ID}", "priority=high"]
    options = ["--type", "greet", "--payload", '{"n": 1}', "--max-retries=0", "--tags", '["a", "b"]', "--id", ID]
    for arguments in (words, [*options, "--priority", "high"], ["--json", "-"]):
        _result, asked = called(told, "enqueue", *arguments, stdin=json.dumps(wanted))
        assert asked.document == wanted


def test_what_is_said_beside_a_document_wins(tmp_path: Path) -> None:
    file = tmp_path / "job.json"
    file.write_text(json.dumps({"type": "greet", "priority": 5}))
    _result, asked = called(Told(201, bodies.enqueued()), "enqueue", "--json", str(file), "--priority", "7")
    assert asked.document["priority"] == 7


def test_an_act_that_nobody_named_gets_an_id_to_be_repeated_by() -> None:
    for words, told, where in (
        (["enqueue", "type=greet"], Told(201, bodies.enqueued()), "id"),
        (["claim", "types=greet"], Told(204), "claim_id"),
    ):
        result, asked = called(told, *words)
        assert asked.document[where]
        assert result.exit_code == 0
    _result, asked = called(Told(200, {"jobs": []}), "enqueue-many", 'jobs=[{"type": "greet"}]')
    assert asked.document["jobs"][0]["id"]


def test_the_parameter_of_the_path_needs_no_name() -> None:
    _result, asked = called(Told(200, bodies.job()), "show-job", ID)
    assert asked.path == f"/jobs/{ID}"
    _result, asked = called(Told(200, bodies.reported()), "fail", ID, "lease_token=t", "class=terminal")
    assert asked.document == {"lease_token": "t", "class": "terminal"}


def test_digits_and_text_come_out_as_they_came_in() -> None:
    big = 1970670598291982290123456789
    result, asked = called(Told(200, bodies.job(payload={"n": big})), "show-job", ID)
    assert str(big) in result.output
    _result, asked = called(Told(201, bodies.enqueued()), "enqueue", "type=7", f'payload={{"n": {big}}}', "queue=true")
    assert (asked.document["type"], asked.document["queue"], asked.document["payload"]["n"]) == ("7", "true", big)


def test_requests_are_not_told_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with stub(Told(200, bodies.job())) as run:
        assert CliRunner().invoke(main, ["remote", "show-job", ID, "--url", run.url]).exit_code == 0
    assert caplog.text == ""


def test_a_refusal_is_an_error_of_the_product() -> None:
    with stub(problem(404, "not_found", "there is no such job")) as run:
        result = CliRunner().invoke(remote, ["show-job", ID, "--url", run.url])
    assert isinstance(result.exception, NotFound)


def test_a_service_that_is_not_ready_is_printed_and_ends_with_a_code() -> None:
    result, _asked = called(SAMPLES["ready"][2], "readyz")
    assert json.loads(result.output)["ready"] is False
    assert result.exit_code == 1


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (["enqueue", "mood=good"], "mood"),
        (["list-kinds", "mood"], "mood"),
        (["enqueue", "type=a", "type=b"], "type"),
        (["enqueue", "payload={"], "payload"),
        (["enqueue", 'payload={"a": 1, "a": 2}'], "payload.a"),
        (["enqueue", "--json", "no-such-file"], "json"),
        (["show-job"], "id"),
        (["show-job", "17"], "id"),
    ],
)
def test_what_cannot_be_said_is_refused_with_its_name(words: list[str], field: str) -> None:
    error = refused(*words)
    assert isinstance(error, InvalidInput)
    assert error.field == field


def test_help_of_an_operation_names_its_route_and_members() -> None:
    shown = CliRunner().invoke(remote, ["fail", "--help"]).output
    assert "POST /jobs/{id}/fail" in shown
    assert "--class cancel|retryable|terminal" in shown
    assert "--retry-in NUMBER" in shown
