"""Kinds, keys, queues, tenants, workers, redrives and the audit."""

from datetime import timedelta

import pytest

from tenure.core.job import Policy
from tenure.core.retention import Retention
from tenure.core.secrecy import credentials
from tests.http.handlers.asking import ADMIN, PRODUCER, VIEWER, WORKER, Asking, principal

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer", "maximum": 10**20}}, "required": ["n"]}
UNCLEAR = {"request_id": "r", "state": "uncertain"}
OF_A = {"tenant": "a"}


def test_a_kind_that_is_declared_as_data_validates_and_is_shown(ask: Asking) -> None:
    said = {
        "schema": SCHEMA,
        "queue": "numbers",
        "max_retries": 0,
        "versions": [2],
        "timeout": 60,
        "priority": "medium",
    }
    told = ask(ADMIN, "set_kind", said, name="count")
    assert told["schema"] == SCHEMA
    assert ask(VIEWER, "show_kind", name="count") == told
    assert told in ask(VIEWER, "list_kinds")["kinds"] or told.body in ask(VIEWER, "list_kinds")["kinds"]
    job = ask(PRODUCER, "enqueue", {"type": "count", "payload": {"n": 1}})
    assert (job["queue"], job["max_retries"], job["version"], job["timeout"]) == ("numbers", 0, 2, 60)
    refused = ask(PRODUCER, "enqueue", {"type": "count", "payload": {}})
    assert (refused["field"], refused["code"]) == ("payload.n", "missing_member")


def test_a_kind_says_how_its_jobs_are_tried_again_and_what_they_have_to_do(memory: Asking) -> None:
    said = {
        "backoff": [0.5, 90.0],
        "progress_timeout": 20.0,
        "effects": ["stamp", "send", "stamp"],
        "payload_retention": 60,
    }
    told = memory(ADMIN, "set_kind", said, name="letter")
    assert (told["backoff"], told["progress_timeout"], told["effects"]) == ([0.5, 90.0], 20.0, ["stamp", "send"])
    job = memory.run(
        memory.service.run(memory.service.verbs.read([memory(ADMIN, "enqueue", {"type": "letter"})["id"]]))
    )
    (row,) = job.values()
    assert row.policy == Policy(0.5, 90.0, 20.0, ("stamp", "send"), 60.0)
    assert told["payload_retention"] == 60.0
    unsaid = memory(ADMIN, "set_kind", {}, name="letter")
    assert (unsaid["backoff"], unsaid["progress_timeout"], unsaid["effects"]) == ([2.0, 3600.0], None, [])


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({"schema": {"type": "objekt"}}, "bad_schema"),
        ({"schema": {"$ref": "https://elsewhere.invalid/x"}}, "bad_schema"),
        ({"schema": {"allOf": [{"items": {"$ref": "#"}}, {"items": {"$ref": "#"}}]}}, "too_complex"),
    ],
)
def test_a_schema_that_cannot_be_judged_by_is_refused(memory: Asking, said: dict[str, object], code: str) -> None:
    told = memory(ADMIN, "set_kind", said, name="count")
    assert (told.status, told["code"]) == (422, code)
    assert told["field"].startswith("schema")


def test_a_worker_declares_the_kinds_that_its_credential_names_and_no_other(memory: Asking) -> None:
    node = principal("worker", "node", kinds=["resize"])
    assert memory(node, "set_kind", {}, name="resize").status == 200
    assert memory(node, "set_kind", {}, name="mail")["code"] == "kind_forbidden"
    assert memory(WORKER, "set_kind", {}, name="resize")["code"] == "kind_forbidden"
    assert memory(node, "set_kind", {"queue": "q", "priority": "critical"}, name="resize")["field"] == "priority"


def test_kinds_outside_the_scope_are_not_there(memory: Asking) -> None:
    narrow = principal("viewer", kinds=["sum"])
    assert [kind["name"] for kind in memory(narrow, "list_kinds")["kinds"]] == ["sum"]
    assert memory(narrow, "show_kind", name="mail") == memory(narrow, "show_kind", name="none")


