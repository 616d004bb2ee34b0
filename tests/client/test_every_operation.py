"""The client is made from the table of operations: none is missing, none is called otherwise than the table says."""

import asyncio
import inspect
import re
from collections.abc import Callable
from typing import Any

import pytest

from tenure.client import AsyncClient, Client
from tenure.client.call import Call, wire_names
from tenure.client.producing import Submission, Which
from tenure.client.verb import Verb
from tenure.client.working import Claiming, Pulse, Report
from tenure.edge import claims, enqueues, job_pages, reports
from tenure.edge.operations import BY_NAME, TABLE
from tests.client import bodies
from tests.client.bodies import ID
from tests.client.stub import Told, stub

LEASE: dict[str, Any] = {"id": ID, "lease_token": "t"}
EFFECT = LEASE | {"name": "charge", "request_id": "r1"}
HAPPENED = {"id": ID, "happened": "cancelled", "state": "cancelled", "status": "cancelled"}
CANCELLED = HAPPENED | {"told": "not_started", "confirmed": [], "open": []}
CHANGED = {"changed": True, "redrive": bodies.redrive()}
RESCHEDULED = {"changed": True, "schedule": bodies.schedule()}
BEAT = {"id": ID, "held": True, "lease_expires_at": bodies.AT, "cancel_requested": False}

