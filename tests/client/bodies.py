"""Bodies as the service answers them, with what a test says in place of what nobody asks about."""

from typing import Any

ID = "0190a000-0000-7000-8000-000000000001"
AT = "2026-05-31T18:00:00Z"


def job(**said: Any) -> dict[str, Any]:
    return {
        "id": ID, "type": "greet", "kind": "greet", "version": 1, "tenant": "default", "queue": "default",
        "priority": "low", "status": "pending", "state": "ready", "tags": [], "trace": None, "attempt": 0,
        "max_retries": 3, "retry_count": 0, "timeout": 3600.0, "created_at": AT, "updated_at": AT, "run_at": AT,
        "deadline": None, "ended_at": None, "claimed_at": None, "worker_id": None, "lease_expires_at": None,
        "cancel_requested_at": None, "first_error_code": None, "error_code": None, "end_code": None,
        "superseded_by": None, "payload": {}, "result": None, "progress": None, **said,
    }  # fmt: skip


def enqueued(**said: Any) -> dict[str, Any]:
    return job(created=True, **said)


def claimed(**said: Any) -> dict[str, Any]:
    lease: dict[str, Any] = {
        "status": "running", "state": "running", "attempt": 1, "claimed_at": AT, "worker_id": "w1",
        "lease_expires_at": "2026-05-31T18:01:00Z", "lease_token": "token.mac", "fencing_token": 7,
        "lease_seconds": 60.0, "must_end_at": "2026-05-31T19:00:00Z", "tries_left": 4,
    }  # fmt: skip
    return job(**(lease | said))


def reported(**said: Any) -> dict[str, Any]:
    return job(**({"repeated": False, "outcome": "succeeded", "state": "succeeded", "status": "completed"} | said))


def attempt(**said: Any) -> dict[str, Any]:
    return {
        "number": 1, "fencing_token": 7, "worker_id": "w1", "version": 1, "ran_version": 1, "started_at": AT,
        "heartbeat_at": None, "lease_lost_at": None, "ended_at": AT, "ended_by": "complete", "outcome": "succeeded",
        "begun": True, "error_class": None, "error_code": None, "after_cancel": False, "after_deadline": False,
        "late_report": None, **said,
    }  # fmt: skip


def effect(**said: Any) -> dict[str, Any]:
    return {
        "name": "charge", "state": "pending", "attempt": 1, "fencing_token": 7, "request_id": "r1", "calls": 1,
        "started_at": AT, "call_ends_by": AT, "updated_at": AT, "settled_at": None, "settled_by": None,
        "error_code": None, "key": f"{ID}:charge", "shared_key": None, "result": None, "error": None, **said,
    }  # fmt: skip


def checkpoint(**said: Any) -> dict[str, Any]:
    return {"name": "next", "attempt": 1, "fencing_token": 7, "saved_at": AT, "value": {"n": 47}, **said}


def kind(**said: Any) -> dict[str, Any]:
    return {
        "name": "greet", "versions": [1], "schema": None, "queue": "default", "max_retries": 3, "timeout": 3600.0,
        "concurrency": None, "priority": "low", "backoff": [1.0, 3600.0], "progress_timeout": None, "effects": [],
        "slowdowns": [], **said,
    }  # fmt: skip


def key(**said: Any) -> dict[str, Any]:
    return {
        "id": ID, "name": "web", "role": "producer", "tenants": ["default"], "kinds": None, "queues": None,
        "max_priority": "medium", "created_at": AT, "created_by": "admin", "expires_at": None, "revoked_at": None,
        **said,
    }  # fmt: skip
