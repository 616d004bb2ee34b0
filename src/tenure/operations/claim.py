"""Claim: take jobs under fresh leases."""

from tenure.core.lease import Claimed, ClaimRequest
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


def claim(verbs: Verbs, request: ClaimRequest, *, repeat: bool = False) -> Script[Claimed]:
    """Fresh leases for `request`.

    repeat: the caller is not sure whether this claim_id was served: answer the live leases that it holds, if
    there are any, and claim afresh only when there are none.
    """
    if repeat:
        held = yield from verbs.leases(request.claim_id, request.worker)
        if held:
            return Claimed((yield from verbs.now()), tuple(held), dict(request.after))
    return (yield from verbs.claim(request))
