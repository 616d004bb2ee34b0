"""`tenure queues`, `tenants` and `kinds`: listed, paused, resumed."""

import json
from collections.abc import Callable

import pytest
from click.testing import Result

from tenure import Task, Tenure
from tenure.cli import exit_codes
from tenure.core.flow.pause import SUBJECTS
from tenure.testing import drain

Run = Callable[..., Result]


@pytest.fixture
def letter(shop: Tenure) -> Task[..., dict[str, str]]:
    @shop.task(kind="letter", queue="post")
    def letter(to: str) -> dict[str, str]:
        return {"to": to}

    shop.declare_kinds()
    return letter


@pytest.mark.parametrize("subject", SUBJECTS)
def test_a_pause_is_told_listed_and_ended(tenure: Run, shop: Tenure, letter: object, subject: str) -> None:
    command, name = f"{subject}s", "letter"
    done = tenure(command, "pause", name, "--why", "the relay is down")
    assert done.exit_code == 0
    assert done.stdout.startswith("letter: paused since 20")
    assert done.stdout.endswith("by command line: the relay is down\n")
    again = tenure(command, "pause", name, "--json")
    assert (again.exit_code, json.loads(again.stdout)["changed"]) == (exit_codes.OK, False)
    listed = {one["name"]: one["pause"] for one in json.loads(tenure(command, "list", "--json").stdout)[command]}
    assert (listed[name]["who"], listed[name]["why"]) == ("command line", "the relay is down")
    assert "the relay is down" in tenure(command, "list").stdout
    assert tenure(command, "resume", name, "--why", "it is back").stdout == "letter: not paused\n"
    assert tenure(command, "resume", name).stdout == "letter: unchanged, not paused\n"
    lines = shop.store.run(shop.store.verbs.audit_lines(2))
    assert [(line.verb, line.why) for line in lines] == [("resume", "it is back"), ("pause", "the relay is down")]


def test_a_list_counts_by_state_and_goes_page_by_page(tenure: Run, letter: Task[..., dict[str, str]]) -> None:
    for tenant in ("acme", "bcme"):
        letter.using(tenant=tenant).enqueue(to="ada")
    tenure("tenants", "pause", "aaa")
    first = json.loads(tenure("tenants", "list", "--limit", "2", "--json").output)
    assert [(one["name"], one["jobs"]) for one in first["tenants"]] == [("aaa", {}), ("acme", {"ready": 1})]
    rest = tenure("tenants", "list", "--cursor", first["next"]).output.splitlines()
    assert (rest[0].split()[0], rest[1].split()[:2]) == ("tenant", ["bcme", "1"])
    assert "more: --cursor acme" in tenure("tenants", "list", "--limit", "2").output


def test_a_job_tells_why_it_waits_and_what_is_paused_in_python_holds_too(
    tenure: Run, shop: Tenure, letter: Task[..., dict[str, str]]
) -> None:
    job = letter.enqueue(to="ada")
    assert shop.pause("the relay is down", queue="post")
    assert not shop.pause(queue="post")
    assert drain(shop) == []
    shown = tenure("jobs", "show", job.id).output
    assert "waits: its queue post is paused since " in shown
    assert "by application: the relay is down" in shown
    assert "queue post is paused for" in tenure("doctor").output
    assert [(one.subject, one.name) for one in shop.pauses()] == [("queue", "post")]
    assert shop.resume(queue="post")
    assert len(drain(shop)) == 1


@pytest.mark.parametrize(("group", "written", "meant"), [("queues", "pots", "post"), ("tenants", "acne", "acme")])
def test_a_queue_or_tenant_without_jobs_is_paused_and_named_with_the_one_that_was_meant(
    tenure: Run, shop: Tenure, letter: Task[..., dict[str, str]], group: str, written: str, meant: str
) -> None:
    letter.using(queue="post", tenant="acme").enqueue(to="ada")
    done = tenure(group, "pause", written)
    assert (done.exit_code, done.stderr) == (
        exit_codes.OK,
        f"No job lies in a {group[:-1]} '{written}' so far. Did you mean '{meant}'?\n",
    )
    assert [pause.name for pause in shop.pauses()] == [written]
    assert tenure(group, "pause", meant).stderr == ""


@pytest.mark.parametrize(
    "command", [("kinds", "pause", "leter"), ("limits", "set", "--kind", "leter", "--concurrency", "1")]
)
def test_a_kind_that_nobody_declared_is_named_with_the_one_that_was_meant(
    tenure: Run, letter: object, command: tuple[str, ...]
) -> None:
    done = tenure(*command)
    assert (done.exit_code, done.stderr) == (
        exit_codes.OK,
        "No kind 'leter' is declared so far. Did you mean 'letter'?\n",
    )
    right = tenure(*("letter" if word == "leter" else word for word in command))
    assert (right.exit_code, right.stderr) == (exit_codes.OK, "")
