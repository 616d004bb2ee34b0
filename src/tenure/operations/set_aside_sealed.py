"""Set aside what was claimed and cannot be opened, and the rest of the batch goes on: where the key is missing here the
job goes back for somebody who has it, where its document is damaged it fails."""

import msgspec

from tenure.core.attempt import ErrorClass
from tenure.core.claim import Claimed
from tenure.core.lease import Lease
from tenure.core.reports import Answer, Report, Unopened, failure
from tenure.core.secrecy import sealed
from tenure.core.secrecy.sealed import Refused
from tenure.operations.report import report
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


def set_aside_sealed(verbs: Verbs, claimed: Claimed) -> Script[Claimed]:
    """The claim without the jobs whose payload does not open here, which are told apart."""
    unopened = [lease for lease in claimed.leases if sealed.is_sealed(lease.payload)]
    if not unopened:
        return claimed
    answers = yield from report(verbs, [_report(lease) for lease in unopened])
    opened = tuple(lease for lease in claimed.leases if not sealed.is_sealed(lease.payload))
    refused = tuple(map(_refused, unopened, answers))
    return msgspec.structs.replace(claimed, leases=opened, unopened=refused)


def _report(lease: Lease) -> Report:
    text = lease.payload or ""
    code, reason = sealed.code_of(text), sealed.reason("the payload", text)
    if code == sealed.KEY_MISSING:
        return Unopened(job_id=lease.job_id, token=lease.token, code=code, error=reason)
    return failure(lease.job_id, lease.token, ErrorClass.TERMINAL, code, reason)


def _refused(lease: Lease, answer: Answer) -> Refused:
    text = lease.payload or ""
    return Refused(lease.job_id, sealed.key_id_of(text), sealed.code_of(text), answer.state)
