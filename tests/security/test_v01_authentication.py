"""V-01: nobody gets in without a credential that holds, and everybody does only what its role may.

The matrix is written down here by itself, and must name every operation: one that is added is missed at once.
"""

from datetime import timedelta
from typing import Any

import httpx2
import pytest

from tenure.core.flow.pause import SUBJECTS
from tenure.core.principal import Role
from tenure.core.secrecy import credentials
from tenure.edge.operations import TABLE
from tenure.http.pages.pages import METRICS
from tenure.testing import FakeClock
from tests.security.gate import NOBODY, Gate, refusal

OPERATIONS = {one.name: one for one in (*TABLE, METRICS)}

_EVERYONE = {"producer", "worker", "viewer", "operator", "admin"}
_WORKERS = {"worker", "admin"}
_OPERATORS = {"operator", "admin"}
_OPEN = {"healthz", "readyz"}

MAY: dict[str, set[str]] = {
    "enqueue": {"producer", "admin"},
    "enqueue_many": {"producer", "admin"},
    "claim": _WORKERS,
    "heartbeats": _WORKERS,
    "reports": _WORKERS,
    "heartbeat": _WORKERS,
    "complete": _WORKERS,
    "fail": _WORKERS,
    "release": _WORKERS,
    "snooze": _WORKERS,
    "list_jobs": _EVERYONE,
    "show_job": _EVERYONE,
    "explain_job": _EVERYONE,
    "list_attempts": _EVERYONE,
    "list_effects": _EVERYONE,
    "begin_effect": _WORKERS,
    "finish_effect": _WORKERS,
    "settle_effect": {"operator", "admin"},
    "list_checkpoints": _EVERYONE,
    "save_checkpoint": _WORKERS,
    "cancel": {"producer", "operator", "admin"},
    "redrive": {"operator", "admin"},
    "cancel_many": _OPERATORS,
    "supersede": {"producer", "operator", "admin"},
    "list_failures": _EVERYONE,
    "list_redrives": _EVERYONE,
    "start_redrive": _OPERATORS,
    "show_redrive": _EVERYONE,
    "list_redrive_jobs": _EVERYONE,
    "pause_redrive": _OPERATORS,
    "resume_redrive": _OPERATORS,
    "cancel_redrive": _OPERATORS,
    "forbid_redrives": _OPERATORS,
    "allow_redrives": _OPERATORS,
    "list_schedules": _EVERYONE,
    "show_schedule": _EVERYONE,
    "set_schedule": _OPERATORS,
    "delete_schedule": _OPERATORS,
    "pause_schedule": _OPERATORS,
    "resume_schedule": _OPERATORS,
    "run_schedule": _OPERATORS,
    "backfill_schedule": _OPERATORS,
    "preview_schedule": _EVERYONE,
    "list_occurrences": _EVERYONE,
    "list_kinds": _EVERYONE,
    "show_kind": _EVERYONE,
    "set_kind": {"worker", "operator", "admin"},
    "clear_slowdown": {"operator", "admin"},
    "list_queues": _EVERYONE,
    "show_queue": _EVERYONE,
    "show_tenant": _EVERYONE,
    "set_tenant": _OPERATORS,
    "set_queue": _OPERATORS,
    "list_limits": _EVERYONE,
    "set_limit": _OPERATORS,
    "list_capacities": _EVERYONE,
    "set_capacity": _OPERATORS,
    "list_lateness": _EVERYONE,
    "set_objective": _OPERATORS,
    **{f"{verb}_{subject}": _OPERATORS for verb in ("pause", "resume") for subject in SUBJECTS},
    "list_resources": _EVERYONE,
    "list_tenants": _EVERYONE,
    "list_workers": _EVERYONE,
    "list_keys": {"admin"},
    "show_key": {"admin"},
    "create_key": {"admin"},
    "revoke_key": {"admin"},
    "list_audit": {"operator", "admin"},
    "metrics": _EVERYONE,
}

BODIES: dict[str, Any] = {
    "set_tenant": {"weight": 2},
    "set_queue": {"aging": 60},
    "set_limit": {"concurrency": 2},
    "set_capacity": {"queue": "of nobody", "capacity": 2},
    "set_objective": {"queue": "of nobody", "within": 2},
    "enqueue": {"type": "mail"},
    "enqueue_many": {"jobs": [{"type": "mail"}]},
    "heartbeats": {"beats": [{"id": NOBODY, "lease_token": "a.b"}]},
    "reports": {"reports": [{"verb": "complete", "id": NOBODY, "lease_token": "a.b"}]},
    "heartbeat": {"lease_token": "a.b"},
    "complete": {"lease_token": "a.b"},
    "fail": {"lease_token": "a.b"},
    "release": {"lease_token": "a.b"},
    "snooze": {"lease_token": "a.b", "delay": 1},
    "begin_effect": {"lease_token": "a.b", "request_id": "r1"},
    "finish_effect": {"lease_token": "a.b", "request_id": "r1", "state": "confirmed"},
    "settle_effect": {"state": "confirmed"},
    "save_checkpoint": {"lease_token": "a.b", "value": 1},
    "cancel_many": {"tag": "of nobody"},
    "supersede": {"newer": NOBODY},
    "start_redrive": {"preview": True},
    "set_schedule": {"type": "mail", "cron": "0 3 * * *"},
    "backfill_schedule": {"since": "2020-01-01T00:00:00Z", "until": "2020-01-01T00:00:00Z"},
    "create_key": {"name": "made", "role": "viewer", "kinds": ["mail"]},
}

