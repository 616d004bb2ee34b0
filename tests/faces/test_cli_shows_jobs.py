"""`tenure jobs` and `stats`: jobs are found, cancelled and redriven, in words and as JSON."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from click.testing import Result

from tenure import Context, Retry, Tenure
from tenure.cli import exit_codes
from tenure.core.retention import Retention
from tenure.testing import drain

Run = Callable[..., Result]


def test_jobs_are_listed_newest_first_a_page_at_a_time(tenure: Run, letter: Any) -> None:
    ids = [letter.enqueue(to=f"n{n}").id for n in range(5)]
    first = json.loads(tenure("jobs", "list", "--limit", "3", "--json").output)
    rest = json.loads(tenure("jobs", "list", "--limit", "3", "--cursor", str(first["next"]), "--json").output)
    assert [job["id"] for job in first["jobs"] + rest["jobs"]] == ids[::-1]
    assert rest["next"] is None
    assert f"more: --cursor {first['next']}" in tenure("jobs", "list", "--limit", "3").output


def test_jobs_are_found_by_state_kind_queue_tenant_code_and_tag(tenure: Run, shop: Tenure, letter: Any) -> None:
    wanted = letter.using(tenant="acme", tags=["x"]).enqueue(to="nobody").id
    letter.enqueue(to="ada")
    drain(shop)
    for flag in ("--state=failed", "--code=no_such_address", "--tenant=acme", "--tag=x"):
        found = json.loads(tenure("jobs", "list", flag, "--json").output)["jobs"]
        assert [job["id"] for job in found] == [wanted]
    assert len(json.loads(tenure("jobs", "list", "--kind=letter", "--queue=post", "--json").output)["jobs"]) == 2
    assert tenure("jobs", "list", "--kind=none").output == "no jobs\n"


def test_jobs_are_found_by_the_words_of_http_too(tenure: Run, shop: Tenure, letter: Any) -> None:
    ended = letter.enqueue(to="ada").id
    drain(shop)
    later = letter.using(delay=3600).enqueue(to="ada").id
    ready = letter.enqueue(to="ada").id

    def found(*flags: str) -> list[str]:
        return [job["id"] for job in json.loads(tenure("jobs", "list", *flags, "--json").output)["jobs"]]

    assert found("--status=completed") == [ended]
    assert found("--status=pending") == [ready, later]
    assert found("--status=completed", "--state=ready") == [ready, ended]
    refused = tenure("jobs", "list", "--state=completed")
    assert (refused.exit_code, "--status completed" in refused.stderr) == (2, True)


def test_a_job_that_succeeded_in_the_end_shows_no_code_in_the_list(tenure: Run, shop: Tenure) -> None:
    @shop.task(kind="second", backoff=(0, 0))
    def second(ctx: Context) -> None:
        if ctx.attempt.number == 1:
            raise Retry("no_stamps", "the drawer is empty")

    second.enqueue()
    drain(shop)
    drain(shop)
    told = tenure("jobs", "list").output
    assert ("succeeded" in told, "no_stamps" in told) == (True, False)
    (job,) = json.loads(tenure("jobs", "list", "--json").output)["jobs"]
    assert job["last_error_code"] == "no_stamps"


@pytest.mark.parametrize("option", ["kind", "queue", "tenant", "code", "tag"])
def test_a_text_that_no_database_can_hold_is_refused_by_name(tenure: Run, shop: Tenure, option: str) -> None:
    for text in ("a\udcff", " "):
        done = tenure("jobs", "list", f"--{option}", text)
        assert (done.exit_code, f"Error: {option}: " in done.stderr) == (2, True)


def test_a_reason_of_any_length_and_spelling_cancels(tenure: Run, shop: Tenure, letter: Any) -> None:
    job = letter.enqueue(to="ada")
    assert tenure("jobs", "cancel", job.id, "--why", "\udcff" + "x" * 5000).exit_code == 0
    (line,) = shop.store.run(shop.store.verbs.audit_lines(1))
    assert line.why.startswith("\ufffdxx")
    assert len(line.why.encode()) <= 4096


def test_failed_jobs_are_redriven_and_others_left_as_they_are(tenure: Run, shop: Tenure, letter: Any) -> None:
    dead = letter.enqueue(to="nobody")
    drain(shop)
    waiting = letter.enqueue(to="ada")
    done = tenure("jobs", "redrive", dead.id, waiting.id, "--why", "the house stands", "--json")
    assert done.exit_code == exit_codes.FAILURE
    assert [(answer["happened"], answer["state"]) for answer in json.loads(done.output)] == [
        ("redriven", "ready"), ("not_failed", "ready"),
    ]  # fmt: skip
    assert shop.store.run(shop.store.verbs.audit_lines(1))[0].why == "the house stands"
    drain(shop)
    assert tenure("jobs", "redrive", dead.id, "--deadline", "2999-01-01T00:00:00Z").exit_code == 0
    (row,) = shop.store.run(shop.store.verbs.read([dead.id])).values()
    assert row.deadline == datetime(2999, 1, 1, tzinfo=UTC)


def test_a_job_without_its_payload_says_so_and_is_not_redriven(tenure: Run, shop: Tenure, letter: Any) -> None:
    dead = letter.enqueue(to="nobody")
    drain(shop)
    assert json.loads(tenure("jobs", "show", dead.id, "--json").output)["job"]["unrecoverable"] is False
    shop.store.run(shop.store.verbs.expire_payloads(Retention(payload=timedelta(0)), 10))
    assert json.loads(tenure("jobs", "show", dead.id, "--json").output)["job"]["unrecoverable"] is True
    assert "the job never runs again" in tenure("jobs", "show", dead.id).output
    done = tenure("jobs", "redrive", dead.id, "--json")
    assert (done.exit_code, json.loads(done.output)[0]["happened"]) == (exit_codes.FAILURE, "unrecoverable")


def test_redriving_no_job_says_so(tenure: Run, shop: Tenure) -> None:
    done = tenure("jobs", "redrive", "0190a5d0-0000-7000-8000-000000000000")
    assert (done.exit_code, "unknown" in done.output) == (exit_codes.NOT_FOUND, True)


def test_a_list_takes_several_of_each(tenure: Run, letter: Any) -> None:
    ids = [letter.using(tenant=tenant).enqueue(to="ada").id for tenant in "abc"]
    found = json.loads(tenure("jobs", "list", "--tenant=a", "--tenant=c", "--state=ready", "--json").output)["jobs"]
    assert [job["id"] for job in found] == [ids[2], ids[0]]


def test_an_unknown_job_has_an_exit_code_of_its_own(tenure: Run, shop: Tenure) -> None:
    unknown = "01890a5d-ac96-774b-bcce-b302099a8057"
    assert tenure("jobs", "show", unknown).exit_code == 3
    assert tenure("jobs", "cancel", unknown).exit_code == 3
    assert tenure("jobs", "show", "seven").exit_code == 2


def test_cancelling_says_what_happened_to_each(tenure: Run, shop: Tenure, letter: Any) -> None:
    done, waiting = letter.enqueue(to="ada"), None
    drain(shop)
    waiting = letter.enqueue(to="bob")
    answers = json.loads(tenure("jobs", "cancel", done.id, waiting.id, "--why", "spring", "--json").output)
    assert [(a["happened"], a["state"]) for a in answers] == [
        ("already_ended", "succeeded"),
        ("cancelled", "cancelled"),
    ]
    store = shop.opened()
    (line,) = store.run(store.verbs.audit_lines(10))
    assert (line.who, line.verb, line.why) == ("command line", "cancel", "spring")


def test_stats_count_by_queue_kind_and_state(tenure: Run, shop: Tenure, letter: Any) -> None:
    letter.enqueue(to="ada")
    drain(shop)
    letter.using(queue="fast").enqueue(to="ada")
    counts = json.loads(tenure("stats", "--json").output)["counts"]
    assert {(c["queue"], c["kind"], c["state"], c["jobs"]) for c in counts} >= {("fast", "letter", "ready", 1)}
    assert "fast" in tenure("stats").output


def test_the_argument_that_is_no_id_is_named_by_its_place(tenure: Run, shop: Tenure, letter: Any) -> None:
    job = letter.enqueue(to="nobody").id
    refused = tenure("jobs", "redrive", job, job, job, "abc")
    assert refused.exit_code == exit_codes.USAGE
    assert "job_id[4]: " in refused.stderr
    assert "job_id[2]: " in tenure("jobs", "cancel", job, "abc").stderr
