"""Failures by cause, redrives of selections, cancels of many and supersede over HTTP: roles, scopes, answers."""

from typing import Any

import pytest

from tenure.core.principal import ACTIONS, Role
from tenure.edge.operations import BY_NAME
from tenure.engine.upkeep.redriver import Redriver
from tenure.http.handlers import redrives
from tenure.operations import freeze_redrive, start_redrive
from tests.conformance.asking import job_id
from tests.http.handlers.asking import ADMIN, VIEWER, WORKER, Asking, principal

OPERATOR = principal("operator")
OF_A = principal("operator", "op of a", tenants=["a"])
OF_MAIL = principal("operator", "op of mail", kinds=["mail"])
VIEWER_OF_A = principal("viewer", "looks at a", tenants=["a"])
NOBODY = "0190a000-0000-7000-8000-000000000000"


def failed(ask: Asking, count: int = 1, code: str = "smtp_down", **said: Any) -> list[str]:
    """The ids of new jobs that have failed for good."""
    ids = []
    for _ in range(count):
        made = ask(ADMIN, "enqueue", {"type": "sum", "tenant": "a", **said})
        ids.append(made["id"])
        claimed = ask(WORKER, "claim", {"types": [said.get("type", "sum")], "limit": 1})["jobs"][0]
        report = {"lease_token": claimed["lease_token"], "class": "terminal", "code": code, "error": "it broke"}
        assert ask(WORKER, "fail", report, id=claimed["id"])["state"] == "failed"
    return ids


def test_failures_are_grouped_by_cause_with_words_for_those_who_may_read_them(ask: Asking) -> None:
    ask(ADMIN, "set_kind", {"remedies": {"smtp_down": "look at the relay"}}, name="sum")
    ids = failed(ask, 3)
    (group,) = ask(OPERATOR, "list_failures")["groups"]
    assert (group["type"], group["code"], group["jobs"], group["remedy"]) == (
        "sum",
        "smtp_down",
        3,
        "look at the relay",
    )
    assert (group["first"]["id"], group["last"]["error"]) == (ids[0], "it broke")
    (seen,) = ask(VIEWER, "list_failures")["groups"]
    assert "error" not in seen["last"]
    assert ask(VIEWER, "show_kind", name="sum")["remedies"] == {"smtp_down": "look at the relay"}


def test_failures_outside_the_scope_are_not_counted_and_what_lies_outside_is_refused(memory: Asking) -> None:
    failed(memory, 2)
    failed(memory, 1, tenant="b")
    assert memory(VIEWER_OF_A, "list_failures")["groups"][0]["jobs"] == 2
    assert memory(OPERATOR, "list_failures")["groups"][0]["jobs"] == 3
    assert memory(VIEWER_OF_A, "list_failures", query={"tenant": "b"}).status == 403
    assert memory(OPERATOR, "list_failures", query={"tenant": "b"})["groups"][0]["jobs"] == 1


def test_a_preview_writes_nothing_and_a_start_is_made_once_for_its_id(ask: Asking) -> None:
    failed(ask, 3)
    said = {"type": "sum", "code": "smtp_down"}
    preview = ask(OPERATOR, "start_redrive", said | {"preview": True})
    assert (preview.status, preview["total"], preview["sendable"], preview["left"]) == (200, 3, 3, {})
    assert ask(OPERATOR, "list_redrives")["redrives"] == []
    named = said | {"id": job_id(), "canary": 1, "why": "mended"}
    first, again = ask(OPERATOR, "start_redrive", named), ask(OPERATOR, "start_redrive", named)
    assert (first.status, again.status) == (201, 200)
    assert first.body == again.body
    assert (first["state"], first["waiting"], first["who"], first["why"]) == ("running", 3, "operator", "mended")
    assert ask(OPERATOR, "start_redrive", named | {"code": "other"})["code"] == "redrive_id_reused"
    assert ask(OPERATOR, "start_redrive", {"type": "mail"})["code"] == "nothing_selected"