OF_THE_WHOLE_STORE = {
    "forbid_redrives",
    "allow_redrives",
    "pause_queue",
    "resume_queue",
    "pause_tenant",
    "resume_tenant",
    "pause_resource",
    "resume_resource",
    "set_tenant",
    "set_queue",
    "set_limit",
    "set_capacity",
    "set_objective",
}
"""Acts that no credential of some kinds may do."""

GUARDED = sorted(OPERATIONS.keys() - _OPEN)


def asked(gate: Gate, credential: str | None, name: str, **said: Any) -> Any:
    """The operation with a request that has nothing wrong in it."""
    operation = OPERATIONS[name]
    path = operation.path.replace("{id}", NOBODY).replace("{name}", "mail")
    if operation.body is not None:
        said["json"] = BODIES.get(name, {})
    return gate.ask(credential, operation.method, path, **said)


def test_the_matrix_names_every_operation() -> None:
    assert set(MAY) == set(GUARDED)
    assert {name for name, one in OPERATIONS.items() if one.action is None} == _OPEN


@pytest.mark.parametrize("name", GUARDED)
def test_a_role_may_do_what_the_matrix_says_and_nothing_else(gate: Gate, name: str) -> None:
    for role in Role:
        scope = {} if name in OF_THE_WHOLE_STORE else {"kinds": ["mail"]}
        answer = asked(gate, gate.key(role, **scope), name)
        if role.value in MAY[name]:
            assert answer.status_code in (200, 201, 204, 404), (role, answer.text)
        else:
            assert refusal(answer) == (403, "role_forbidden"), role


@pytest.mark.parametrize("name", GUARDED)
def test_no_operation_answers_without_a_credential_that_holds(gate: Gate, clock: FakeClock, name: str) -> None:
    revoked, expired = gate.key("admin"), gate.key("admin", expires_at=clock() + timedelta(seconds=1))
    gate.revoke(revoked)
    clock.advance(1)
    good = gate.key("admin")
    wrong = credentials.text_of(b"\xfe" * credentials.SECRET_BYTES)
    for credential in (None, revoked, expired, wrong, good[:-1], good + "A", good.upper(), "", " ", "x" * 10_000):
        answer = asked(gate, credential, name)
        assert refusal(answer) == (401, "unauthenticated"), credential
        assert answer.headers["www-authenticate"] == 'Bearer realm="tenure"'


@pytest.mark.parametrize("name", GUARDED)
def test_a_credential_is_taken_from_its_header_alone(gate: Gate, name: str) -> None:
    good = gate.key("admin")
    for said in (
        {"headers": {"authorization": f"Basic {good}"}},
        {"headers": {"authorization": good}},
        {"headers": {"x-api-key": good}},
        {"headers": {"cookie": f"authorization=Bearer {good}; token={good}"}},
        {"params": {"api_key": good, "access_token": good, "authorization": f"Bearer {good}"}},
    ):
        assert asked(gate, None, name, **said).status_code == 401, said


@pytest.mark.parametrize("name", GUARDED)
def test_two_credentials_in_one_request_are_refused(gate: Gate, name: str) -> None:
    good, other = gate.key("admin"), gate.key("viewer")
    headers = [("authorization", f"Bearer {other}"), ("authorization", f"Bearer {good}")]
    operation = OPERATIONS[name]
    path = operation.path.replace("{id}", NOBODY).replace("{name}", "mail")

    async def twice() -> Any:
        transport = httpx2.ASGITransport(gate.application)
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.request(operation.method, path, headers=headers, json={})

    assert refusal(gate.run(twice())) == (400, "repeated_header")


def test_other_spellings_of_a_path_are_guarded_too(gate: Gate) -> None:
    for path in ("/keys/", "//keys", "/KEYS", "/%6beys", "/jobs/../keys", "/jobs/%2e%2e/keys", "/keys%00", "/keys;x"):
        for method in ("GET", "POST", "DELETE", "HEAD", "OPTIONS", "TRACE", "PATCH", "keys"):
            assert gate.ask(None, method, f"http://localhost{path}").status_code == 401, (method, path)


