"""Schedules over HTTP: roles, scopes, answers."""

import pytest

from tenure.core.principal import ACTIONS, Role
from tenure.edge.operations import BY_NAME
from tenure.engine.upkeep.scheduler import Scheduler
from tests.conformance.asking import job_id
from tests.http.handlers.asking import ADMIN, VIEWER, Asking, principal

OPERATOR = principal("operator")
OF_A = principal("operator", "op of a", tenants=["a"])
OF_MAIL = principal("operator", "op of mail", kinds=["mail"])
OF_QUEUE = principal("operator", "op of a queue", queues=["default"])
DAILY = {"type": "sum", "cron": "0 3 * * *", "tz": "Europe/Amsterdam"}


def test_a_schedule_is_made_shown_changed_and_deleted(ask: Asking) -> None:
    made = ask(OPERATOR, "set_schedule", DAILY | {"payload": {"n": 1}}, name="nightly")
    assert (made.status, made["created"], made["schedule"]["cron"]) == (201, True, "0 3 * * *")
    again = ask(OPERATOR, "set_schedule", DAILY, name="nightly")
    assert (again.status, again["changed"], again["schedule"]["edition"]) == (200, False, 1)
    edited = ask(OPERATOR, "set_schedule", {"every": 90}, name="nightly")["schedule"]
    assert (edited["every"], edited["cron"], edited["payload"], edited["edition"]) == (90.0, None, {"n": 1}, 2)
    assert ask(OPERATOR, "show_schedule", name="nightly").body == edited
    assert [one["name"] for one in ask(OPERATOR, "list_schedules")["schedules"]] == ["nightly"]
    assert ask(OPERATOR, "delete_schedule", name="nightly", query={"why": "over"})["changed"]
    assert ask(OPERATOR, "show_schedule", name="nightly").status == 404


def test_a_preview_writes_nothing_and_says_what_clock_changes_do(ask: Asking) -> None:
    told = ask(OPERATOR, "set_schedule", DAILY | {"preview": True}, name="nightly")
    assert (len(told["slots"]), told["tz"], told["follows_real_time"]) == (10, "Europe/Amsterdam", False)
    assert ask(OPERATOR, "list_schedules")["schedules"] == []
    ask(OPERATOR, "set_schedule", DAILY, name="nightly")
    assert ask(VIEWER, "preview_schedule", name="nightly")["slots"] == told["slots"]


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"type": "sum"},
        DAILY | {"every": 60},
        DAILY | {"cron": "0 0 31 2 *"},
        DAILY | {"tz": "Mars"},
        {"cron": "0 3 * * *"},
    ],
    ids=str,
)
def test_what_is_no_schedule_is_refused(ask: Asking, said: dict[str, object]) -> None:
    assert ask(OPERATOR, "set_schedule", said, name="nightly").status == 422


def test_it_is_paused_and_resumed_and_run_and_backfilled_by_hand(ask: Asking) -> None:
    ask(OPERATOR, "set_schedule", DAILY, name="nightly")
    assert ask(OPERATOR, "pause_schedule", {"why": "closed"}, name="nightly")["changed"]
    paused = ask(VIEWER, "show_schedule", name="nightly")
    assert paused["paused_at"] is not None
    assert not {"paused_by", "paused_why", "payload"} & paused.body.keys()
    assert ask(OPERATOR, "show_schedule", name="nightly")["paused_why"] == "closed"
    named = job_id()
    for status in (201, 200):
        assert ask(OPERATOR, "run_schedule", {"id": named}, name="nightly").status == status
    since = {"since": "2020-01-01T00:00:00Z", "until": "2020-01-03T00:00:00Z"}
    filled = ask(OPERATOR, "backfill_schedule", since, name="nightly")
    assert (len(filled["ids"]), filled["known"]) == (2, 0)
    assert ask(OPERATOR, "backfill_schedule", since, name="nightly")["known"] == 2
    causes = [one["cause"] for one in ask(VIEWER, "list_occurrences", name="nightly")["occurrences"]]
    assert sorted(causes) == ["backfill", "backfill", "run_now"]
    assert ask(OPERATOR, "resume_schedule", {}, name="nightly")["changed"]
    assert len(ask(ADMIN, "list_jobs")["jobs"]) == 3


