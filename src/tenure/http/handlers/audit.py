"""The audit, page by page."""

from tenure.edge.answers import Audit, AuditBody
from tenure.http.call import Call, Reply
from tenure.http.service import Service


async def list_audit(service: Service, call: Call) -> Reply:
    limit: int = call.query.limit
    lines = await service.run(service.verbs.audit_lines(limit + 1, call.query.cursor))
    shown = lines[:limit]
    told = [
        AuditBody(
            seq=line.seq, at=line.at, who=line.who, verb=line.verb, subject=line.subject, why=line.why,
            detail=line.detail,
        )
        for line in shown
    ]  # fmt: skip
    return Reply(body=Audit(lines=told, next=shown[-1].seq if len(lines) > limit else None))
