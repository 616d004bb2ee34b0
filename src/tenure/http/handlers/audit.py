"""The audit, page by page: to each what concerns its tenants, kinds and queues, and what concerns all of them to who
has them all."""

from tenure.core import access
from tenure.edge.audit import Audit, AuditBody
from tenure.http.call import Call, Reply
from tenure.http.paging import page
from tenure.http.service import Service
from tenure.stores.reading import AuditEntry


async def list_audit(service: Service, call: Call) -> Reply:
    which = access.within(call.principal.scope)
    lines, following = await page(
        lambda before, most: service.run(service.verbs.audit_lines(most, before, which)),
        _body,
        lambda line: line.seq,
        call.query.cursor,
        call.query.limit,
    )
    return Reply(body=Audit(lines=lines, next=following))


def _body(line: AuditEntry) -> AuditBody:
    return AuditBody(
        seq=line.seq, at=line.at, who=line.who, verb=line.verb, subject=line.subject, tenant=line.tenant,
        kind=line.kind, queue=line.queue, why=line.why, detail=line.detail,
    )  # fmt: skip
