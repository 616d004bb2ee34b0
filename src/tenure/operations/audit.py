"""Lines of the audit: what somebody did by hand, and what it concerns."""

from tenure.core.job import Job
from tenure.core.redriving.redrive import Redrive
from tenure.core.scheduling.schedule import Schedule
from tenure.core.secrecy.cleaning import reason
from tenure.core.secrecy.credentials import Key
from tenure.stores.protocol import AuditLine


def of_job(job: Job, who: str, verb: str, why: str, detail: str = "") -> AuditLine:
    """It concerns those who may see the job. why: kept as far as it can be stored, up to 4 KiB."""
    return AuditLine(
        who=who,
        verb=verb,
        subject=f"job {job.id}",
        tenant=job.tenant,
        kind=job.kind,
        queue=job.queue,
        why=reason(why),
        detail=detail,
    )


def of_redrive(redrive: Redrive, who: str, verb: str, why: str = "", detail: str = "") -> AuditLine:
    """It concerns the one tenant, kind or queue of the selection; of one that names several, whoever has them all."""
    which = redrive.which
    return AuditLine(
        who=who,
        verb=verb,
        subject=f"redrive {redrive.id}",
        tenant=_only(which.tenants),
        kind=_only(which.kinds),
        queue=_only(which.queues),
        why=reason(why),
        detail=detail,
    )


def of_schedule(schedule: Schedule, who: str, verb: str, why: str = "", detail: str = "") -> AuditLine:
    """It concerns those who may see the schedule's jobs."""
    return AuditLine(
        who=who,
        verb=verb,
        subject=f"schedule {schedule.name}",
        tenant=schedule.tenant,
        kind=schedule.kind,
        queue=schedule.queue,
        why=reason(why),
        detail=detail,
    )


def of_key(key: Key, who: str, verb: str, why: str = "", detail: str = "") -> AuditLine:
    """It concerns the one tenant, kind or queue that the key opens; of a key that opens several, whoever has them
    all."""
    scope = key.scope
    return AuditLine(
        who=who,
        verb=verb,
        subject=f"key {key.id}",
        tenant=scope.only("tenants"),
        kind=scope.only("kinds"),
        queue=scope.only("queues"),
        why=reason(why),
        detail=detail,
    )


def _only(names: tuple[str, ...] | None) -> str | None:
    return names[0] if names is not None and len(names) == 1 else None
