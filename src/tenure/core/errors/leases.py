"""Whose job it is."""

from tenure.core.errors.base import TenureError


class LeaseLost(TenureError):
    """This attempt may not own its job any more. Let it pass, so that the transaction around it rolls back."""

    code = "lease_lost"
    hint = "Stop: another attempt may own the job by now. Roll back what this one has not committed."


class StaleLease(TenureError):
    """The lease token is not the job's current one, or not the caller's. The job is as it was."""

    code = "stale_lease"
    hint = "Stop working on this job: another attempt may own it, or it has ended."