def test_a_slowdown_is_shown_and_cleared(memory: Asking) -> None:
    memory(ADMIN, "enqueue", {"type": "sum"})
    job = memory(WORKER, "claim")
    body = {"lease_token": job["lease_token"], "class": "throttled", "scope": "kind", "retry_in": 60}
    memory(WORKER, "fail", body, id=job["id"])
    [slow] = memory(VIEWER, "show_kind", name="sum")["slowdowns"]
    assert (slow["tenant"], slow["code"]) == ("default", "throttled")
    assert memory(ADMIN, "clear_slowdown", name="sum")["cleared"]
    assert not memory(ADMIN, "clear_slowdown", name="sum")["cleared"]


def test_a_key_is_shown_once_and_lets_nobody_in_after_it_is_revoked(ask: Asking) -> None:
    said = {"name": "web", "role": "producer", "kinds": ["mail"], "max_priority": "low"}
    made = ask(ADMIN, "create_key", said)
    assert (made.status, made["tenants"], made["kinds"], made["max_priority"]) == (201, ["default"], ["mail"], "low")
    assert credentials.hash_of(made["key"])
    assert ask(ADMIN, "create_key", said)["code"] == "key_name_taken"
    [listed] = ask(ADMIN, "list_keys")["keys"]
    assert "key" not in listed
    assert (listed["id"], listed["created_by"]) == (made["id"], "admin")
    assert ask(ADMIN, "revoke_key", id=made["id"])["revoked_at"] is not None
    assert ask(ADMIN, "revoke_key", id="0190a000-0000-4000-8000-000000000000").status == 404
    assert ask(ADMIN, "create_key", said).status == 201


def test_queues_tenants_and_workers_are_counted_within_the_scope(ask: Asking) -> None:
    for tenant in ("a", "b"):
        ask(ADMIN, "enqueue", {"type": "sum", "tenant": tenant})
        ask(ADMIN, "enqueue", {"type": "mail", "tenant": tenant})
    ask(WORKER, "claim", {"types": ["sum"], "holder": {"host": "h1"}})
    queues = {lane["name"]: lane["jobs"] for lane in ask(VIEWER, "list_queues")["queues"]}
    assert queues == {"default": {"ready": 1, "running": 1}, "post": {"ready": 2}}
    narrow = principal("viewer", tenants=["b"], kinds=["mail"])
    assert [lane["name"] for lane in ask(narrow, "list_queues")["queues"]] == ["post"]
    assert [lane["name"] for lane in ask(narrow, "list_tenants")["tenants"]] == ["b"]
    first = ask(VIEWER, "list_tenants", query={"limit": 1})
    assert (first["tenants"][0]["name"], first["next"]) == ("a", "a")
    rest = ask(VIEWER, "list_tenants", query={"limit": 1, "cursor": "a"})
    assert (rest["tenants"][0]["name"], rest["next"]) == ("b", None)
    [one] = ask(VIEWER, "list_workers")["workers"]
    assert (one["worker_id"], one["running"], one["hosts"]) == ("w1", 1, [])
    assert ask(ADMIN, "list_workers")["workers"][0]["hosts"] == ["h1"]
    assert ask(narrow, "list_workers")["workers"] == []


def test_a_job_without_its_payload_says_so_and_is_not_redriven(ask: Asking) -> None:
    job = ask(ADMIN, "enqueue", {"type": "sum"})
    lease = ask(WORKER, "claim")
    assert lease["unrecoverable"] is False
    ask(WORKER, "fail", {"lease_token": lease["lease_token"], "class": "terminal", "error": "no"}, id=job["id"])
    ask.run(ask.service.run(ask.service.verbs.expire_payloads(Retention(payload=timedelta(0)), 10)))
    shown = ask(ADMIN, "show_job", id=job["id"])
    assert (shown["unrecoverable"], shown["payload"]) == (True, None)
    refused = ask(ADMIN, "redrive", {"why": "mended"}, id=job["id"])
    assert (refused.status, refused["code"]) == (409, "unrecoverable")


