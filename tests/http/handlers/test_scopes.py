"""Who may do what is judged before anything is looked up; what lies outside the scope is not there."""

from typing import Any

import pytest

from tests.http.handlers.asking import ADMIN, PRODUCER, VIEWER, WORKER, Asking, Said, principal

NO_JOB = "0190a000-0000-7000-8000-000000000000"
NARROW = principal("producer", "narrow", tenants=["acme"], kinds=["sum"], queues=["default"])
NARROW_WORKER = principal("worker", "narrow-worker", tenants=["acme"], kinds=["sum"], queues=["default"])


def enqueued(ask: Asking, **said: Any) -> Said:
    told = ask(ADMIN, "enqueue", {"type": "sum", "tenant": "acme", **said})
    assert told.status == 201
    return told


@pytest.mark.parametrize(
    ("said", "field", "code"),
    [
        ({"tenant": "other"}, "tenant", "tenant_forbidden"),
        ({"type": "mail"}, "type", "kind_forbidden"),
        ({"type": "nobody knows it"}, "type", "kind_forbidden"),
        ({"queue": "post"}, "queue", "queue_forbidden"),
        ({"priority": "high"}, "priority", "priority_forbidden"),
        ({"priority": 11}, "priority", "priority_forbidden"),
    ],
)
def test_a_submission_outside_the_scope_is_refused_by_its_field(
    memory: Asking, said: dict[str, Any], field: str, code: str
) -> None:
    told = memory(NARROW, "enqueue", {"type": "sum", **said})
    assert (told.status, told["field"], told["pointer"], told["code"]) == (403, field, f"/{field}", code)
    [item] = memory(NARROW, "enqueue_many", {"jobs": [{"type": "sum", **said}]})["jobs"]
    assert (item["status"], item["problem"]["code"]) == (403, code)


def test_the_defaults_of_a_kind_are_held_to_the_scope_too(memory: Asking) -> None:
    memory(ADMIN, "set_kind", {"priority": "critical", "queue": "secret"}, name="loud")
    assert memory(PRODUCER, "enqueue", {"type": "loud"})["field"] == "priority"
    told = memory(principal("producer", "q", queues=["default"]), "enqueue", {"type": "loud", "priority": "low"})
    assert (told.status, told["field"]) == (403, "queue")


def test_an_unknown_kind_is_refused_by_the_word_of_the_edge(memory: Asking) -> None:
    told = memory(PRODUCER, "enqueue", {"type": "nobody knows it"})
    assert (told.status, told["code"], told["field"], told["pointer"]) == (422, "unknown_kind", "type", "/type")
    assert "PUT /kinds/{name}" in told["hint"]


def test_the_only_tenant_of_a_scope_need_not_be_said(memory: Asking) -> None:
    assert memory(NARROW, "enqueue", {"type": "sum"})["tenant"] == "acme"
    several = principal("producer", "s", tenants=["a", "b"])
    assert memory(several, "enqueue", {"type": "sum"})["field"] == "tenant"


@pytest.mark.parametrize("outside", [{"tenant": "other"}, {"type": "mail"}, {"queue": "post"}])
@pytest.mark.parametrize("name", ["show_job", "list_attempts", "cancel"])
def test_a_job_outside_the_scope_is_not_there(memory: Asking, name: str, outside: dict[str, Any]) -> None:
    job = enqueued(memory, **outside)
    hidden = memory(NARROW, name, id=job["id"])
    missing = memory(NARROW, name, id="0190a000-0000-7000-8000-000000000000")
    assert hidden == missing
    assert hidden.status == 404
    assert memory(NARROW, "list_jobs")["jobs"] == []
    assert memory(NARROW_WORKER, "complete", {"lease_token": "a.b"}, id=job["id"]).status == 404
    assert memory(NARROW_WORKER, "heartbeat", {"lease_token": "a.b"}, id=job["id"]).status == 404


def test_a_list_outside_the_scope_is_refused(memory: Asking) -> None:
    assert memory(NARROW, "list_jobs", query={"tenant": "other"})["field"] == "tenant"
    assert memory(NARROW, "list_jobs", query={"type": "mail"})["field"] == "type"
    assert memory(NARROW, "list_jobs", query={"queue": "post"})["field"] == "queue"


