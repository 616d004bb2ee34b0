"""The audit, page by page: to each what concerns its tenants, kinds and queues, and what concerns all of them to who has
them all."""

from tenure.edge.answers import Audit, AuditBody
from tenure.http.call import Call, Reply
from tenure.http.handlers.finding import within
from tenure.http.service import Service


async def list_audit(service: Service, call: Call) -> Reply:
    limit: int = call.query.limit
    lines = await service.run(service.verbs.audit_lines(limit + 1, call.query.cursor, within(call.principal)))
    shown = lines[:limit]
    told = [
        AuditBody(
            seq=line.seq, at=line.at, who=line.who, verb=line.verb, subject=line.subject, tenant=line.tenant,
            kind=line.kind, queue=line.queue, why=line.why, detail=line.detail,
        )
        for line in shown
    ]  # fmt: skip
    return Reply(body=Audit(lines=told, next=shown[-1].seq if len(lines) > limit else None))