def test_a_head_is_as_guarded_as_its_get(gate: Gate) -> None:
    assert gate.ask(gate.key("viewer"), "HEAD", "/keys").status_code == 403
    answer = gate.ask(gate.key("admin"), "HEAD", "/keys")
    assert (answer.status_code, answer.content) == (200, b"")


def test_every_wrong_credential_gets_the_same_answer(gate: Gate, clock: FakeClock) -> None:
    """Whether a key was ever good is not told."""
    revoked, expired = gate.key("admin"), gate.key("admin", expires_at=clock() + timedelta(seconds=1))
    gate.revoke(revoked)
    clock.advance(1)
    never = credentials.text_of(b"\xfd" * credentials.SECRET_BYTES)
    headers = {"x-request-id": "r"}
    told = {gate.ask(one, "GET", "/keys", headers=headers).content for one in (revoked, expired, never)}
    assert len(told) == 1


def test_a_key_is_nowhere_in_the_database_and_in_no_list(gate: Gate) -> None:
    admin = gate.key("admin")
    made = gate.call(admin, "create_key", {"name": "web", "role": "producer"}).json()
    assert gate.call(made["key"], "list_jobs").status_code == 200
    secret = made["key"].removeprefix(credentials.PREFIX)
    for name in ("list_keys", "list_audit"):
        answer = gate.call(admin, name)
        assert answer.status_code == 200
        assert made["id"] in answer.text
        assert secret not in answer.text
    rows = gate.store.run(gate.store.verbs.keys())
    assert all(secret not in repr(row) for row in rows)


def test_a_key_opens_no_more_than_its_maker_may(gate: Gate) -> None:
    """Else an admin of one tenant would make itself one of all."""
    inside: dict[str, Any] = {"tenants": ["acme"], "kinds": ["mail"], "queues": ["post"]}
    narrow = gate.key("admin", "narrow", **inside)
    made = gate.call(narrow, "create_key", {"name": "inside", "role": "admin", **inside})
    assert made.status_code == 201
    for priority in (32_767, "critical", None):
        said = {"name": f"p-{priority}", "role": "admin", "max_priority": priority, **inside}
        assert gate.call(narrow, "create_key", said).status_code == 201
    modest = gate.key("admin", "modest", max_priority="medium")
    for unbounded in ({"role": "viewer", "max_priority": "high"}, {"role": "admin"}):
        answer = gate.call(modest, "create_key", {"name": "loud", **unbounded})
        assert (refusal(answer), answer.json()["field"]) == ((403, "priority_forbidden"), "max_priority")
    for field, wider in (("tenants", ["*"]), ("tenants", ["acme", "b"]), ("kinds", ["sum"]), ("queues", ["*"])):
        answer = gate.call(narrow, "create_key", {"name": "wider", "role": "admin", **inside, field: wider})
        assert refusal(answer) == (403, f"{field[:-1]}_forbidden"), (field, wider)
    for field in inside:
        said = {name: value for name, value in inside.items() if name != field}
        assert gate.call(narrow, "create_key", {"name": "unsaid", "role": "admin", **said}).status_code == 403, field


def test_a_key_that_is_revoked_here_lets_nobody_in_from_that_moment(gate: Gate) -> None:
    admin = gate.key("admin")
    made = gate.call(admin, "create_key", {"name": "web", "role": "producer"}).json()
    assert gate.call(made["key"], "list_jobs").status_code == 200
    assert gate.call(admin, "revoke_key", id=made["id"]).status_code == 200
    assert refusal(gate.call(made["key"], "list_jobs")) == (401, "unauthenticated")


def test_a_revocation_that_is_repeated_is_answered_and_leaves_one_line(gate: Gate) -> None:
    admin = gate.key("admin")
    made = gate.call(admin, "create_key", {"name": "web", "role": "producer"}).json()
    first = gate.call(admin, "revoke_key", id=made["id"])
    again = gate.call(admin, "revoke_key", id=made["id"])
    assert (again.status_code, again.json()) == (200, first.json())
    assert [one["verb"] for one in gate.call(admin, "list_audit").json()["lines"]] == ["revoke_key", "create_key"]


def test_keys_that_a_credential_could_not_make_are_not_there_for_it(gate: Gate) -> None:
    chief, narrow = gate.key("admin", "chief"), gate.key("admin", "narrow", tenants=["acme"])
    told = {one["name"]: one["id"] for one in gate.call(chief, "list_keys").json()["keys"]}
    assert set(told) == {"chief", "narrow"}
    assert [one["name"] for one in gate.call(narrow, "list_keys").json()["keys"]] == ["narrow"]
    missing = gate.call(narrow, "revoke_key", id=NOBODY)
    hidden = gate.call(narrow, "revoke_key", id=told["chief"])
    assert refusal(hidden) == refusal(missing) == (404, "not_found")
    assert gate.call(chief, "list_keys").status_code == 200
