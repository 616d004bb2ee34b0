"""`tenure failures`, `tenure jobs redrive` of a selection, `tenure redrives`, `tenure jobs cancel` of many."""

import json
from collections.abc import Callable
from datetime import timedelta

import pytest
from click.testing import Result

from tenure import Tenure, Terminal, Uncertain
from tenure.cli import exit_codes
from tenure.core.retention import Retention
from tenure.engine.upkeep.redriver import Redriver
from tenure.testing import drain

Run = Callable[..., Result]
NOBODY = "00000000-0000-7000-8000-000000000000"


@pytest.fixture
def broken(shop: Tenure) -> list[bool]:
    """Three dead letters of the kind `mail`; what it holds is whether they fail again."""
    state = [True]

    @shop.task(kind="mail", remedies={"smtp_down": "look at the relay"})
    def mail(n: int) -> None:
        if state[0]:
            raise Terminal("smtp_down", "connection refused")

    shop.declare_kinds()
    for n in range(3):
        mail.enqueue(n=n)
    drain(shop)
    return state


def test_failures_are_told_by_cause(tenure: Run, broken: list[bool]) -> None:
    told = tenure("failures").stdout
    assert "smtp_down: connection refused" in told
    assert "remedy   look at the relay" in told
    (group,) = json.loads(tenure("failures", "--kind", "mail", "--json").stdout)["groups"]
    assert (group["jobs"], group["code"], len(group["samples"])) == (3, "smtp_down", 3)
    assert tenure("failures", "--tenant", "other").stdout == "no failed jobs\n"


def test_failures_of_some_time_are_told_and_redriven(tenure: Run, broken: list[bool]) -> None:
    for option, jobs in (("--since", 3), ("--until", 0)):
        which = (option, "2026-01-01T00:00:00Z")
        groups = json.loads(tenure("failures", *which, "--json").stdout)["groups"]
        assert sum(group["jobs"] for group in groups) == jobs
        assert json.loads(tenure("jobs", "redrive", *which, "--preview", "--json").stdout)["total"] == jobs


@pytest.mark.parametrize("command", [("failures",), ("jobs", "redrive", "--preview")])
def test_a_time_that_is_none_is_refused_with_one_that_is(tenure: Run, shop: Tenure, command: tuple[str, ...]) -> None:
    told = tenure(*command, "--since", "yesterday")
    assert told.exit_code == exit_codes.USAGE
    assert "since: 'yesterday' is not an ISO 8601 time" in told.output
    assert "Write for instance 2026-05-31T18:00:00Z." in told.output


@pytest.mark.parametrize("said", [("--pace", "1"), ("--canary", "1"), ("--single-attempts",), ("--redrive-id", NOBODY)])
def test_what_holds_a_selection_back_is_not_passed_over_for_single_jobs(
    tenure: Run, shop: Tenure, broken: list[bool], said: tuple[str, ...]
) -> None:
    job_id = json.loads(tenure("jobs", "list", "--json").stdout)["jobs"][0]["id"]
    refused = tenure("jobs", "redrive", job_id, *said)
    assert (refused.exit_code, "is for a selection" in refused.output) == (exit_codes.USAGE, True)
    assert shop.get(job_id).state == "failed"
    assert tenure("jobs", "redrive", job_id, "--all", "--yes", *said).exit_code == 0


def test_a_selection_is_previewed_started_and_followed_to_its_end(
    tenure: Run, shop: Tenure, broken: list[bool]
) -> None:
    preview = json.loads(tenure("jobs", "redrive", "--kind", "mail", "--preview", "--json").stdout)
    assert (preview["total"], preview["sendable"], preview["canary"]) == (3, 3, 3)
    started = json.loads(tenure("jobs", "redrive", "--kind", "mail", "--canary", "1", "--yes", "--json").stdout)
    assert (started["waiting"], started["canary"]) == (3, 1)
    broken[0] = False
    redriver = Redriver(shop.opened())
    for _ in range(3):
        redriver.tick()
        drain(shop)
    shown = json.loads(tenure("redrives", "show", started["id"], "--json").stdout)
    assert (shown["redrive"]["state"], shown["redrive"]["succeeded"], len(shown["jobs"])) == ("finished", 3, 3)
    assert "finished" in tenure("redrives", "list").stdout


def test_a_rule_that_stopped_it_is_told(tenure: Run, shop: Tenure, broken: list[bool]) -> None:
    redrive = json.loads(tenure("jobs", "redrive", "--code", "smtp_down", "--yes", "--json").stdout)["id"]
    redriver = Redriver(shop.opened())
    redriver.tick()
    drain(shop)
    redriver.tick()
    assert "3 of the last 3 outcomes failed with smtp_down" in tenure("redrives", "show", redrive).stdout