SAMPLES: dict[str, tuple[str, dict[str, Any], Told]] = {
    "enqueue": ("enqueue", {"type": "greet"}, Told(201, bodies.enqueued())),
    "enqueue_many": ("enqueue_many", {"jobs": []}, Told(200, {"jobs": []})),
    "job": ("show_job", {"id": ID}, Told(200, bodies.job())),
    "job_page": ("list_jobs", {}, Told(200, {"jobs": [bodies.job()], "next": None})),
    "obstacles": ("explain_job", {"id": ID}, Told(200, {"id": ID, "state": "ready", "obstacles": []})),
    "attempt_page": ("list_attempts", {"id": ID}, Told(200, {"attempts": [bodies.attempt()]})),
    "cancel": ("cancel", {"id": ID}, Told(200, CANCELLED)),
    "redrive": ("redrive", {"id": ID}, Told(200, HAPPENED)),
    "claim": ("claim", {}, Told(200, bodies.claimed())),
    "claim_many": ("claim", {"limit": 2}, Told(200, {"claim_id": "c", "jobs": [bodies.claimed()]})),
    "heartbeat": ("heartbeat", LEASE, Told(200, BEAT)),
    "heartbeats": ("heartbeats", {"beats": [LEASE]}, Told(200, {"beats": [BEAT]})),
    "complete": ("complete", LEASE, Told(200, bodies.reported())),
    "fail": ("fail", LEASE, Told(200, bodies.reported(outcome="failed"))),
    "release": ("release", LEASE, Told(200, bodies.reported(outcome="released"))),
    "snooze": ("snooze", LEASE | {"delay": 5}, Told(200, bodies.reported(outcome="snoozed"))),
    "reports": ("reports", {"reports": []}, Told(200, {"reports": [], "claimed": None})),
    "effect_page": ("list_effects", {"id": ID}, Told(200, {"effects": [bodies.effect()]})),
    "begin_effect": ("begin_effect", EFFECT, Told(200, {"what": "call", "effect": bodies.effect(), "wait": 0.0})),
    "finish_effect": ("finish_effect", EFFECT | {"state": "confirmed"}, Told(200, bodies.effect(result={"id": 1}))),
    "settle_effect": ("settle_effect", {"id": ID, "name": "charge", "state": "absent"}, Told(200, bodies.effect())),
    "checkpoint_page": ("list_checkpoints", {"id": ID}, Told(200, {"checkpoints": [bodies.checkpoint()]})),
    "save_checkpoint": (
        "save_checkpoint",
        LEASE | {"name": "next", "value": None},
        Told(200, bodies.checkpoint(value=None)),
    ),
    "cancel_many": ("cancel_many", {"type": "greet"}, Told(200, {"cancelled": 1, "requested": 0, "next": None})),
    "supersede": ("supersede", {"id": ID, "newer": ID}, Told(200, HAPPENED)),
    "failures": (
        "list_failures",
        {},
        Told(200, {"groups": [bodies.failure()], "read": 2, "at_least": False}),
    ),
    "start_redrive": ("start_redrive", {"type": "greet"}, Told(201, bodies.redrive())),
    "redrive_page": (
        "list_redrives",
        {},
        Told(200, {"redrives": [bodies.redrive()], "forbidden": False, "next": None}),
    ),
    "show_redrive": ("show_redrive", {"id": ID}, Told(200, bodies.redrive())),
    "redrive_jobs": ("list_redrive_jobs", {"id": ID}, Told(200, {"jobs": [bodies.frozen()], "next": None})),
    "pause_redrive": ("pause_redrive", {"id": ID}, Told(200, CHANGED)),
    "resume_redrive": ("resume_redrive", {"id": ID}, Told(200, CHANGED)),
    "cancel_redrive": ("cancel_redrive", {"id": ID}, Told(200, CHANGED)),
    "forbid_redrives": ("forbid_redrives", {}, Told(200, {"forbidden": True, "changed": True})),
    "allow_redrives": ("allow_redrives", {}, Told(200, {"forbidden": False, "changed": True})),
    "schedule_page": ("list_schedules", {}, Told(200, {"schedules": [bodies.schedule()], "next": None})),
    "schedule": ("show_schedule", {"name": "nightly"}, Told(200, bodies.schedule())),
    "set_schedule": (
        "set_schedule",
        {"name": "nightly", "type": "greet", "cron": "0 3 * * *"},
        Told(201, {"created": True} | RESCHEDULED),
    ),
    "delete_schedule": ("delete_schedule", {"name": "nightly"}, Told(200, RESCHEDULED)),
    "pause_schedule": ("pause_schedule", {"name": "nightly"}, Told(200, RESCHEDULED)),
    "resume_schedule": ("resume_schedule", {"name": "nightly"}, Told(200, RESCHEDULED)),
    "run_schedule": ("run_schedule", {"name": "nightly"}, Told(201, {"id": ID, "created": True})),
    "backfill_schedule": (
        "backfill_schedule",
        {"name": "nightly", "since": bodies.AT, "until": bodies.AT},
        Told(200, {"ids": [ID], "known": 0, "conflicts": 0}),
    ),
    "preview_schedule": (
        "preview_schedule",
        {"name": "nightly"},
        Told(200, {"slots": [bodies.AT], "tz": "UTC", "follows_real_time": False}),
    ),
    "occurrence_page": ("list_occurrences", {"name": "nightly"}, Told(200, {"occurrences": [], "next": None})),
    "kind_page": ("list_kinds", {}, Told(200, {"kinds": [bodies.kind()]})),
    "kind": ("show_kind", {"name": "greet"}, Told(200, bodies.kind())),
    "set_kind": ("set_kind", {"name": "greet"}, Told(200, bodies.kind())),
    "clear_slowdown": ("clear_slowdown", {"name": "greet"}, Told(200, {"cleared": True})),
    "queue_page": (
        "list_queues",
        {},
        Told(200, {"queues": [{"name": "q", "jobs": {"ready": 1}, "oldest_run_at": None}]}),
    ),
    "queue": ("show_queue", {"name": "q"}, Told(200, {"name": "q", "jobs": {"ready": 1}, "oldest_run_at": None})),
    "tenant": ("show_tenant", {"name": "t"}, Told(200, {"name": "t", "jobs": {}, "oldest_run_at": None, "weight": 3})),
    "tenant_page": ("list_tenants", {}, Told(200, {"tenants": [], "next": None})),
    **{
        f"{verb}_{subject}": (
            f"{verb}_{subject}",
            {"name": "q"},
            Told(200, {"name": "q", "changed": True, "pause": None}),
        )
        for verb in ("pause", "resume")
        for subject in ("queue", "kind", "tenant", "resource")
    },
    "set_tenant": ("set_tenant", {"name": "a", "weight": 3}, Told(200, {"name": "a", "weight": 3, "changed": True})),
    "set_queue": (
        "set_queue",
        {"name": "q", "aging": 60.0},
        Told(200, {"name": "q", "changed": True, "aging": 60.0, "reserve": None}),
    ),
    "resource_page": ("list_resources", {}, Told(200, {"resources": [], "next": None})),
    "limit_page": ("list_limits", {}, Told(200, {"limits": [], "next": None})),
    "set_limit": ("set_limit", {"concurrency": 3}, Told(200, {"changed": True, "limit": None})),
    "capacity_page": ("list_capacities", {}, Told(200, {"capacities": [], "next": None})),
    "set_capacity": ("set_capacity", {"capacity": 3, "queue": "q"}, Told(200, {"changed": True, "capacity": None})),
    "lateness": ("list_lateness", {}, Told(200, {"queues": []})),
    "set_objective": (
        "set_objective",
        {"queue": "q", "within": 3.0, "share": 0.95},
        Told(200, {"queue": "q", "changed": True, "objective": None}),
    ),
    "worker_page": ("list_workers", {}, Told(200, {"workers": []})),
    "key_page": ("list_keys", {}, Told(200, {"keys": [bodies.key()]})),
    "key": ("show_key", {"id": ID}, Told(200, bodies.key())),
    "create_key": ("create_key", {"name": "web", "role": "producer"}, Told(201, bodies.key(key="tenure_x"))),
    "revoke_key": ("revoke_key", {"id": ID}, Told(200, bodies.key())),
    "audit_page": ("list_audit", {}, Told(200, {"lines": [], "next": None})),
    "alive": ("healthz", {}, Told(200, {"alive": True})),
    "ready": ("readyz", {}, Told(503, {"ready": False, "troubles": ["database"]})),
}

