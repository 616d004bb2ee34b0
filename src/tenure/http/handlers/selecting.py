"""Which jobs a request means: what it says, within the scope of who asks. Checked before any lookup."""

from msgspec.structs import replace

from tenure.core import access, job_filter
from tenure.core.errors import InvalidInput
from tenure.core.job_filter import JobFilter
from tenure.core.principal import Principal
from tenure.edge import redrive_requests, words


def selected(principal: Principal, said: redrive_requests.Selection) -> JobFilter:
    """Raises Forbidden for what lies outside the scope, InvalidInput naming the member."""
    allowed = access.within(principal.scope, tenant=said.tenant, kind=said.type, queue=said.queue)
    which = replace(as_said(said), tenants=allowed.tenants, kinds=allowed.kinds, queues=allowed.queues)
    try:
        return job_filter.checked(which)
    except InvalidInput as error:
        raise words.spoken(error) from error


def as_said(said: redrive_requests.Selection) -> JobFilter:
    """What the request names by itself, whatever the scope."""
    ids = getattr(said, "ids", None)
    return JobFilter(
        tenants=_only(said.tenant),
        kinds=_only(said.type),
        queues=_only(said.queue),
        code=said.code,
        tag=said.tag,
        order_key=said.order_key,
        version=said.version,
        ids=None if ids is None else tuple(ids),
        since=getattr(said, "since", None),
        until=getattr(said, "until", None),
    )


def _only(name: str | None) -> tuple[str, ...] | None:
    return None if name is None else (name,)