def test_a_redrive_is_paused_resumed_cancelled_and_all_are_forbidden(tenure: Run, broken: list[bool]) -> None:
    redrive = json.loads(tenure("jobs", "redrive", "--all", "--yes", "--json").stdout)["id"]
    assert tenure("redrives", "pause", redrive, "--why", "wait").stdout == f"redrive {redrive}: paused\n"
    again = tenure("redrives", "pause", redrive)
    assert (again.exit_code, again.stdout) == (exit_codes.OK, f"redrive {redrive}: unchanged, paused\n")
    assert tenure("redrives", "resume", redrive).exit_code == 0
    assert tenure("redrives", "forbid", "--why", "silence").stdout == "redrives are forbidden\n"
    assert json.loads(tenure("redrives", "forbid", "--json").stdout) == {"forbidden": True, "changed": False}
    assert "by command line: silence" in tenure("redrives", "list").stdout
    assert tenure("jobs", "redrive", "--all", "--yes").exit_code == exit_codes.REFUSED
    assert tenure("redrives", "allow").stdout == "redrives are allowed\n"
    cancelled = json.loads(tenure("redrives", "cancel", redrive, "--json").stdout)
    assert (cancelled["changed"], cancelled["redrive"]["left_out"]) == (True, 3)
    assert tenure("redrives", "cancel", redrive).exit_code == exit_codes.OK
    assert tenure("redrives", "pause", redrive).exit_code == exit_codes.FAILURE
    for words in (("show",), ("pause",)):
        assert tenure("redrives", *words, NOBODY).exit_code == exit_codes.NOT_FOUND


def test_nothing_is_sent_that_nobody_confirmed(tenure: Run, broken: list[bool]) -> None:
    refused = tenure("jobs", "redrive", "--kind", "mail")
    assert refused.exit_code == exit_codes.USAGE
    assert "--preview" in refused.stderr
    assert tenure("jobs", "redrive").exit_code == exit_codes.USAGE
    assert (
        tenure("jobs", "redrive", "--kind", "mail", "--deadline", "2030-01-01T00:00:00Z").exit_code == exit_codes.USAGE
    )
    assert json.loads(tenure("redrives", "list", "--json").stdout)["redrives"] == []


def test_many_are_cancelled_by_what_they_are(tenure: Run, shop: Tenure, broken: list[bool]) -> None:
    for n in range(3):
        shop.enqueue("mail", {"n": n}, tenant="a")
    preview = json.loads(tenure("jobs", "cancel", "--tenant", "a", "--preview", "--json").stdout)
    assert [count["jobs"] for count in preview["meant"]] == [3]
    assert tenure("jobs", "cancel", "--tenant", "a").exit_code == exit_codes.USAGE
    done = json.loads(tenure("jobs", "cancel", "--tenant", "a", "--yes", "--json").stdout)
    assert (done["cancelled"], done["requested"]) == (3, 0)
    assert tenure("jobs", "cancel").exit_code == exit_codes.USAGE


def test_a_job_is_superseded_by_a_newer_one(tenure: Run, shop: Tenure, broken: list[bool]) -> None:
    older, newer = (shop.enqueue("mail", {"n": n}) for n in range(2))
    assert "superseded" in tenure("jobs", "supersede", older.id, "--by", newer.id).stdout
    assert older.refresh().row.superseded_by == newer.id
    assert tenure("jobs", "supersede", NOBODY, "--by", newer.id).exit_code == exit_codes.NOT_FOUND
    drain(shop)
    newest = shop.enqueue("mail", {"n": 3})
    assert tenure("jobs", "supersede", newer.id, "--by", newest.id).exit_code == exit_codes.FAILURE


def test_a_code_of_the_product_brings_its_remedy_where_the_task_declares_none(tenure: Run, shop: Tenure) -> None:
    @shop.task(kind="pay")
    def pay() -> None:
        raise Uncertain

    job = pay.enqueue()
    drain(shop)
    for told in (tenure("failures").stdout, tenure("jobs", "show", job.id).stdout):
        assert "tenure effects settle JOB-ID NAME --confirmed" in told
    assert "effects settle" in json.loads(tenure("jobs", "show", job.id, "--json").stdout)["remedy"]


def test_the_remedy_of_a_task_stands_with_its_job(tenure: Run, broken: list[bool]) -> None:
    job = json.loads(tenure("jobs", "list", "--json").stdout)["jobs"][0]["id"]
    assert "remedy    look at the relay" in tenure("jobs", "show", job).stdout


def test_one_job_is_told_in_the_singular(tenure: Run, shop: Tenure, broken: list[bool]) -> None:
    ids = [job["id"] for job in json.loads(tenure("jobs", "list", "--json").stdout)["jobs"]]
    told = tenure("jobs", "redrive", ids[0], "--kind", "mail", "--yes").stdout
    assert ": 1 job, 1 of them first, 0 left out\n" in told
    assert "1 of 1 job would run again" in tenure("jobs", "redrive", ids[1], "--kind", "mail", "--preview").stdout


def test_jobs_without_a_payload_are_marked_and_a_selection_of_them_is_refused_with_the_reason(
    tenure: Run, shop: Tenure, broken: list[bool]
) -> None:
    store = shop.opened()
    store.run(store.verbs.expire_payloads(Retention(payload=timedelta(0)), 10))
    assert "smtp_down (unrecoverable)" in tenure("jobs", "list").stdout
    told = tenure("failures")
    assert "3 of them unrecoverable" in told.stdout
    assert json.loads(tenure("failures", "--json").stdout)["groups"][0]["unrecoverable_jobs"] == 3
    refused = tenure("jobs", "redrive", "--kind", "mail", "--yes")
    assert refused.exit_code == exit_codes.USAGE
    assert "none of 3 failed jobs can run again: 3 unrecoverable (nothing_redrivable)" in refused.stderr