UNSAID = {"worker_id"}
"""Members that the client leaves to the credential."""


def verbs(client: type) -> dict[str, Callable[..., Call[Any]]]:
    return {name: verb.make for name, verb in vars(client).items() if isinstance(verb, Verb)}


def test_no_operation_of_the_table_is_missing() -> None:
    assert {operation for operation, _said, _told in SAMPLES.values()} == BY_NAME.keys()
    assert verbs(Client).keys() == SAMPLES.keys()


def test_both_clients_make_the_same_calls() -> None:
    assert verbs(Client) == verbs(AsyncClient)
    public = [{name for name in vars(client) if not name.startswith("_")} for client in (Client, AsyncClient)]
    assert public[0] == public[1]


@pytest.mark.parametrize("name", SAMPLES)
def test_a_method_asks_as_the_table_says_and_reads_the_answer(name: str) -> None:
    operation, said, told = SAMPLES[name]
    with stub(told) as service, Client(service.url, "secret") as client:
        answer = getattr(client, name)(**said)
    (asked,) = service.asked
    row = BY_NAME[operation]
    assert asked.method == row.method
    assert re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", row.path), asked.path)
    assert asked.headers["authorization"] == "Bearer secret"
    assert answer is not None


@pytest.mark.parametrize("name", SAMPLES)
def test_the_async_method_reads_the_same(name: str) -> None:
    _operation, said, told = SAMPLES[name]

    async def ask(url: str) -> Any:
        async with AsyncClient(url, "secret") as client:
            return await getattr(client, name)(**said)

    with stub(told, told) as service, Client(service.url, "secret") as client:
        assert asyncio.run(ask(service.url)) == getattr(client, name)(**said)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_method_takes_every_parameter_and_member_of_its_operation(name: str) -> None:
    row = BY_NAME[SAMPLES[name][0]]
    members = set(wire_names(row.body)) | set(wire_names(row.query)) | set(re.findall(r"\{(\w+)\}", row.path))
    taken = set(inspect.signature(verbs(Client)[name]).parameters)
    assert members - UNSAID - ({"limit", "slots"} if name == "claim" else set()) == taken


@pytest.mark.parametrize(
    ("words", "shapes"),
    [
        (Submission, [enqueues.Enqueue]),
        (Pulse, [reports.HeartbeatOf]),
        (Report, [reports.CompleteOf, reports.FailOf, reports.ReleaseOf, reports.SnoozeOf]),
    ],
)
def test_the_items_of_a_list_are_typed_whole(words: Any, shapes: list[Any]) -> None:
    assert set(words.__annotations__) == {name for shape in shapes for name in wire_names(shape)} - UNSAID


def test_claims_within_reports_and_lists_of_jobs_are_typed_whole() -> None:
    assert set(Claiming.__annotations__) == set(wire_names(claims.Claim)) - UNSAID - {"wait"}
    assert set(Which.__annotations__) == set(wire_names(job_pages.ListJobs)) - {"cursor"}


def test_every_operation_has_a_summary_for_the_command_line() -> None:
    assert all(operation.summary.endswith(".") for operation in TABLE)
