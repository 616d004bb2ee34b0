"""No verb carries a document past the layer that seals: what takes or answers a row that holds one is named there."""

import inspect
import typing

from tenure.core.claim import Claimed
from tenure.core.flow.newer_job import NewerJob
from tenure.core.job import Job, NewJob
from tenure.core.lease import Lease
from tenure.core.ledger.checkpoint import Checkpoint
from tenure.core.ledger.effect import Effect
from tenure.core.reports import Completion
from tenure.core.scheduling.schedule import Schedule
from tenure.core.transitions import Transition
from tenure.stores.ledger import HeldEffect
from tenure.stores.protocol import Locked, Verbs
from tenure.stores.scheduling import HeldSchedule
from tenure.stores.sealing.verbs import SealingVerbs

HOLD_DOCUMENTS = {
    NewJob,
    NewerJob,
    Job,
    Lease,
    Claimed,
    Locked,
    Completion,
    Transition,
    Effect,
    HeldEffect,
    Checkpoint,
    Schedule,
    HeldSchedule,
}


def named(hint: object) -> set[object]:
    """The types that an annotation names, however deep."""
    return {hint}.union(*(named(part) for part in typing.get_args(hint)))


def carriers() -> set[str]:
    verbs = inspect.getmembers(Verbs, inspect.isfunction)
    return {
        name
        for name, verb in verbs
        if not name.startswith("_") and named(tuple[*typing.get_type_hints(verb).values()]) & HOLD_DOCUMENTS
    }


def test_every_verb_that_carries_a_document_seals_or_opens_it() -> None:
    found = carriers()
    assert len(found) > 15
    assert found - vars(SealingVerbs).keys() == set()


def test_what_the_layer_names_are_verbs() -> None:
    named_there = {name for name in vars(SealingVerbs) if not name.startswith("_")}
    assert named_there == carriers()