def test_a_key_that_met_a_job_outside_the_queues_tells_its_id_alone(memory: Asking) -> None:
    job = enqueued(memory, queue="post", idempotency_key="k")
    met = memory(NARROW, "enqueue", {"type": "sum", "idempotency_key": "k"})
    assert (met.status, met.body) == (200, {"id": job["id"], "created": False})
    [item] = memory(NARROW, "enqueue_many", {"jobs": [{"type": "sum", "idempotency_key": "k"}]})["jobs"]
    assert (item["status"], item["id"], item["job"]) == (200, job["id"], None)


def test_a_clash_with_a_job_outside_the_queues_names_no_job(memory: Asking) -> None:
    job = enqueued(memory, queue="post", idempotency_key="k")
    clash = {"type": "sum", "idempotency_key": "k", "payload": {"n": 2}}
    told = memory(NARROW, "enqueue", clash)
    assert (told.status, told["code"]) == (409, "idempotency_key_reused")
    assert job["id"] not in str(told.body)
    batch = memory(NARROW, "enqueue_many", {"jobs": [clash]})
    assert batch["jobs"][0]["status"] == 409
    assert job["id"] not in str(batch.body)


def test_the_same_key_of_two_tenants_is_two_jobs(memory: Asking) -> None:
    said = {"type": "sum", "idempotency_key": "k"}
    mine = memory(NARROW, "enqueue", {**said, "payload": {"n": 1}})
    theirs = memory(principal("producer", "o", tenants=["other"]), "enqueue", {**said, "payload": {"n": 2}})
    assert (mine.status, theirs.status) == (201, 201)


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"types": ["sum", "mail"]}, "types[1]"),
        ({"types": ["nobody knows it"]}, "types[0]"),
        ({"versions": {"mail": [1]}}, "versions.mail"),
        ({"queues": ["default", "post"]}, "queues[1]"),
        ({"worker_id": "somebody else"}, "worker_id"),
    ],
)
def test_a_claim_outside_the_scope_is_refused_by_its_field(memory: Asking, said: dict[str, Any], field: str) -> None:
    told = memory(NARROW_WORKER, "claim", said)
    assert (told.status, told["field"]) == (403, field)


@pytest.mark.parametrize("outside", [{"tenant": "other"}, {"type": "mail", "queue": "default"}, {"queue": "post"}])
def test_a_claim_takes_nothing_outside_the_scope(memory: Asking, outside: dict[str, Any]) -> None:
    enqueued(memory, **outside)
    assert memory(NARROW_WORKER, "claim").status == 204
    inside = enqueued(memory)
    assert memory(NARROW_WORKER, "claim")["id"] == inside["id"]


def test_a_worker_name_in_the_body_must_be_the_credentials_own(memory: Asking) -> None:
    enqueued(memory)
    job = memory(WORKER, "claim", {"worker_id": "w1"})
    assert job["worker_id"] == "w1"
    for verb, more in (("heartbeat", {}), ("complete", {}), ("fail", {}), ("release", {}), ("snooze", {"delay": 1})):
        told = memory(WORKER, verb, {"lease_token": job["lease_token"], "worker_id": "w9", **more}, id=job["id"])
        assert (told.status, told["code"]) == (403, "worker_id_forbidden")
    assert memory(VIEWER, "show_job", id=job["id"])["status"] == "running"


def test_each_role_sees_what_is_meant_for_it(memory: Asking) -> None:
    enqueued(memory, payload={"n": 1})
    job = memory(WORKER, "claim", {"holder": {"host": "h1"}})
    body = {"lease_token": job["lease_token"], "error": "at /srv/app/x.py", "traceback": "tb", "progress": 5}
    memory(WORKER, "fail", body, id=job["id"])
    details = {"payload", "result", "progress", "error", "idempotency_key"}
    assert not details & memory(VIEWER, "show_job", id=job["id"]).body.keys()
    assert memory(PRODUCER, "show_job", id=job["id"]).body.keys() >= details
    [plain] = memory(VIEWER, "list_attempts", id=job["id"])["attempts"]
    [own] = memory(WORKER, "list_attempts", id=job["id"])["attempts"]
    [whole] = memory(ADMIN, "list_attempts", id=job["id"])["attempts"]
    assert not {"error", "traceback", "holder", "progress"} & plain.keys()
    assert (own["error"], own["progress"]) == ("at …", 5)
    assert not {"traceback", "holder"} & own.keys()
    assert (whole["traceback"], whole["holder"]) == ("tb", {"host": "h1"})


