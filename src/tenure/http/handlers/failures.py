"""Dead letters by cause."""

from tenure.core.job_filter import JobFilter
from tenure.edge.redrives import FailureGroup, FailuresBody
from tenure.http.call import Call, Reply
from tenure.http.handlers.selecting import selected
from tenure.http.paging import fitting
from tenure.http.service import Service
from tenure.operations.failures import failures


async def list_failures(service: Service, call: Call) -> Reply:
    which: JobFilter = selected(call.principal, call.query)
    found = await service.run(failures(service.verbs, which))
    groups = [FailureGroup.of(group, call.principal) for group in found.groups]
    shown = fitting(groups, len(groups))
    at_least = found.at_least or len(shown) < len(groups)
    return Reply(body=FailuresBody(groups=shown, read=found.read, at_least=at_least))
