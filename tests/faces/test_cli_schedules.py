"""`tenure schedules`, from set to delete."""

import json
from collections.abc import Callable, Iterator
from datetime import timedelta

import click
import pytest
from click.testing import Result
from msgspec.structs import replace

from tenure import Tenure
from tenure.cli import exit_codes
from tenure.cli.main import main
from tenure.core.kind import Kind
from tenure.core.scheduling.schedule import Flag
from tenure.engine.upkeep.scheduler import Scheduler
from tenure.stores.protocol import Store

Run = Callable[..., Result]


@pytest.fixture
def store(shop: Tenure) -> Store:
    store = shop.opened()
    store.run(store.verbs.put_kinds([Kind(name="mail"), Kind(name="sum")], replace=True))
    return store


def test_a_schedule_is_set_listed_shown_changed_and_deleted(tenure: Run, store: Store) -> None:
    assert (
        "made"
        in tenure(
            "schedules", "set", "nightly", "--kind", "mail", "--cron", "0 3 * * *", "--tz", "Asia/Kathmandu"
        ).stdout
    )
    assert "unchanged" in tenure("schedules", "set", "nightly").stdout
    assert "changed" in tenure("schedules", "set", "nightly", "--payload", '{"a": 1}', "--priority", "high").stdout
    assert "mail, cron 0 3 * * *, Asia/Kathmandu" in tenure("schedules", "list").stdout
    shown = json.loads(tenure("schedules", "show", "nightly", "--json").stdout)
    assert (shown["schedule"]["payload"], shown["schedule"]["priority"], shown["schedule"]["edition"]) == (
        '{"a":1}',
        20,
        2,
    )
    assert "+0545" in tenure("schedules", "show", "nightly").stdout
    assert tenure("schedules", "list", "--kind", "sum").stdout == "no schedules\n"
    assert "deleted" in tenure("schedules", "delete", "nightly", "--why", "over").stdout
    assert tenure("schedules", "show", "nightly").exit_code == exit_codes.NOT_FOUND
    audit = json.loads(tenure("audit", "--json").stdout)["lines"]
    assert [(line["verb"], line["who"]) for line in audit[:1]] == [("delete_schedule", "command line")]


def test_every_choice_of_an_option_is_the_word_that_is_stored() -> None:
    def options(group: click.Command) -> Iterator[click.Parameter]:
        yield from group.params
        for command in group.commands.values() if isinstance(group, click.Group) else ():
            yield from options(command)

    offered = [option.type.choices for option in options(main) if isinstance(option.type, click.Choice)]
    assert offered
    assert [choices for choices in offered if any(type(choice) is not str for choice in choices)] == []


def test_what_becomes_of_missed_and_overlapping_slots_is_said_by_option(tenure: Run, store: Store) -> None:
    said = ("--kind", "mail", "--every", "60", "--overlap", "queue_one", "--misfire", "all")
    assert tenure("schedules", "set", "often", *said).exit_code == exit_codes.OK
    shown = json.loads(tenure("schedules", "show", "often", "--json").stdout)["schedule"]
    assert (shown["misfire"], shown["overlap"]) == ("all", "queue_one")


def test_a_pause_says_who_and_why_and_a_second_one_changes_nothing(tenure: Run, store: Store) -> None:
    tenure("schedules", "set", "nightly", "--kind", "mail", "--every", "60")
    assert tenure("schedules", "pause", "nightly", "--why", "closed").stdout.endswith(" by command line: closed\n")
    again = tenure("schedules", "pause", "nightly")
    assert (again.exit_code, "unchanged" in again.stdout) == (exit_codes.OK, True)
    for told in (tenure("schedules", "show", "nightly"), tenure("schedules", "list"), tenure("doctor")):
        assert "by command line: closed" in told.stdout
    assert "`tenure schedules resume nightly`" in tenure("doctor").stdout
    assert json.loads(tenure("schedules", "resume", "nightly", "--json").stdout)["changed"]
    assert tenure("schedules", "pause", "nobody").exit_code == exit_codes.NOT_FOUND


def test_jobs_by_hand_and_what_became_of_slots(tenure: Run, store: Store) -> None:
    tenure("schedules", "set", "daily", "--kind", "mail", "--cron", "0 0 * * *")
    filled = ("schedules", "backfill", "daily", "--since", "2026-01-01T00:00:00Z", "--until", "2026-01-03T00:00:00Z")
    assert tenure(*filled).stdout == "3 jobs, 0 known already\n"
    assert json.loads(tenure(*filled, "--json").stdout) == {"created": [], "known": 3, "conflicts": 0}
    named = json.loads(tenure("schedules", "run-now", "daily", "--json").stdout)["id"]
    assert tenure("schedules", "run-now", "daily", "--id", named).stdout == f"{named} (known already)\n"
    shown = tenure("schedules", "show", "daily").stdout
    assert (shown.count("backfill"), shown.count("run_now")) == (3, 1)
    Scheduler(store).tick()


def test_a_preview_needs_a_name_or_a_rule_and_tells_the_next_slots(tenure: Run, store: Store) -> None:
    told = tenure(
        "schedules", "preview", "--cron", "30 2 * * *", "--tz", "America/New_York", "--starts-at", "2027-03-13T00:00:00Z",
        "--count", "2",
    ).stdout  # fmt: skip
    assert "2027-03-14 07:00:00Z  Sun 2027-03-14 03:00:00 EDT" in told
    found = json.loads(tenure("schedules", "preview", "--date", "2090-12-24", "--json").stdout)
    assert found == {"slots": ["2090-12-24T00:00:00Z"], "tz": "UTC", "follows_real_time": True}
    assert tenure("schedules", "preview").exit_code == 2
    assert tenure("schedules", "preview", "nobody").exit_code == exit_codes.NOT_FOUND


@pytest.mark.parametrize(
    "rule", [("--cron", "0 0 31 2 *"), ("--every", "0.1"), ("--rrule", "FREQ=SECONDLY"), ()], ids=str
)
def test_an_impossible_rule_is_refused_with_its_code(tenure: Run, store: Store, rule: tuple[str, ...]) -> None:
    refused = tenure("schedules", "set", "nightly", "--kind", "mail", *rule)
    assert refused.exit_code == exit_codes.USAGE
    assert "bad_rule" in refused.output or "invalid_input" in refused.output


def test_doctor_tells_of_schedules_that_make_nothing(tenure: Run, store: Store, shop: Tenure) -> None:
    assert "no schedule is flagged, late or paused" in tenure("doctor").stdout
    tenure("schedules", "set", "often", "--kind", "mail", "--every", "1")
    row = store.run(store.verbs.read_schedule("default", "often"))
    assert row is not None
    late = replace(row, revision=1, next_at=row.starts_at - timedelta(hours=1))
    assert store.run(store.verbs.write_schedule(row, late))
    assert "schedule often of tenant default is late by 1 h" in tenure("doctor").stdout
    assert store.run(store.verbs.write_schedule(late, replace(late, revision=2, flag=Flag.UNKNOWN_KIND)))
    assert "makes no jobs: no kind of its name" in tenure("doctor").stdout
