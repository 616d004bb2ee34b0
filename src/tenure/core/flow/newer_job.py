"""A new job that takes the place of older ones."""

from datetime import datetime

from tenure.core.job import NewJob


class NewerJob(NewJob, frozen=True, kw_only=True):
    """A NewJob with a supersession key. The other three are found by the enqueue itself (`core.flow.supersession`).

    superseded_by: the id of a later one of the same batch and key. What each column means, `Job` says.
    """

    supersession_key: str
    burst_at: datetime | None = None
    supersedes: str | None = None
    superseded_by: str | None = None

    def __repr__(self) -> str:
        return f"<NewerJob {self.id} {self.kind}>"