def test_a_failed_job_is_redriven_and_others_are_left(ask: Asking) -> None:
    job = ask(ADMIN, "enqueue", {"type": "sum", "max_retries": 0})
    told = ask(ADMIN, "redrive", {"why": "mended"}, id=job["id"])
    assert (told.status, told["code"]) == (409, "not_failed")
    lease = ask(WORKER, "claim")
    ask(WORKER, "fail", {"lease_token": lease["lease_token"], "error": "x"}, id=job["id"])
    told = ask(ADMIN, "redrive", {"why": "mended"}, id=job["id"])
    assert (told["happened"], told["status"]) == ("redriven", "pending")
    assert ask(WORKER, "claim")["attempt"] == 2


def test_what_operators_did_is_in_the_audit_page_by_page(ask: Asking) -> None:
    job = ask(ADMIN, "enqueue", {"type": "sum"})
    ask(PRODUCER, "cancel", {"why": "a mistake"}, id=job["id"])
    ask(ADMIN, "set_kind", {"why": "new"}, name="count")
    first = ask(ADMIN, "list_audit", query={"limit": 1})
    rest = ask(ADMIN, "list_audit", query={"limit": 5, "cursor": first["next"]})
    lines = first["lines"] + rest["lines"]
    assert [(line["who"], line["verb"], line["why"]) for line in lines] == [
        ("admin", "set_kind", "new"),
        ("web", "cancel", "a mistake"),
    ]
    assert rest["next"] is None


def test_an_operator_of_one_tenant_sees_the_audit_of_that_tenant_alone(ask: Asking) -> None:
    for tenant in ("a", "b"):
        job = ask(ADMIN, "enqueue", {"type": "sum", "tenant": tenant, "max_retries": 0})
        lease = ask(WORKER, "claim")
        ask(WORKER, "fail", {"lease_token": lease["lease_token"]}, id=job["id"])
        ask(ADMIN, "redrive", {"why": f"secret of {tenant}"}, id=job["id"])
        ask(ADMIN, "cancel", {"why": f"secret of {tenant}"}, id=job["id"])
        ask(ADMIN, "create_key", {"name": f"web-{tenant}", "role": "producer", "tenants": [tenant]})
    ask(ADMIN, "set_kind", {"why": "new"}, name="count")
    narrow = ask(principal("operator", tenants=["a"]), "list_audit")["lines"]
    assert [(line["verb"], line["tenant"]) for line in narrow] == [
        ("create_key", "a"),
        ("cancel", "a"),
        ("redrive", "a"),
    ]
    assert "secret of b" not in str(narrow)
    everything = ask(principal("operator"), "list_audit")["lines"]
    assert [line["tenant"] for line in everything] == [None, "b", "b", "b", "a", "a", "a"]


@pytest.mark.parametrize("dimension", ["kind", "queue"])
def test_an_operator_of_some_kinds_or_queues_sees_the_audit_of_those_alone(ask: Asking, dimension: str) -> None:
    secrets = {}
    for kind in ("sum", "mail"):
        queue = {"sum": "default", "mail": "post"}[kind]
        secrets[kind] = f"secret of {kind}"
        job = ask(ADMIN, "enqueue", {"type": kind, "max_retries": 0})
        lease = ask(WORKER, "claim", {"types": [kind]})
        token = lease["lease_token"]
        ask(WORKER, "begin_effect", {"lease_token": token, "request_id": "r", "timeout": 1}, id=job["id"], name="e")
        ask(WORKER, "finish_effect", UNCLEAR | {"lease_token": token}, id=job["id"], name="e")
        ask(WORKER, "fail", {"lease_token": token}, id=job["id"])
        ask(ADMIN, "settle_effect", {"state": "absent", "why": secrets[kind]}, id=job["id"], name="e")
        ask(ADMIN, "redrive", {"why": secrets[kind]}, id=job["id"])
        ask(ADMIN, "cancel", {"why": secrets[kind]}, id=job["id"])
        key = ask(ADMIN, "create_key", {"name": f"w-{kind}", "role": "worker", "kinds": [kind], "queues": [queue]})
        ask(ADMIN, "revoke_key", id=key["id"])
    ask(ADMIN, "set_kind", {"why": secrets["mail"], "queue": "post", "timeout": 5}, name="mail")
    ask(ADMIN, "create_key", {"name": "w-all", "role": "worker"})
    scope = {"kinds": ["sum"]} if dimension == "kind" else {"queues": ["default"]}
    narrow = ask(principal("operator", **scope), "list_audit")["lines"]
    assert [line["verb"] for line in narrow] == ["revoke_key", "create_key", "cancel", "redrive", "settle_effect"]
    assert {line[dimension] for line in narrow} == {"sum" if dimension == "kind" else "default"}
    assert secrets["mail"] not in str(narrow)
    assert secrets["mail"] in str(ask(principal("operator"), "list_audit").body)


