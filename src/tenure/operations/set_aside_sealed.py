"""Set aside what was claimed and cannot be opened: the jobs fail with their own code, and the rest of the batch goes on."""

import msgspec

from tenure.core import sealed
from tenure.core.attempt import ErrorClass
from tenure.core.lease import Claimed, Lease
from tenure.core.reports import Failure, failure
from tenure.operations.report import report
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


def set_aside_sealed(verbs: Verbs, claimed: Claimed) -> Script[Claimed]:
    """The claim without the jobs whose payload is sealed with a key that is missing here, or does not open. They can be
    redriven once the key is there."""
    unopened = [lease for lease in claimed.leases if sealed.is_sealed(lease.payload)]
    if not unopened:
        return claimed
    yield from report(verbs, [_failure(lease) for lease in unopened])
    opened = tuple(lease for lease in claimed.leases if not sealed.is_sealed(lease.payload))
    return msgspec.structs.replace(claimed, leases=opened, set_aside=len(unopened))


def _failure(lease: Lease) -> Failure:
    text = lease.payload or ""
    reason = sealed.reason("the payload", text)
    return failure(lease.job_id, lease.token, ErrorClass.TERMINAL, sealed.code_of(text), reason)
