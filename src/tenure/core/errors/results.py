"""What became of a job, where that is no result."""

from tenure.core.errors.base import TenureError


class ResultError(TenureError):
    """What a job's handle raises where it has nothing to answer; `code` says why."""

    code = "result_error"


class JobFailed(ResultError):
    """The job has ended failed."""

    code = "job_failed"
    hint = "`tenure jobs show` prints its attempts."


class JobCancelled(ResultError):
    """The job has ended cancelled."""

    code = "job_cancelled"


class ResultTimeout(ResultError):
    """The job had not ended when the time to wait for it was over."""

    code = "result_timeout"
    hint = "The job goes on; ask again later, or with a longer timeout."
