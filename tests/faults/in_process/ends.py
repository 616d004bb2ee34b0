"""One attempt that ends badly, and the worker that must live on."""

from typing import Any

from tenure.core.attempt import Attempt
from tenure.core.states import State
from tests.conformance.asking import Ask
from tests.engine.workshop import succeeding
from tests.faults.in_process.conftest import OpenWorkshop


def one_end(ask: Ask, workshop: OpenWorkshop, *handlers: Any) -> Attempt:
    """What is on record of the one attempt of `bad`; then the next job must run in the same worker."""
    shop = workshop(*handlers, succeeding(), slots=1)
    bad, good = ask.enqueued(handlers[0].kind, max_attempts=1), ask.enqueued()
    shop.work_off()
    assert ask.job(bad).state is State.FAILED
    assert ask.job(good).state is State.SUCCEEDED
    assert (len(shop.roster), shop.roster.leaked) == (0, 0)
    return ask.history(bad)[0]
