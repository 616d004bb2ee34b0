"""Claim: take jobs under fresh leases."""

from typing import Final

from tenure.core.claim import Claimed, ClaimRequest, Cursors
from tenure.core.lease import with_slots
from tenure.operations.set_aside_sealed import set_aside_sealed
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script

NOWHERE: Final = Cursors()
"""Where a claim starts that has not been anywhere yet."""


def claim(verbs: Verbs, request: ClaimRequest, *, repeat: bool = False) -> Script[Claimed]:
    """Fresh leases for `request`.

    repeat: the caller is not sure whether this claim_id was served: answer the live leases that it holds, if
    there are any, and claim afresh only when there are none.
    """
    if repeat:
        held = yield from claimed_before(verbs, request.claim_id, request.worker, request.cursors)
        if held is not None:
            return held
    return (yield from set_aside_sealed(verbs, (yield from verbs.claim(request))))


def claimed_before(verbs: Verbs, claim_id: str, worker: str, cursors: Cursors = NOWHERE) -> Script[Claimed | None]:
    """The live leases that the worker's claim holds; None where there are none. cursors: to hand back."""
    held = yield from verbs.leases(claim_id, worker)
    if not held:
        return None
    leases = with_slots(held, (yield from verbs.demands()))
    claimed = Claimed((yield from verbs.now()), leases, dict(cursors.after), dict(cursors.owed))
    return (yield from set_aside_sealed(verbs, claimed))
