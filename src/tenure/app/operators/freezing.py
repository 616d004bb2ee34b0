"""A redrive that is started by somebody who waits until its selection is frozen."""

import time

from tenure.core.redriving.redrive import Redrive, RedriveState
from tenure.operations.advance_redrive import Advanced, advance_redrive
from tenure.stores.protocol import Store


def whole(store: Store, redrive: Redrive) -> Redrive:
    """Freezes what is left of the selection, page by page; redrivers may do so at the same time. Raises StoreError."""
    while redrive.state is RedriveState.FREEZING:
        redrive = _seen(store, store.run(advance_redrive(store.verbs, redrive.id)), redrive)
    return redrive


async def awhole(store: Store, redrive: Redrive, seconds: float | None = None) -> Redrive:
    """The async twin of `whole`. seconds: after which the rest is left to the redrivers; None is never."""
    end = None if seconds is None else time.monotonic() + seconds
    while redrive.state is RedriveState.FREEZING and (end is None or time.monotonic() < end):
        redrive = _seen(store, await store.arun(advance_redrive(store.verbs, redrive.id)), redrive)
    return redrive


def _seen(store: Store, step: Advanced, before: Redrive) -> Redrive:
    """What the step left. A redriver may have been quicker, so that the step has sent jobs already."""
    if step.queues:
        store.announce(step.queues)
    return before if step.redrive is None else step.redrive
