"""Supersession and debounce over HTTP: members of a submission, of a job and of a kind."""

from typing import Any

import pytest

from tests.http.handlers.asking import ADMIN, PRODUCER, VIEWER, WORKER, Asking


def test_a_newer_submission_takes_the_place_of_an_older_one_of_its_key(ask: Asking) -> None:
    said = {"type": "sum", "supersede": "latest", "supersession_key": "k"}
    older, newer = ask(PRODUCER, "enqueue", said), ask(PRODUCER, "enqueue", said)
    assert (newer.status, newer["supersedes"], newer["supersession_key"]) == (201, older["id"], "k")
    gone = ask(ADMIN, "show_job", id=older["id"])
    assert (gone["state"], gone["end_code"], gone["superseded_by"]) == ("cancelled", "superseded", newer["id"])
    assert [job["id"] for job in ask(ADMIN, "list_jobs", query={"code": "superseded"})["jobs"]] == [older["id"]]
    seen = ask(VIEWER, "show_job", id=newer["id"])
    assert seen["supersedes"] == older["id"]
    assert "supersession_key" not in seen.body


def test_a_running_one_that_fails_is_told_to_be_superseded(ask: Asking) -> None:
    said = {"type": "sum", "supersession_key": "k"}
    ask(ADMIN, "enqueue", said)
    claimed = ask(WORKER, "claim", {"types": ["sum"], "limit": 1})["jobs"][0]
    newer = ask(ADMIN, "enqueue", said)
    ended = ask(WORKER, "fail", {"lease_token": claimed["lease_token"], "error": "it broke"}, id=claimed["id"])
    assert (ended["state"], ended["end_code"], ended["superseded_by"]) == ("cancelled", "superseded", newer["id"])


def test_a_batch_leaves_the_last_of_a_key(ask: Asking) -> None:
    jobs = [{"type": "sum", "supersession_key": "k"}, {"type": "sum"}, {"type": "sum", "supersession_key": "k"}]
    told = ask(PRODUCER, "enqueue_many", {"jobs": jobs})["jobs"]
    assert [one["job"]["state"] for one in told] == ["cancelled", "ready", "ready"]
    assert told[0]["job"]["superseded_by"] == told[2]["id"]


def test_a_job_without_a_key_tells_nothing_of_it(memory: Asking) -> None:
    told = memory(ADMIN, "enqueue", {"type": "sum"}).body
    assert not told.keys() & {"supersedes", "supersession_key", "burst_at"}


def test_a_kind_says_whose_place_its_jobs_take_and_how_long_they_wait(ask: Asking) -> None:
    told = ask(ADMIN, "set_kind", {"supersede_by": ["account"], "debounce": 30, "max_wait": 60}, name="report")
    assert (told["supersede_by"], told["debounce"], told["max_wait"]) == (["account"], 30.0, 60.0)
    older, other, newer = (
        ask(PRODUCER, "enqueue", {"type": "report", "payload": {"account": account}}) for account in ("a", "b", "a")
    )
    assert newer["supersedes"] == older["id"]
    assert (other["state"], newer["state"]) == ("scheduled", "scheduled")
    assert newer["burst_at"] == older["created_at"]
    assert ask(ADMIN, "set_kind", {}, name="report")["supersede_by"] is None


@pytest.mark.parametrize(
    ("said", "field", "code"),
    [
        ({"debounce": 3}, "debounce", "supersession_key_missing"),
        ({"supersede": "latest"}, "supersede", "supersession_key_missing"),
        ({"supersession_key": "k", "max_wait": 3}, "max_wait", "invalid_input"),
        ({"supersession_key": "k", "debounce": 9, "max_wait": 3}, "max_wait", "max_wait_too_short"),
        ({"supersession_key": "k", "debounce": 9, "delay": 3}, "debounce", "debounce_and_run_at"),
    ],
)
def test_what_does_not_go_together_is_refused_by_its_member(
    memory: Asking, said: dict[str, Any], field: str, code: str
) -> None:
    refused = memory(PRODUCER, "enqueue", {"type": "sum", **said})
    assert (refused.status, refused["field"], refused["code"]) == (422, field, code)
