"""`tenure jobs`, `stats`, `kinds` and `migrate`: what the database says, in words and as JSON."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import Result

from tenure import Context, JobFailed, Retry, State, Tenure, Terminal
from tenure.cli import exit_codes, rendering, telling
from tenure.cli.rendering import duration, plain_table
from tenure.core.job import Job
from tenure.core.pause import Pause
from tenure.core.retention import Retention
from tenure.testing import drain

Run = Callable[..., Result]


@pytest.fixture
def letter(shop: Tenure) -> Any:
    @shop.task(kind="letter", queue="post", backoff=(0, 0))
    def letter(to: str) -> str:
        if to == "nobody":
            raise Terminal("no_such_address", "there is no such house")
        if to == "busy":
            raise Retry("no_stamps", "the drawer is empty")
        return to

    return letter


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


def test_a_job_is_shown_with_its_attempts_as_a_time_line(tenure: Run, shop: Tenure, letter: Any) -> None:
    job = letter.using(max_attempts=2).enqueue(to="busy")
    drain(shop)
    drain(shop)
    shown = tenure("jobs", "show", job.id).output
    assert "no_stamps; 2 of 2 tries spent" in shown
    lines = [line.split() for line in shown.splitlines() if "the drawer is empty" in line and "drain" in line]
    assert [(line[0], line[3]) for line in lines] == [("1", "failed"), ("2", "failed")]
    said = json.loads(tenure("jobs", "show", job.id, "--json").output)
    assert [(a["number"], a["outcome"], a["error_code"]) for a in said["attempts"]] == [
        (1, "failed", "no_stamps"), (2, "failed", "no_stamps"),
    ]  # fmt: skip
    assert said["job"]["payload"] == {"to": "busy"}


def test_every_digit_and_character_of_a_payload_is_shown_as_it_is(tenure: Run, shop: Tenure) -> None:
    @shop.task(kind="exact")
    def exact(value: Any) -> Any:
        return value

    text = r'{"value":{"id":1970670598291982290,"n":9007199254740993,"d":0.1,"big":1' + "0" * 300 + r',"t":"\\u0000"}}'
    exact.enqueue(value=0)
    done = tenure("enqueue", "exact", text, "--json")
    job_id = json.loads(done.output)["id"]
    drain(shop)
    said = json.loads(tenure("jobs", "show", job_id, "--json").output)["job"]
    assert said["payload"] == json.loads(text)
    assert said["result"] == json.loads(text)["value"]
    assert text in tenure("jobs", "show", job_id).output


def test_no_secret_of_a_lease_is_shown(tenure: Run, shop: Tenure, letter: Any) -> None:
    job = letter.enqueue(to="ada")
    store = shop.opened()
    token = "the-secret-token"
    from tenure.core.lease import Ability, ClaimRequest

    request = ClaimRequest(
        claim_id="c",
        worker="w",
        holder=None,
        queue="post",
        abilities=(Ability("letter", 1, 1),),
        limit=1,
        tokens=[token],
    )
    assert store.run(store.verbs.claim(request)).leases
    for arguments in (["show", job.id], ["show", job.id, "--json"], ["list"], ["list", "--json"]):
        shown = tenure("jobs", *arguments).output
        assert job.id in shown
        assert token not in shown
        assert "lease_token" not in shown
    assert "running since" in tenure("jobs", "show", job.id).output


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


def test_kinds_are_written_by_the_command_and_listed(tenure: Run, shop: Tenure) -> None:
    assert tenure("kinds", "set", "shop:app").output == "apart\nletter\nslow\n"
    kinds = {kind["name"]: kind for kind in json.loads(tenure("kinds", "list", "--json").output)["kinds"]}
    assert kinds["letter"]["versions"] == [3]
    assert "post" in tenure("kinds", "list").output


def test_migrate_applies_what_is_missing_once(tenure: Run, folder: Path) -> None:
    applied = json.loads(tenure("migrate", "--json").stdout)["applied"]
    assert applied[0].startswith("0001_")
    assert "nothing to apply" in tenure("migrate").output


def test_migrate_prints_its_statements_without_a_database(tenure: Run, folder: Path) -> None:
    for url in ("sqlite:///tenure.db", "postgresql://nowhere.invalid/x"):
        printed = tenure("migrate", "--sql", "--database", url).output
        assert "CREATE TABLE" in printed
        assert "tenure_migrations" in printed
    assert not (folder / "tenure.db").exists()


def test_migrate_does_not_pass_sql_off_as_json(tenure: Run, folder: Path) -> None:
    done = tenure("migrate", "--sql", "--json")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "say one of them" in done.stderr


def test_a_command_that_looks_makes_no_database(tenure: Run, folder: Path) -> None:
    for command in (["jobs", "list"], ["stats"], ["kinds", "list"], ["doctor"]):
        done = tenure(*command)
        assert done.exit_code == 4
        assert "there is no database file" in done.output
        assert "`tenure migrate`" in done.output
    assert not (folder / "tenure.db").exists()


def test_an_application_that_a_setting_names_names_the_database_too(
    tenure: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "bakery.py").write_text('from tenure import Tenure\napp = Tenure("sqlite:///bakery.db")\n')
    monkeypatch.setenv("TENURE_APP", "bakery:app")
    assert tenure("migrate").exit_code == 0
    assert tenure("jobs", "list").output == "no jobs\n"
    assert [file.name for file in folder.glob("*.db")] == ["bakery.db"]
    other = tenure("jobs", "list", "--database", "sqlite:///other.db")
    assert (other.exit_code, "other.db" in other.output) == (exit_codes.UNAVAILABLE, True)


NOW = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


def job(**facts: Any) -> Job:
    base = Job(
        id="i", seq=1, tenant="t", queue="q", kind="k", version=1, priority=0, state=State.READY, payload="{}",
        args_digest="d", created_at=NOW, run_at=NOW, updated_at=NOW,
    )  # fmt: skip
    return msgspec.structs.replace(base, **facts)


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (
            {"state": State.SCHEDULED, "run_at": NOW + timedelta(seconds=90), "tries": 1, "last_error_code": "busy"},
            "waits for run_at 2026-01-05 09:01:30Z, in 1 min 30 s after busy; try 2 of 4",
        ),
        ({"state": State.READY}, "ready since 2026-01-05 09:00:00Z: waits in queue q for a worker that asks for it"),
        (
            {"state": State.RUNNING, "started_at": NOW, "lease_expires_at": NOW + timedelta(seconds=41), "attempt": 2},
            "running since 2026-01-05 09:00:00Z, lease ends in 41 s, attempt 2, try 1 of 4",
        ),
        (
            {"state": State.RUNNING, "started_at": NOW, "lease_expires_at": NOW - timedelta(seconds=5)},
            "lease ended 5.0 s ago, not swept yet",
        ),
        ({"state": State.RUNNING, "cancel_requested_at": NOW}, "asked to stop at 2026-01-05 09:00:00Z"),
        ({"state": State.SUCCEEDED, "ended_at": NOW, "attempt": 3}, "succeeded at 2026-01-05 09:00:00Z, in attempt 3"),
        ({"state": State.FAILED, "ended_at": NOW, "end_code": "boom", "tries": 4}, "boom; 4 of 4 tries spent"),
        (
            {"state": State.FAILED, "ended_at": NOW, "end_code": "KeyError", "tries": 3, "unknowns": 3},
            "KeyError; 3 of 4 tries spent (unknown errors get 3 of them)",
        ),
        (
            {"state": State.CANCELLED, "ended_at": NOW, "end_code": "superseded", "superseded_by": "j"},
            "cancelled at 2026-01-05 09:00:00Z: superseded by j",
        ),
        ({"state": State.CANCELLED, "ended_at": NOW, "end_code": "withdrawn"}, "09:00:00Z: withdrawn"),
    ],
)
def test_a_job_says_in_words_why_it_is_where_it_is(facts: dict[str, Any], words: str) -> None:
    assert words in telling.why(job(**facts), NOW)


def test_a_job_says_what_pause_keeps_it_from_starting() -> None:
    pauses = [
        Pause(subject="queue", name="q", at=NOW, who="root", why="the relay is down"),
        Pause(subject="tenant", name="nobody", at=NOW, who="root", why=""),
    ]
    words = "its queue q is paused since 2026-01-05 09:00:00Z by root: the relay is down"
    assert telling.why(job(state=State.READY), NOW, pauses) == f"waits: {words}"
    assert telling.why(job(state=State.SCHEDULED), NOW, pauses).endswith(f"; {words}")
    assert "paused" not in telling.why(job(state=State.RUNNING, started_at=NOW), NOW, pauses)


def test_a_plain_cancel_is_not_told_twice() -> None:
    facts = {"state": State.CANCELLED, "ended_at": NOW, "end_code": "cancelled"}
    assert telling.why(job(**facts), NOW) == "cancelled at 2026-01-05 09:00:00Z"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0.0 s"), (9.96, "10.0 s"), (59, "59 s"), (60, "1 min 0 s"), (3600, "1 h 0 min"), (200_000, "2 d 7 h")],
)
def test_lengths_of_time_are_told_in_the_unit_that_fits(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_a_plain_table_aligns_its_columns() -> None:
    assert plain_table(("a", "bb"), [("long", "x")]) == ["a     bb", "long  x"]


def test_on_a_terminal_rich_draws_the_table_and_keeps_ids_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(rendering, "is_rich", lambda: True)
    monkeypatch.setenv("COLUMNS", "60")
    name = "01890a5d-ac96-774b-bcce-b302099a8057"
    rendering.print_table(("id", "message"), [(name, "[red] is no markup here " * 5)], "none")
    told = capsys.readouterr().out
    assert name in told
    assert "[red]" in told


def test_a_table_wider_than_the_terminal_is_plain_and_cuts_no_word(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(rendering, "is_rich", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    row = ("render_statement", "succeeded", "documents", "gateway_down")
    rendering.print_table(("kind", "state", "queue", "code"), [row], "none")
    assert capsys.readouterr().out.splitlines()[1].split() == [*row]


def test_the_error_of_a_job_that_succeeded_in_the_end_is_told_as_that_of_an_attempt(tenure: Run, shop: Tenure) -> None:
    @shop.task(kind="second", backoff=(0, 0))
    def second(ctx: Context) -> None:
        if ctx.attempt.number == 1:
            raise Retry("no_stamps", "the drawer is empty")

    job = second.enqueue()
    drain(shop)
    drain(shop)
    told = tenure("jobs", "show", job.id).output
    assert "last error of attempt 1: no_stamps: the drawer is empty\n" in told


def test_a_job_that_failed_shows_its_error_once(tenure: Run, shop: Tenure) -> None:
    @shop.task(kind="bare")
    def bare() -> None:
        raise Terminal("nope")

    job = bare.enqueue()
    drain(shop)
    told = tenure("jobs", "show", job.id).output
    assert "failed at" in told
    assert "Terminal" not in told + tenure("failures").output
    with pytest.raises(JobFailed, match=rf"^job {job.id} failed: nope \("):
        job.result()


def test_a_cancel_that_came_too_late_is_shown_with_the_job(tenure: Run, shop: Tenure) -> None:
    @shop.task(kind="stubborn")
    def stubborn(ctx: Context) -> None:
        shop.get(ctx.job.id).cancel()  # type: ignore[union-attr]

    job = stubborn.enqueue()
    drain(shop)
    told = tenure("jobs", "show", job.id).output
    assert "cancel    asked for while attempt 1 ran, and too late: it ended by itself" in told
    assert "succeeded (after cancel)" in told


def test_effects_are_shown_in_the_order_of_events_and_checkpoints_with_their_attempts(
    tenure: Run, shop: Tenure
) -> None:
    @shop.task(kind="steps", backoff=(0, 0))
    def steps(ctx: Context) -> None:
        for name in ("zeal", "alpha"):
            ctx.effect(name, lambda call: None)
        ctx.checkpoint(f"page {ctx.attempt.number}", {"card": "4111"})
        if ctx.attempt.number == 1:
            raise ConnectionError

    job = steps.enqueue()
    drain(shop)
    drain(shop)
    said = json.loads(tenure("jobs", "show", job.id, "--json").output)
    assert [effect["name"] for effect in said["effects"]] == ["zeal", "alpha"]
    assert [(kept["name"], kept["attempt"]) for kept in said["checkpoints"]] == [("page 1", 1), ("page 2", 2)]
    told = tenure("jobs", "show", job.id).output
    assert told.index("zeal") < told.index("alpha")
    assert "page 1      1" in told
    assert "4111" not in told


def test_the_argument_that_is_no_id_is_named_by_its_place(tenure: Run, shop: Tenure, letter: Any) -> None:
    job = letter.enqueue(to="nobody").id
    refused = tenure("jobs", "redrive", job, job, job, "abc")
    assert refused.exit_code == exit_codes.USAGE
    assert "job_id[4]: " in refused.stderr
    assert "job_id[2]: " in tenure("jobs", "cancel", job, "abc").stderr
