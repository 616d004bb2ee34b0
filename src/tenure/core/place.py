"""Where a rule stands: what is said of all jobs of the store, of a queue, a kind, a tenant, or a kind of one tenant."""

from typing import NamedTuple

from tenure.core import fields
from tenure.core.errors import InvalidInput
from tenure.core.pause import Subject


class Place(NamedTuple):
    """Of a rule; a blank is every one."""

    queue: str = ""
    kind: str = ""
    tenant: str = ""


def place_of(subject: Subject, name: str) -> Place:
    return Place(**{subject: name})


def places(queue: str, kind: str, tenant: str) -> tuple[Place, ...]:
    """Of all rules that a job can have, the widest first."""
    return Place(), Place(queue=queue), Place(kind=kind), Place(tenant=tenant), Place(kind=kind, tenant=tenant)


def checked(place: Place) -> Place:
    """As a limit may stand there. Raises InvalidInput."""
    if place.queue and (place.kind or place.tenant):
        raise InvalidInput("queue", "stands alone: a limit is of a queue, a kind, a tenant, or a kind of one tenant")
    for name, value in place._asdict().items():
        if value != "":
            fields.name(name, value)
    return place


def words_of(place: Place) -> str:
    said = [f"{name} {value}" for name, value in place._asdict().items() if value]
    return " of ".join(said) or "store"
