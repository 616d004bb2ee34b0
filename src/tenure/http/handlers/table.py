"""Which function answers which operation of `edge.operations.TABLE`."""

from typing import Final

from tenure.http.call import Handler
from tenure.http.handlers import audit, claims, effects, health, jobs, keys, kinds, lanes, reports

HANDLERS: Final[dict[str, Handler]] = {
    "enqueue": jobs.enqueue,
    "enqueue_many": jobs.enqueue_many,
    "claim": claims.claim,
    "heartbeats": reports.heartbeats,
    "reports": reports.reports,
    "list_jobs": jobs.list_jobs,
    "show_job": jobs.show_job,
    "list_attempts": jobs.list_attempts,
    "heartbeat": reports.heartbeat,
    "complete": reports.end,
    "fail": reports.end,
    "release": reports.end,
    "snooze": reports.end,
    "list_effects": effects.list_effects,
    "begin_effect": effects.begin,
    "finish_effect": effects.finish,
    "settle_effect": effects.settle,
    "list_checkpoints": effects.list_checkpoints,
    "save_checkpoint": effects.save,
    "cancel": jobs.cancel,
    "redrive": jobs.redrive,
    "list_kinds": kinds.list_kinds,
    "show_kind": kinds.show_kind,
    "set_kind": kinds.set_kind,
    "clear_slowdown": kinds.clear_slowdown,
    "list_queues": lanes.list_queues,
    "list_tenants": lanes.list_tenants,
    "list_workers": lanes.list_workers,
    "list_keys": keys.list_keys,
    "create_key": keys.create_key,
    "show_key": keys.show_key,
    "revoke_key": keys.revoke_key,
    "list_audit": audit.list_audit,
    "healthz": health.healthz,
    "readyz": health.readyz,
}
