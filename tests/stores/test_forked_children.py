"""A child that is forked while the threads of its parent are in the midst of something."""

import asyncio
import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

from tenure import Tenure
from tenure.app.submitting.judging import Judge
from tests.conformance.postgres_server import shared

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="forks"),
]

PATIENCE = 20
"""Seconds after which a child is taken to hang."""


@pytest.fixture
def app() -> Iterator[Tenure]:
    made = Tenure(shared().fresh_database())
    made.task(kind="mail")(mail)
    made.enqueue("mail")
    yield made
    made.close()


def mail() -> None:
    """A handler."""


def in_a_child(call: Callable[[], object]) -> int:
    """How a forked child ends that does this: 0, or the signal that ends one that hangs."""
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(PATIENCE)
            call()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@contextmanager
def held(lock: Any) -> Iterator[None]:
    """By a thread of its own, as in the moment when the process is forked."""
    has, ends = threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            has.set()
            ends.wait(PATIENCE)

    thread = threading.Thread(target=hold, daemon=True)
    thread.start()
    assert has.wait(PATIENCE)
    try:
        yield
    finally:
        ends.set()
        thread.join(PATIENCE)


def locks(one: object, *ways: str) -> list[Any]:
    """Every lock that is an attribute of an object, or of what stands under one of these names, as deep as it goes."""
    found = [
        value
        for value in vars(one).values()
        if hasattr(value, "__enter__") and (hasattr(value, "acquire") or hasattr(value, "wait"))
    ]
    return [*found, *(lock for way in ways for lock in locks(getattr(one, way)))]


def test_a_child_enqueues_whichever_locks_the_threads_of_its_parent_hold(app: Tenure) -> None:
    store = app.database.open()
    all_held = [*locks(app.database, "loads"), *locks(store, "_pool", "_announcer")]
    assert len(all_held) >= 5
    with ExitStack() as holding:
        for lock in all_held:
            holding.enter_context(held(lock))

        def enqueues() -> None:
            assert app.get(app.enqueue("mail").id) is not None
            app.database.known.kinds.clear()
            assert app.database.kind("mail", ()).name == "mail"
            app.close()

        assert in_a_child(enqueues) == 0
    assert app.enqueue("mail").created


def test_a_child_judges_payloads_with_a_thread_and_a_process_of_its_own() -> None:
    judge = Judge()

    async def weighs() -> None:
        await asyncio.wait_for(judge._weighed('{"type": "object"}'), PATIENCE)

    asyncio.run(weighs())
    with held(judge._lock):
        assert in_a_child(lambda: asyncio.run(weighs())) == 0
    judge.close()
