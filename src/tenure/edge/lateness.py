"""How late things are, and objectives, on the wire."""

from typing import Annotated, Self

from msgspec import Meta

from tenure.core.fields import priority_label
from tenure.core.flow.lateness import SHARE, USUAL_SHARE, WITHIN, Lateness, Objective, Starved
from tenure.edge.body import Answer
from tenure.edge.requests import Why
from tenure.edge.scalars import Name


class SetObjective(Why, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """So large a share of the jobs of a queue is to start within so many seconds of when it was due. Without `within`
    the objective is taken away."""

    queue: Name
    within: Annotated[float, Meta(ge=WITHIN[0], le=WITHIN[1])] | None = None
    share: Annotated[float, Meta(ge=SHARE[0], le=SHARE[1])] = USUAL_SHARE


class ObjectiveBody(Answer, frozen=True, kw_only=True):
    """within: seconds. share: of the jobs, up to 1."""

    within: float
    share: float

    @classmethod
    def of(cls, said: Objective | None) -> Self | None:
        return None if said is None else cls(within=said.within, share=said.share)


class ObjectiveChanged(Answer, frozen=True, kw_only=True):
    """changed: whether it was otherwise before. objective: as it stands now, null where none does."""

    queue: str
    changed: bool
    objective: ObjectiveBody | None


class StarvedBody(Answer, frozen=True, kw_only=True):
    """Jobs that wait for over five minutes while others of their queue start, none of them among these. waited:
    seconds, of the first one."""

    priority: str
    tenant: str
    type: str
    waited: float

    @classmethod
    def of(cls, lane: Starved) -> Self:
        return cls(priority=priority_label(lane.priority), tenant=lane.tenant, type=lane.kind, waited=lane.waited)


class LatenessBody(Answer, frozen=True, kw_only=True):
    """Of a queue, in seconds, by what started in the last `span` seconds, ten minutes at most.

    waiting: jobs that wait, counted up to 100,000. drain_seconds: until these are worked off, null where nothing ran
    there lately. oldest: how long the first job that no pause holds has waited. median, most, worst: how late half of
    the jobs, 95 in 100 of them and all of them started at most. within: the share that kept to the objective; is_met:
    whether it is large enough. starved: the longest first, 100 at most.
    """

    queue: str
    waiting: int
    drain_seconds: float | None
    oldest: float | None
    span: float
    started: int
    median: float | None
    most: float | None
    worst: float | None
    objective: ObjectiveBody | None
    within: float | None
    is_met: bool | None
    starved: list[StarvedBody]

    @classmethod
    def of(cls, told: Lateness) -> Self:
        copied = {name: getattr(told, name) for name in cls.__struct_fields__ if name not in ("objective", "starved")}
        lanes = [StarvedBody.of(lane) for lane in told.starved[:MOST_STARVED]]
        return cls(**copied, objective=ObjectiveBody.of(told.objective), starved=lanes)


class AllLateness(Answer, frozen=True, kw_only=True):
    """By queue, 200 at most."""

    queues: list[LatenessBody]


MOST_STARVED = 100
