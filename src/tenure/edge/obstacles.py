"""What keeps a job from starting, on the wire."""

from collections.abc import Collection, Sequence
from typing import Self

from tenure.core.access import has_whole
from tenure.core.flow.obstacles import Obstacle, seen
from tenure.core.job import Job
from tenure.core.principal import Action, Principal
from tenure.core.states import State
from tenure.edge.body import Answer
from tenure.edge.scalars import Id, Instant


class ObstacleBody(Answer, frozen=True, kw_only=True):
    """cause: paused, limit_full, slowed_down, not_declared, no_worker, needs_slots or blocked. holders: ids of some
    jobs that hold a limit, as far as they are in the scope."""

    cause: str
    what: str
    words: str
    since: Instant | None
    until: Instant | None
    who: str | None
    why: str | None
    holders: tuple[str, ...]


class Explained(Answer, frozen=True, kw_only=True):
    """obstacles: nothing where the job only waits for its time or its turn."""

    id: Id
    state: State
    obstacles: list[ObstacleBody]

    @classmethod
    def of(cls, job: Job, found: Sequence[Obstacle], holders: Collection[str], principal: Principal) -> Self:
        """holders: those that lie in the scope."""
        shows_who = principal.may(Action.READ_AUDIT)
        shown = [seen(one, holders, shows_who=shows_who, sees_all=_sees_all(one, holders, principal)) for one in found]
        bodies = [
            ObstacleBody(
                cause=one.cause, what=one.what, words=one.words, since=one.since, until=one.until, who=one.who,
                why=one.why, holders=one.holders,
            )
            for one in shown
        ]  # fmt: skip
        return cls(id=job.id, state=job.state, obstacles=bodies)


def _sees_all(one: Obstacle, holders: Collection[str], principal: Principal) -> bool:
    """How much runs under a limit, and may, is for whoever has all of it; how a job ended, for whoever sees the job."""
    if one.place is not None:
        return has_whole(principal.scope, one.place)
    return all(holder in holders for holder in one.holders)