@pytest.mark.parametrize("scope", [{"tenants": ["a"]}, {"tenants": ["a", "b"]}, {"queues": ["default"]}])
@pytest.mark.parametrize("role", ["operator", "admin"])
@pytest.mark.parametrize("name", ["sum", "fresh"])
def test_a_kind_is_changed_by_nobody_who_has_not_every_tenant_and_queue(
    ask: Asking, role: str, scope: dict[str, list[str]], name: str
) -> None:
    """A kind stands for every tenant: its schema refuses, its limits bound the jobs of all."""
    before = ask(ADMIN, "list_kinds").body
    told = ask(principal(role, **scope), "set_kind", {"schema": {"not": {}}}, name=name)
    code = "tenant_forbidden" if "tenants" in scope else "queue_forbidden"
    assert (told.status, told["code"], told["field"]) == (403, code, "name")
    assert "--" in told["hint"]
    assert ask(ADMIN, "list_kinds").body == before
    assert ask(principal(role), "set_kind", {"timeout": 7}, name=name)["timeout"] == 7


def test_a_worker_of_one_tenant_declares_its_kind_and_changes_none_that_stands(ask: Asking) -> None:
    node = principal("worker", "node", tenants=["a"], kinds=["resize", "sum"])
    assert ask(node, "set_kind", {"timeout": 60}, name="resize").status == 200
    assert ask(node, "set_kind", {"timeout": 60}, name="resize").status == 200
    for name, change in (
        ("resize", {"timeout": 61}),
        ("resize", {"timeout": 60, "versions": [2]}),
        ("sum", {"timeout": 5}),
    ):
        told = ask(node, "set_kind", change, name=name)
        assert (told.status, told["code"]) == (403, "tenant_forbidden")
    stands = ask(ADMIN, "show_kind", name="resize")
    assert (stands["timeout"], stands["versions"]) == (60, [1])
    lines = [line["subject"] for line in ask(ADMIN, "list_audit")["lines"]]
    assert lines == ["kind resize"]


def test_a_slowdown_is_cleared_by_nobody_who_has_not_every_queue(memory: Asking) -> None:
    slowed = {"type": "sum", "tenant": "a"}
    memory(ADMIN, "enqueue", slowed)
    lease = memory(WORKER, "claim")
    refused = {"lease_token": lease["lease_token"], "class": "throttled", "scope": "kind", "retry_in": 60}
    assert memory(WORKER, "fail", refused, id=lease["id"]).status == 200
    told = memory(principal("operator", tenants=["a"], queues=["default"]), "clear_slowdown", query=OF_A, name="sum")
    assert (told.status, told["code"]) == (403, "queue_forbidden")
    assert len(memory(ADMIN, "show_kind", name="sum")["slowdowns"]) == 1
    assert memory(principal("operator", tenants=["a"]), "clear_slowdown", query=OF_A, name="sum")["cleared"] is True


def test_a_cancel_says_what_happened(ask: Asking) -> None:
    job = ask(ADMIN, "enqueue", {"type": "sum"})
    assert ask(PRODUCER, "cancel", id=job["id"])["happened"] == "cancelled"
    again = ask(PRODUCER, "cancel", id=job["id"])
    assert (again["happened"], again["status"]) == ("already_ended", "cancelled")
    assert (again["told"], again["confirmed"], again["open"]) == ("not_started", [], [])


def test_health_is_told_without_a_credential(memory: Asking) -> None:
    assert memory(VIEWER, "healthz").body == {"alive": True}
    assert memory(VIEWER, "readyz").body == {"ready": True, "troubles": []}