@pytest.mark.parametrize("verb", ["pause", "resume"])
@pytest.mark.parametrize(
    ("subject", "own", "others"),
    [
        ("queue", {"queues": ["a"]}, ({"queues": ["b"]}, {"tenants": ["t"]}, {"kinds": ["k"]})),
        ("kind", {"kinds": ["a"]}, ({"kinds": ["b"]}, {"tenants": ["t"]}, {"queues": ["q"]})),
        ("tenant", {"tenants": ["a"]}, ({"tenants": ["b"]}, {"kinds": ["k"]}, {"queues": ["q"]})),
    ],
)
def test_who_pauses_has_the_whole_of_it(
    memory: Asking, verb: str, subject: str, own: dict[str, Any], others: tuple[dict[str, Any], ...]
) -> None:
    name = f"{verb}_{subject}"
    assert memory(principal("operator", **own), name, {}, name="a").status == 200
    for scope in others:
        told = memory(principal("operator", **{**own, **scope}), name, {}, name="a")
        assert told.status == 403, scope


def test_a_pause_is_shown_to_whoever_sees_what_it_holds(memory: Asking) -> None:
    memory(ADMIN, "enqueue", {"type": "sum", "queue": "mail"})
    memory(ADMIN, "pause_queue", {"why": "the relay is down"}, name="mail")
    memory(ADMIN, "pause_queue", {}, name="other")
    whole = {one["name"]: one["pause"] for one in memory(ADMIN, "list_queues")["queues"]}
    assert (whole["mail"]["who"], whole["mail"]["why"]) == ("admin", "the relay is down")
    assert whole["other"] is not None
    (seen,) = memory(principal("viewer", tenants=["default"]), "list_queues")["queues"]
    assert (seen["name"], seen["pause"].keys()) == ("mail", {"at"})
    memory(ADMIN, "pause_kind", {}, name="sum")
    assert memory(VIEWER, "show_kind", name="sum")["pause"].keys() == {"at"}


def test_what_is_paused_and_holds_nothing_comes_in_the_pages_too(memory: Asking) -> None:
    for name in "bdf":
        memory(ADMIN, "pause_queue", {}, name=name)
    memory(ADMIN, "enqueue_many", {"jobs": [{"type": "sum", "queue": queue} for queue in "acdg"]})
    names, cursor = [], None
    while True:
        page = memory(ADMIN, "list_queues", query={"limit": 2, "cursor": cursor} if cursor else {"limit": 2})
        names += [one["name"] for one in page["queues"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert names == list("abcdfg")


def test_a_parameter_of_the_path_or_the_query_has_no_pointer_into_a_body(memory: Asking) -> None:
    worker = principal("worker", "node", kinds=["resize"])
    refusals = [
        memory(NARROW, "list_jobs", query={"tenant": "other"}),
        memory(ADMIN, "list_jobs", query={"cursor": "no uuid"}),
        memory(principal("operator", tenants=["a"]), "clear_slowdown", query={"tenant": "b"}, name="sum"),
        memory(worker, "set_kind", {}, name="mail"),
        memory(WORKER, "set_kind", {}, name="resize"),
    ]
    assert [told["field"] for told in refusals] == ["tenant", "cursor", "tenant", "type", "name"]
    assert all("pointer" not in told.body for told in refusals)


def test_what_is_refused_inside_of_a_call_is_named_by_its_place_there(memory: Asking) -> None:
    claim = {"reports": [], "claim": {"types": ["sum", "nobody knows it"]}}
    assert memory(WORKER, "reports", claim)["pointer"] == "/claim/types/1"
    report = {"verb": "complete", "id": NO_JOB, "lease_token": "a.b", "worker_id": "other"}
    assert memory(WORKER, "reports", {"reports": [report]})["pointer"] == "/reports/0/worker_id"
    beat = {"id": NO_JOB, "lease_token": "a.b", "worker_id": "other"}
    assert memory(WORKER, "heartbeats", {"beats": [beat]})["pointer"] == "/beats/0/worker_id"


def test_a_member_with_a_dot_in_its_name_is_pointed_at_as_it_is(memory: Asking) -> None:
    told = memory(PRODUCER, "enqueue", {"type": "mail", "payload": {"to": {"a.b": 1}}})
    assert told["pointer"] == "/payload/to"
    told = memory(PRODUCER, "enqueue", {"type": "sum", "payload": {"a.b": {"c[0]": "\ud800"}}})
    assert (told["field"], told["pointer"]) == ('payload["a.b"]["c[0]"]', "/payload/a.b/c[0]")
