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
        "superseded_by": None, "unrecoverable": False, "payload": {}, "result": None, "progress": None, **said,
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
        "name": "greet", "remedies": {}, "versions": [1], "schema": None, "queue": "default", "max_retries": 3, "timeout": 3600.0,
        "concurrency": None, "priority": "low", "backoff": [1.0, 3600.0], "progress_timeout": None, "payload_retention": None, "effects": [],
        "secret": [], "secret_result": [],
        "slowdowns": [], **said,
    }  # fmt: skip


def key(**said: Any) -> dict[str, Any]:
    return {
        "id": ID, "name": "web", "role": "producer", "tenants": ["default"], "kinds": None, "queues": None,
        "max_priority": "medium", "created_at": AT, "created_by": "admin", "expires_at": None, "revoked_at": None,
        **said,
    }  # fmt: skip


def redrive(**said: Any) -> dict[str, Any]:
    selection = dict.fromkeys(("types", "tenants", "queues", "code", "tag", "version", "ids", "since", "until"))
    return {
        "id": ID, "state": "running", "selection": selection, "total": 3, "waiting": 2, "redriven": 1, "succeeded": 0,
        "failed_again": 0, "left": 0, "canary": 1, "canary_open": 1, "pace": 10.0, "stop_share": 0.2, "stop_window": 50,
        "single_attempts": False, "stop_code": None, "stop_reason": None, "created_at": AT, "updated_at": AT,
        "ended_at": None, **said,
    }  # fmt: skip


def schedule(**said: Any) -> dict[str, Any]:
    unsaid = dict.fromkeys(
        ("occurrence_as", "every", "rrule", "dates", "starts_at", "next_at", "waiting_at", "flag", "paused_at",
         "declared_by")
    )  # fmt: skip
    return unsaid | {
        "id": ID, "tenant": "default", "name": "nightly", "type": "greet", "queue": "default", "priority": "low",
        "cron": "0 3 * * *", "tz": "UTC", "misfire": "latest", "misfire_cap": 100, "grace": 30.0, "overlap": "allow",
        "edition": 1, "created_at": AT, "created_by": "root", "updated_at": AT, **said,
    }  # fmt: skip


def frozen(**said: Any) -> dict[str, Any]:
    return {
        "place": 0, "id": ID, "tenant": "default", "type": "greet", "attempt": 1, "cause": "smtp_down",
        "is_canary": True, "state": "left", "reason": "gone", "code": None, "sent_at": AT, "settled_at": AT, **said,
    }  # fmt: skip


def failure(**said: Any) -> dict[str, Any]:
    met = {"id": ID, "at": AT, "code": "smtp_down", "error": "refused"}
    return {
        "type": "greet", "code": "smtp_down", "version": 1, "jobs": 2, "first": met, "last": met, "samples": [ID],
        "remedy": None, "unrecoverable_jobs": 0, **said,
    }  # fmt: skip
