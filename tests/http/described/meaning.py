"""What a schema cannot say and a caller knows, for schemathesis: which kinds there are, that a deadline lies ahead,
whose lease it is. Only what was drawn to be valid is changed; what was drawn to be wrong goes out as it is.
"""

import os
from typing import Any, Final

import httpx2
import schemathesis
from schemathesis import Case, HookContext

URL: Final = os.environ.get("DESCRIBED_URL", "")
KEY: Final = os.environ.get("DESCRIBED_KEY", "")
KIND: Final = "mail"
AHEAD: Final = "2126-01-01T00:00:00Z"
PAST: Final = "2020-01-01T00:00:00Z"
SHORT: Final = 0.01
_INSTANTS: Final = ("run_at", "deadline", "expires_at")
_NARROWING: Final = ("type", "tenant", "queue", "code", "tag", "version")
_LEASED: Final = frozenset({
    "heartbeat", "complete", "fail", "release", "snooze", "begin_effect", "finish_effect", "save_checkpoint",
})  # fmt: skip

_client = httpx2.Client(base_url=URL, headers={"authorization": f"Bearer {KEY}"}, timeout=30, trust_env=False)
_own_id: list[str] = []


@schemathesis.hook
def before_call(context: HookContext, case: Case[Any], **kwargs: Any) -> None:
    del context, kwargs
    name = case.operation.definition.raw["operationId"]
    if name == "revoke_key" and (case.path_parameters or {}).get("id") == _id_of_this_key():
        case.path_parameters = {"id": "0190a000-0000-7000-8000-000000000000"}
    if case.meta is None or case.meta.generation.mode.is_negative:
        _hasten(case.body)
        return
    body = case.body
    if not isinstance(body, dict):
        return
    case.body = _meant(name, dict(body))
    if name in _LEASED:
        _lease(case)
    if name == "supersede":
        _older_and_newer(case)


def _meant(name: str, body: dict[str, Any]) -> dict[str, Any]:
    for instant in _INSTANTS:
        if body.get(instant) is not None:
            body[instant] = AHEAD
    if name == "enqueue":
        body["type"] = KIND
        if body.get("run_at") is not None:
            body.pop("delay", None)
        if body.get("deadline") is not None:
            body.pop("run_at", None)
            body.pop("delay", None)
        if any(body.get(name) is not None for name in ("supersede", "supersession_key", "debounce", "max_wait")):
            body.pop("order_key", None)
        if body.get("order_key") is None:
            body.pop("on_failure", None)
    if name in ("enqueue", "set_kind"):
        _superseding(body, "supersession_key" if name == "enqueue" else "supersede_by")
    if name == "set_limit":
        _of_one_place(body)
    if name == "set_capacity" and body.get("tenant") is None:
        body["queue"] = "described"
    if name == "enqueue_many":
        body["jobs"] = body["jobs"][:20]
    if name in ("claim", "reports"):
        claim = body if name == "claim" else body.get("claim")
        if isinstance(claim, dict):
            _known(claim)
    if name == "heartbeats":
        body["beats"] = list({str(beat["id"]).lower(): beat for beat in body["beats"]}.values())
    if name == "settle_effect" and body.get("state") == "absent":
        body.pop("result", None)
    if name == "begin_effect" and body.get("answered") is not None and body.get("asked_of") is None:
        body["asked_of"] = "an earlier call"
    if name == "set_schedule":
        _rule_that_occurs(body)
    if name == "backfill_schedule":
        body["since"] = body["until"] = PAST
    if name == "cancel_many" and all(body.get(member) is None for member in _NARROWING):
        body["type"] = KIND
    _hasten(body)
    return body


def _superseding(body: dict[str, Any], key: str) -> None:
    """A debounce says of what, and waits no longer than its longest wait; it has no time of its own."""
    if body.get("debounce") is None:
        body.pop("max_wait", None)
    else:
        body.pop("run_at", None)
        body.pop("delay", None)
        if body.get("max_wait") is not None:
            body["max_wait"] = max(body["max_wait"], body["debounce"])
    if key == "supersede_by":
        if body.get(key) is None:
            body.pop("debounce", None)
            body.pop("max_wait", None)
    elif body.get("supersede") is not None or body.get("debounce") is not None:
        body[key] = body.get(key) or "described"


def _of_one_place(body: dict[str, Any]) -> None:
    others = ("type", "tenant", "queue") if body.get("resource") is not None else ("type", "tenant")
    if body.get("resource") is not None or body.get("queue") is not None:
        for member in others:
            body.pop(member, None)


def _rule_that_occurs(body: dict[str, Any]) -> None:
    """Of a kind that is there, with one form of rule; the slot goes where the payload has nothing."""
    for member in ("every", "rrule", "dates", "starts_at"):
        body.pop(member, None)
    body |= {"type": KIND, "cron": "0 9 1 * *", "tz": "Europe/Amsterdam"}
    if body.get("occurrence_as") in (body.get("payload") or {}):
        body.pop("occurrence_as")


def _known(claim: dict[str, Any]) -> None:
    """The kinds of a claim are there, and its name is the credential's."""
    if claim.get("types") is not None:
        claim["types"] = [KIND]
    if claim.get("versions") is not None:
        claim["versions"] = {KIND: [1]}
    claim.pop("worker_id", None)


def _hasten(body: Any) -> None:
    """Nobody waits half a minute for work in a test."""
    if isinstance(body, dict) and type(body.get("wait")) in (int, float) and SHORT < body["wait"] <= 30:
        body["wait"] = SHORT


def _lease(case: Case[Any]) -> None:
    """A running job, and its token; not while a failure that was drawn has slowed the kind down."""
    made = _client.post("/jobs", json={"type": KIND, "priority": "critical"})
    assert made.status_code == 201, made.text
    held = _client.post("/jobs/claim", json={})
    if held.status_code == 204:
        return
    job = held.json()
    assert isinstance(case.body, dict)
    case.path_parameters = {**(case.path_parameters or {}), "id": job["id"]}
    case.body["lease_token"] = job["lease_token"]
    case.body.pop("worker_id", None)


def _older_and_newer(case: Case[Any]) -> None:
    """A job that waits, and one that was enqueued after it."""
    made = [_client.post("/jobs", json={"type": KIND, "delay": 3600}) for _ in range(2)]
    assert [one.status_code for one in made] == [201, 201]
    assert isinstance(case.body, dict)
    case.path_parameters = {**(case.path_parameters or {}), "id": made[0].json()["id"]}
    case.body["newer"] = made[1].json()["id"]


def _id_of_this_key() -> str:
    if not _own_id:
        keys = _client.get("/keys").json()["keys"]
        _own_id.append(next(key["id"] for key in keys if key["name"] == "described"))
    return _own_id[0]