def test_a_redrive_is_followed_paused_resumed_and_cancelled(ask: Asking) -> None:
    ids = failed(ask, 3)
    redrive = ask(OPERATOR, "start_redrive", {"canary": 1})["id"]
    assert ask(OPERATOR, "pause_redrive", {"why": "wait"}, id=redrive)["changed"]
    paused = ask(OPERATOR, "pause_redrive", {}, id=redrive)
    assert (paused["changed"], paused["redrive"]["state"]) == (False, "paused")
    assert ask(OPERATOR, "resume_redrive", {}, id=redrive)["redrive"]["state"] == "running"
    Redriver(ask.service.store).tick()
    assert ask(VIEWER, "show_redrive", id=redrive)["redriven"] == 1
    (sent,) = ask(VIEWER, "list_redrive_jobs", query={"state": "redriven"}, id=redrive)["jobs"]
    assert sent["id"] in ids
    page = ask(VIEWER, "list_redrive_jobs", query={"limit": 2}, id=redrive)
    rest = ask(VIEWER, "list_redrive_jobs", query={"limit": 2, "cursor": page["next"]}, id=redrive)
    assert ([job["place"] for job in page["jobs"] + rest["jobs"]], rest["next"]) == ([0, 1, 2], None)
    ended = ask(OPERATOR, "cancel_redrive", {}, id=redrive)["redrive"]
    assert (ended["state"], ended["left"]) == ("cancelled", 2)
    assert ask(OPERATOR, "show_redrive", id=NOBODY).status == 404


@pytest.mark.parametrize(
    "name",
    [
        "start_redrive",
        "pause_redrive",
        "resume_redrive",
        "cancel_redrive",
        "forbid_redrives",
        "allow_redrives",
        "cancel_many",
    ],
)
def test_only_operators_and_admins_act_on_many(name: str) -> None:
    action = BY_NAME[name].action
    assert action is not None
    assert {role for role in Role if action in ACTIONS[role]} == {Role.OPERATOR, Role.ADMIN}


def test_who_started_a_redrive_and_why_is_for_those_who_read_the_audit(memory: Asking) -> None:
    failed(memory)
    redrive = memory(OPERATOR, "start_redrive", {"why": "mended"})["id"]
    assert {"who", "why"}.isdisjoint(memory(VIEWER, "show_redrive", id=redrive).body)
    assert memory(OPERATOR, "show_redrive", id=redrive)["why"] == "mended"


def test_a_redrive_lies_in_the_scope_of_who_started_it_and_shows_to_no_narrower_one(memory: Asking) -> None:
    failed(memory, 2)
    failed(memory, 2, tenant="b")
    failed(memory, 1, type="mail")
    assert memory(OF_A, "start_redrive", {"tenant": "b"}).status == 403
    of_a = memory(OF_A, "start_redrive", {})
    assert (of_a["total"], of_a["selection"]["tenants"]) == (3, ["a"])
    of_all = memory(OPERATOR, "start_redrive", {})
    of_mail = memory(OF_MAIL, "start_redrive", {})
    assert (of_all["total"], of_mail["total"]) == (5, 1)
    for who, seen in [(OPERATOR, {of_a["id"], of_all["id"], of_mail["id"]}), (OF_A, {of_a["id"]})]:
        assert {one["id"] for one in memory(who, "list_redrives")["redrives"]} == seen
    for name in ("pause_redrive", "cancel_redrive", "resume_redrive"):
        assert memory(OF_A, name, {}, id=of_all["id"]).status == 404
        assert memory(OF_MAIL, name, {}, id=of_a["id"]).status == 404
    assert memory(OF_A, "list_redrive_jobs", id=of_all["id"]).status == 404


def test_ids_outside_the_scope_are_not_meant(memory: Asking) -> None:
    mine, others = failed(memory)[0], failed(memory, tenant="b")[0]
    assert memory(OF_A, "start_redrive", {"ids": [mine, others]})["total"] == 1
    assert memory(OF_A, "start_redrive", {"ids": [others]})["code"] == "nothing_selected"


def test_redrives_are_listed_page_by_page_over_those_of_others(memory: Asking) -> None:
    failed(memory)
    failed(memory, tenant="b")
    made = []
    for _ in range(3):
        made.append(memory(OF_A, "start_redrive", {})["id"])
        memory(OPERATOR, "start_redrive", {"tenant": "b"})
    page = memory(OF_A, "list_redrives", query={"limit": 2})
    rest = memory(OF_A, "list_redrives", query={"limit": 2, "cursor": page["next"]})
    assert [one["id"] for one in page["redrives"] + rest["redrives"]] == made[::-1]
    assert rest["next"] is None


def test_the_switch_takes_a_credential_of_everything(ask: Asking) -> None:
    failed(ask)
    for who in (OF_A, OF_MAIL):
        assert ask(who, "forbid_redrives", {}).status == 403
    assert ask(OPERATOR, "forbid_redrives", {"why": "silence"}).body == {"forbidden": True, "changed": True}
    refused = ask(OPERATOR, "start_redrive", {})
    assert (refused.status, refused["code"]) == (403, "redrives_forbidden")
    assert ask(VIEWER, "list_redrives")["forbidden"]
    assert ask(OPERATOR, "allow_redrives", {}).body == {"forbidden": False, "changed": True}
    assert ask(OPERATOR, "start_redrive", {}).status == 201


