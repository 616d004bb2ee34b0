"""Where a rule stands: what is said of all jobs of the store, of a queue, a kind, a tenant, a kind of one tenant, or of
all kinds that use one resource."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from tenure.core import fields
from tenure.core.errors import InvalidInput
from tenure.core.flow.pause import Subject


class Place(NamedTuple):
    """Of a rule; a blank is every one."""

    queue: str = ""
    kind: str = ""
    tenant: str = ""
    resource: str = ""


_LIMITED = "a limit is of a queue, a kind, a tenant, a kind of one tenant, or a resource"


EVERY_QUEUE: Final = ""
"""In the place of a queue's name in a hint: there may be work in any."""


def place_of(subject: Subject, name: str) -> Place:
    return Place(**{subject: name})


def places(queue: str, kind: str, tenant: str, uses: Iterable[str] = ()) -> tuple[Place, ...]:
    """Of all rules that a job can have, the widest first. uses: the resources of its kind."""
    own = Place(), Place(queue=queue), Place(kind=kind), Place(tenant=tenant), Place(kind=kind, tenant=tenant)
    return own + tuple(Place(resource=name) for name in uses) if uses else own


def checked(place: Place) -> Place:
    """As a limit may stand there. Raises InvalidInput."""
    for name, value in ("queue", place.queue), ("resource", place.resource):
        if value and sum(map(bool, place)) > 1:
            raise InvalidInput(name, f"stands alone: {_LIMITED}")
    for name, value in place._asdict().items():
        if value != "":
            fields.name(name, value)
    return place


def words_of(place: Place) -> str:
    said = [f"{name} {value}" for name, value in place._asdict().items() if value]
    return " of ".join(said) or "store"
