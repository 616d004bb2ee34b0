"""Each act of an operator leaves who, when, what and why in the transaction that makes it, or it is not made."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, NoReturn
from urllib.parse import quote

import pytest

from tenure.core.errors import InvalidInput
from tenure.core.flow.pause import SUBJECTS
from tenure.core.principal import Action
from tenure.edge.operations import TABLE
from tenure.http.bodies.converting import of_texts
from tenure.http.options import ServiceOptions
from tests.conformance.asking import job_id
from tests.http.handlers.asking import ADMIN, WORKER, Asking
from tests.http.handlers.test_redrives import failed

WHY: Final = "the customer asked"
ACTIONS: Final = {
    Action.CANCEL, Action.REDRIVE, Action.OPERATE, Action.MANAGE_KEYS, Action.DECLARE_KIND,
}  # fmt: skip


class Act(NamedTuple):
    """before: makes what the operation acts on, and answers the path. verb: of the line; unsaid, the operation's
    name."""

    body: dict[str, Any]
    before: Callable[[Asking], dict[str, str]] = lambda ask: {}
    verb: str = ""


def waiting(ask: Asking) -> dict[str, str]:
    return {"id": ask(ADMIN, "enqueue", {"type": "sum"})["id"]}


def named(name: str, before: str = "") -> Callable[[Asking], dict[str, str]]:
    """Of a queue, kind or tenant; where an operation goes before, it has been done."""

    def made(ask: Asking) -> dict[str, str]:
        assert not before or ask(ADMIN, before, {}, name=name)["changed"]
        return {"name": name}

    return made


def one_failed(ask: Asking) -> dict[str, str]:
    return {"id": failed(ask)[0]}


def superseded(ask: Asking) -> dict[str, str]:
    """The newer one has the id that the act names."""
    older = waiting(ask)
    ask(ADMIN, "enqueue", {"type": "sum", "id": NEWER})
    return older


def redriving(ask: Asking) -> dict[str, str]:
    failed(ask, 3)
    return {"id": ask(ADMIN, "start_redrive", {"canary": 1})["id"]}


def paused(ask: Asking) -> dict[str, str]:
    path = redriving(ask)
    assert ask(ADMIN, "pause_redrive", {}, **path)["changed"]
    return path


def forbidden(ask: Asking) -> dict[str, str]:
    assert ask(ADMIN, "forbid_redrives", {})["changed"]
    return {}


def uncertain(ask: Asking) -> dict[str, str]:
    job = waiting(ask)
    token = ask(WORKER, "claim")["lease_token"]
    call = {"lease_token": token, "request_id": "r"}
    assert ask(WORKER, "begin_effect", call, **job, name="charge").status == 200
    assert ask(WORKER, "finish_effect", {**call, "state": "uncertain"}, **job, name="charge").status == 200
    return {**job, "name": "charge"}


def slowed(ask: Asking) -> dict[str, str]:
    job = waiting(ask)
    report = {"lease_token": ask(WORKER, "claim")["lease_token"], "class": "throttled", "scope": "kind", "retry_in": 60}
    assert ask(WORKER, "fail", report, **job).status == 200
    return {"name": "sum"}


def a_key(ask: Asking) -> dict[str, str]:
    return {"id": ask(ADMIN, "create_key", {"name": "leaked", "role": "viewer"})["id"]}


def scheduled(ask: Asking) -> dict[str, str]:
    """What `paused_schedule` and the acts on a schedule find."""
    said = {"type": "sum", "cron": "0 3 * * *"}
    assert ask(ADMIN, "set_schedule", said, name="nightly").status == 201
    return {"name": "nightly"}


def paused_schedule(ask: Asking) -> dict[str, str]:
    path = scheduled(ask)
    assert ask(ADMIN, "pause_schedule", {}, **path)["changed"]
    return path


NEWER: Final = job_id()
ACTS: Final = {
    "cancel": Act({}, waiting),
    "cancel_many": Act({"type": "sum"}, waiting, "cancel"),
    "supersede": Act({"newer": NEWER}, superseded),
    "redrive": Act({}, one_failed),
    "start_redrive": Act({"type": "sum"}, one_failed),
    "pause_redrive": Act({}, redriving),
    "resume_redrive": Act({}, paused),
    "cancel_redrive": Act({}, redriving),
    "forbid_redrives": Act({}),
    "allow_redrives": Act({}, forbidden),
    "set_schedule": Act({"type": "sum", "every": 60}, lambda ask: {"name": "hourly"}),
    "pause_schedule": Act({}, scheduled),
    "resume_schedule": Act({}, paused_schedule),
    "run_schedule": Act({}, scheduled),
    "backfill_schedule": Act({"since": "2020-01-01T00:00:00Z", "until": "2020-01-03T00:00:00Z"}, scheduled),
    "delete_schedule": Act({}, scheduled),
    **{
        f"{verb}_{subject}": Act({}, named("sum", f"pause_{subject}" if verb == "resume" else ""), verb)
        for subject in SUBJECTS
        for verb in ("pause", "resume")
    },
    "set_tenant": Act({"weight": 3}, named("sum"), "set_weight"),
    "set_queue": Act({"aging": 60}, named("sum"), "set_relief"),
    "set_limit": Act({"tenant": "sum", "concurrency": 3}),
    "set_capacity": Act({"tenant": "sum", "capacity": 3}),
    "set_objective": Act({"queue": "sum", "within": 3}),
    "settle_effect": Act({"state": "absent"}, uncertain),
    "set_kind": Act({"timeout": 7}, lambda ask: {"name": "sum"}),
    "clear_slowdown": Act({}, slowed),
    "create_key": Act({"name": "web", "role": "viewer"}),
    "revoke_key": Act({}, a_key),
}


class Full(Exception):
    """The table of the audit takes no line."""


def acted(ask: Asking, name: str, path: dict[str, str]) -> Any:
    said = {**ACTS[name].body, "why": WHY}
    by_query = {one.name for one in TABLE if one.body is None}
    return ask(ADMIN, name, query=said, **path) if name in by_query else ask(ADMIN, name, said, **path)


def everything(ask: Asking, path: dict[str, str]) -> list[Any]:
    """All that an act could have changed, as it is shown."""
    lists = (
        "list_jobs",
        "list_kinds",
        "list_keys",
        "list_redrives",
        "list_schedules",
        "list_audit",
        "list_queues",
        "list_tenants",
        "list_limits",
        "list_capacities",
        "list_lateness",
    )
    seen = [ask(ADMIN, name).body for name in lists]
    return [*seen, ask(ADMIN, "list_effects", id=path["id"]).body] if "name" in path and "id" in path else seen


def test_every_operation_that_acts_is_tried_here() -> None:
    assert ACTS.keys() == {one.name for one in TABLE if one.action in ACTIONS and one.method != "GET"}


@pytest.mark.parametrize("name", ACTS)
def test_an_act_leaves_who_what_and_why(ask: Asking, name: str) -> None:
    path = ACTS[name].before(ask)
    before = len(ask(ADMIN, "list_audit")["lines"])
    assert acted(ask, name, path).status in (200, 201)
    lines = ask(ADMIN, "list_audit")["lines"]
    assert len(lines) == before + 1
    assert (lines[0]["who"], lines[0]["verb"], lines[0]["why"]) == ("admin", ACTS[name].verb or name, WHY)


@pytest.mark.parametrize("name", ACTS)
def test_an_act_whose_line_cannot_be_written_is_not_made(
    ask: Asking, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(verbs: Any, line: Any) -> NoReturn:
        del verbs, line
        raise Full

    path = ACTS[name].before(ask)
    before = everything(ask, path)
    with monkeypatch.context() as patch:
        patch.setattr(type(ask.service.verbs), "audit", broken)
        with pytest.raises(Full):
            acted(ask, name, path)
    assert everything(ask, path) == before
    assert acted(ask, name, path).status in (200, 201)
    assert everything(ask, path) != before


def test_a_reason_in_a_query_fits_into_a_request_in_any_script(memory: Asking) -> None:
    """Each character takes twelve in the request line at the most."""
    longest = "\U0001f98a" * 1000
    assert len(quote(longest)) + 200 < ServiceOptions().head_bytes
    key = a_key(memory)
    assert memory(ADMIN, "revoke_key", query={"why": longest}, **key).status == 200
    assert memory(ADMIN, "list_audit")["lines"][0]["why"] == longest
    for one in TABLE:
        if one.query is not None and "why" in one.query.__struct_fields__:
            with pytest.raises(InvalidInput, match="why: must have at most 1000 characters"):
                of_texts(one.query, {"why": f"{longest}x"})
