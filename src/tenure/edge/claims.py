"""Claims on the wire."""

from typing import Annotated

from msgspec import Meta

from tenure.core import defaults
from tenure.edge.body import Answer
from tenure.edge.jobs import ClaimedBody
from tenure.edge.requests import Body
from tenure.edge.scalars import Key, Name, Version

LONGEST_POLL = 30.0
MOST_CLAIMED = 1000
MOST_SLOTS = 1_000_000
MOST_QUEUES = 100
LEASE_RANGE = (1.0, 3600.0)


class Holder(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the attempt runs, for people."""

    host: Annotated[str, Meta(max_length=200)] = ""
    process: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 0
    code_version: Annotated[str, Meta(max_length=200)] = ""


class Claim(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the worker can take.

    claim_id: makes the claim repeatable: the same id answers the same live leases. types: kinds; left out, all of the
    scope. versions: of a type, the handler versions that the worker runs; left out, all that are declared. queues:
    they take turns; left out, those of the types and the default one. limit: answers a list of jobs that take at most
    so many slots; with 0 of the leases that this claim_id holds already, and takes nothing. slots: those of the whole
    worker, where they are more. wait: seconds to wait for work.
    """

    claim_id: Key | None = None
    worker_id: Name | None = None
    types: Annotated[list[Name], Meta(min_length=1, max_length=1000)] | None = None
    versions: dict[Name, Annotated[list[Version], Meta(min_length=1, max_length=1000)]] | None = None
    queues: Annotated[list[Name], Meta(min_length=1, max_length=MOST_QUEUES)] | None = None
    limit: Annotated[int, Meta(ge=0, le=MOST_CLAIMED)] | None = None
    slots: Annotated[int, Meta(ge=1, le=MOST_SLOTS)] | None = None
    wait: Annotated[float, Meta(ge=0, le=LONGEST_POLL)] = 0.0
    lease_seconds: Annotated[float, Meta(ge=LEASE_RANGE[0], le=LEASE_RANGE[1])] = defaults.LEASE
    holder: Holder | None = None


class ClaimedJobs(Answer, frozen=True, kw_only=True):
    """held_back: whether a limit keeps more from being taken. waits_for: slots that the worker must have free for the
    job whose turn it is; 0 where none waits for it."""

    claim_id: str
    jobs: list[ClaimedBody]
    held_back: bool = False
    waits_for: int = 0