def test_many_are_cancelled_within_the_scope_a_batch_at_a_call(ask: Asking) -> None:
    for tenant in "aaab":
        ask(ADMIN, "enqueue", {"type": "sum", "tenant": tenant})
    preview = ask(OF_A, "cancel_many", {"type": "sum", "preview": True})
    assert preview["meant"] == [{"queue": "default", "type": "sum", "state": "ready", "jobs": 3}]
    first = ask(OF_A, "cancel_many", {"type": "sum", "limit": 2})
    second = ask(OF_A, "cancel_many", {"type": "sum", "limit": 2, "cursor": first["next"]})
    assert (first["cancelled"], second["cancelled"], second["next"]) == (2, 1, None)
    assert ask(OPERATOR, "cancel_many", {})["code"] == "nothing_named"
    assert len(ask(ADMIN, "list_jobs", query={"state": "ready"})["jobs"]) == 1


@pytest.mark.parametrize("said", [{}, {"state": "ready"}, {"limit": 5, "why": "all of it"}], ids=str)
@pytest.mark.parametrize("preview", [False, True])
def test_a_scope_names_nothing_so_that_an_empty_cancel_is_refused_to_a_narrow_key_too(
    memory: Asking, said: dict[str, Any], preview: bool
) -> None:
    memory(ADMIN, "enqueue", {"type": "mail", "tenant": "a"})
    for who in (OPERATOR, OF_A, OF_MAIL):
        refused = memory(who, "cancel_many", said | {"preview": preview})
        assert (refused.status, refused["code"]) == (422, "nothing_named")
    assert len(memory(ADMIN, "list_jobs", query={"state": "ready"})["jobs"]) == 1


def test_a_start_answers_before_a_large_selection_is_whole_and_a_repeat_freezes_on(
    memory: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    for operation in (start_redrive, freeze_redrive):
        monkeypatch.setattr(operation, "PAGE", 2)
    monkeypatch.setattr(redrives, "_LONGEST_FREEZE", 0.0)
    failed(memory, 5)
    said = {"id": job_id()}
    first = memory(OPERATOR, "start_redrive", said)
    assert (first.status, first["state"], first["total"]) == (201, "freezing", 2)
    monkeypatch.undo()
    again = memory(OPERATOR, "start_redrive", said)
    assert (again.status, again["state"], again["total"]) == (200, "running", 5)


def test_another_canary_under_the_same_id_is_refused(memory: Asking) -> None:
    failed(memory, 3)
    said = {"id": job_id(), "canary": 1}
    assert memory(OPERATOR, "start_redrive", said).status == 201
    refused = memory(OPERATOR, "start_redrive", said | {"canary": 2})
    assert (refused.status, refused["code"]) == (409, "redrive_id_reused")


def test_a_job_is_superseded_by_a_newer_one_that_the_caller_may_see(ask: Asking) -> None:
    older, newer, others = (
        ask(ADMIN, "enqueue", {"type": "sum", "tenant": tenant})["id"] for tenant in ("a", "a", "b")
    )
    of_a = principal("producer", "web of a", tenants=["a"])
    assert ask(of_a, "supersede", {"newer": others}, id=older)["code"] == "no_such_job"
    told = ask(of_a, "supersede", {"newer": newer}, id=older)
    assert (told["happened"], told["state"]) == ("superseded", "cancelled")
    assert ask(ADMIN, "show_job", id=older)["superseded_by"] == newer
    assert ask(of_a, "supersede", {"newer": newer}, id=others).status == 404
    claimed = ask(WORKER, "claim", {"types": ["sum"], "limit": 5})["jobs"]
    newest = ask(ADMIN, "enqueue", {"type": "sum", "tenant": "a"})["id"]
    refused = ask(of_a, "supersede", {"newer": newest}, id=newer)
    assert (refused.status, refused["code"]) == (409, "not_waiting")
    assert len(claimed) == 2


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"ids": ["no uuid"]}, "ids"),
        ({"id": "x"}, "id"),
    ],
)
def test_a_bad_member_is_refused_by_its_name(memory: Asking, said: dict[str, Any], field: str) -> None:
    told = memory(OPERATOR, "start_redrive", said)
    assert (told.status, told["field"].partition("[")[0]) == (422, field)