def test_a_schedule_of_the_service_makes_jobs(memory: Asking) -> None:
    memory(OPERATOR, "set_schedule", {"type": "sum", "every": 1}, name="often")
    Scheduler(memory.service.store).tick()
    assert memory(VIEWER, "show_schedule", name="often")["next_at"] is not None


def test_a_tenant_outside_the_scope_is_refused_before_any_look(ask: Asking) -> None:
    ask(OPERATOR, "set_schedule", DAILY | {"tenant": "b"}, name="nightly")
    for name in ("show_schedule", "preview_schedule", "list_occurrences", "delete_schedule"):
        assert ask(OF_A, name, name="nightly", query={"tenant": "b"}).status == 403
    for name in ("pause_schedule", "resume_schedule", "run_schedule"):
        assert ask(OF_A, name, {"tenant": "b"}, name="nightly").status == 403
    assert ask(OF_A, "set_schedule", DAILY | {"tenant": "b"}, name="nightly").status == 403
    assert ask(OF_A, "list_schedules", query={"tenant": "b"}).status == 403
    assert ask(OF_A, "list_schedules")["schedules"] == []


def test_two_tenants_may_have_schedules_of_one_name(ask: Asking) -> None:
    assert ask(OPERATOR, "set_schedule", DAILY | {"tenant": "b"}, name="nightly").status == 201
    assert ask(OF_A, "set_schedule", DAILY, name="nightly").status == 201
    assert ask(OF_A, "show_schedule", name="nightly")["tenant"] == "a"


def test_a_schedule_of_another_kind_or_queue_is_answered_as_none(ask: Asking) -> None:
    ask(OPERATOR, "set_schedule", DAILY | {"queue": "post"}, name="nightly")
    for who in (OF_MAIL, OF_QUEUE):
        assert ask(who, "show_schedule", name="nightly").status == 404
        assert ask(who, "run_schedule", {}, name="nightly").status == 404
        assert ask(who, "set_schedule", {"every": 60}, name="nightly").status == 404
        assert ask(who, "list_schedules")["schedules"] == []
    assert ask(OF_MAIL, "set_schedule", DAILY, name="other").status == 403
    assert ask(OF_QUEUE, "set_schedule", DAILY | {"queue": "post"}, name="other").status == 403


def test_nobody_asks_for_more_priority_than_the_credential_has(ask: Asking) -> None:
    low = principal("operator", "low", max_priority="low")
    assert ask(low, "set_schedule", DAILY | {"priority": "high"}, name="nightly").status == 403
    assert ask(low, "set_schedule", DAILY, name="nightly").status == 201


def test_lists_go_on_where_the_page_before_ended(ask: Asking) -> None:
    for name in ("a", "b", "c"):
        ask(OPERATOR, "set_schedule", DAILY, name=name)
    page = ask(OPERATOR, "list_schedules", query={"limit": 2})
    rest = ask(OPERATOR, "list_schedules", query={"limit": 2, "cursor": page["next"]})
    assert [one["name"] for one in (*page["schedules"], *rest["schedules"])] == ["a", "b", "c"]
    assert rest["next"] is None


def test_who_may_change_schedules_is_said_by_the_table() -> None:
    may = {role for role in Role if BY_NAME["set_schedule"].action in ACTIONS[role]}
    assert may == {Role.OPERATOR, Role.ADMIN}


def test_what_the_kind_keeps_secret_is_hidden_of_a_schedule_too(ask: Asking) -> None:
    assert ask(ADMIN, "set_kind", {"secret": ["card"]}, name="pay").status == 200
    said = DAILY | {"type": "pay", "payload": {"card": "4111", "to": "ada"}}
    made = ask(ADMIN, "set_schedule", said, name="nightly")
    assert "4111" not in str(made.body)
    assert made["schedule"]["payload"]["to"] == "ada"
    (listed,) = ask(ADMIN, "list_schedules")["schedules"]
    assert "4111" not in str((listed, ask(ADMIN, "show_schedule", name="nightly").body))
