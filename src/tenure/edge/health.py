"""Whether the service is well, on the wire."""

from tenure.edge.body import Answer


class Health(Answer, frozen=True, kw_only=True):
    """ready: whether the database answers, takes writes and fits; troubles: what stands in the way."""

    ready: bool
    troubles: list[str]


class Alive(Answer, frozen=True, kw_only=True):
    alive: bool
