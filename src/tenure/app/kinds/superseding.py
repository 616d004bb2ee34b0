"""Whose place a new job takes: what its task declares, held against its signature."""

from tenure.app.kinds.signature import Signature
from tenure.core.errors import Misconfigured
from tenure.core.job import Policy


def check_members(kind: str, policy: Policy, signature: Signature) -> None:
    """Raises Misconfigured for a name that is no parameter of the handler."""
    for name in policy.supersede_by or ():
        if name not in signature.names:
            raise Misconfigured(
                f"task {kind!r}: supersede_by: the handler has no parameter {name!r}",
                hint=f"Its parameters are {', '.join(signature.names) or 'none'}.",
            )
