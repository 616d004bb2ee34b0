"""How a worker's report stands: does it come from the owner, is it a repeat, or is it late?"""

from datetime import datetime

from tenure.core.attempt import Attempt, LateReport
from tenure.core.job import Job
from tenure.core.lease import hash_token
from tenure.core.reports import Answer, Failure, Release, Report, Standing
from tenure.core.states import State
from tenure.core.transitions import Transition


def owns(job: Job | None, report: Report) -> bool:
    """Whether the report's token is the one under which the job runs now. An expired lease that nobody has swept
    still counts: the token stands until a sweep takes it."""
    return job is not None and job.state is State.RUNNING and job.lease_token == report.token


def of_applied(transition: Transition) -> Answer:
    """The answer to a report whose transition was applied."""
    after, attempt = transition.after, transition.attempt
    outcome = attempt.outcome if attempt else None
    return Answer(after.id, Standing.DONE, after.state, outcome, after.end_code)


def of_other(job: Job | None, report: Report, ended: Attempt | None) -> Answer:
    """The answer to a report that does not come from the owner.

    ended: the attempt of history whose token hash matches the report's, if there is one.
    """
    if job is None:
        return Answer(report.job_id, Standing.UNKNOWN)
    if ended is not None and ended.ended_by is report.verb:
        return Answer(job.id, Standing.REPEATED, job.state, ended.outcome, job.end_code)
    return Answer(job.id, Standing.STALE, job.state)


def late_report(report: Report, ended: Attempt | None, now: datetime) -> LateReport | None:
    """What to note on the ended attempt; None when it is a repeat, unknown, or has its note already."""
    if ended is None or ended.ended_by is report.verb or ended.late_report is not None:
        return None
    code = report.code if isinstance(report, (Failure, Release)) else None
    return LateReport(report.verb.value, now, code)


def matching(attempts: list[Attempt], report: Report) -> Attempt | None:
    """The attempt of history that ran under the report's token."""
    token_hash = hash_token(report.token)
    return next((a for a in attempts if a.token_hash == token_hash), None)
