"""Delivery hints of an application: what a worker makes of one, and who gives them out."""

import inspect
from typing import TYPE_CHECKING, Any, Final

from tenure.app.databases.database import in_thread
from tenure.app.operators.operating import Operating
from tenure.app.operators.redrive_handle import WHO
from tenure.core import fields, hints
from tenure.core.errors import InvalidInput, Misconfigured
from tenure.core.hints import Woken

if TYPE_CHECKING:
    from weakref import WeakSet

    from tenure.engine.upkeep.publisher import Publish
    from tenure.engine.upkeep.publishing import Publishing
    from tenure.engine.worker import Worker

MOST_AT_ONCE: Final = 10_000
HOLDS: Final = (1.0, 86_400.0)
REPEATS: Final = (1.0, 365 * 86_400.0)


class Hinting(Operating):
    """Part of `Tenure`."""

    workers: "WeakSet[Worker]"
    """Those of this application in this process, as long as somebody keeps them."""
    publishings: "WeakSet[Publishing]"
    """The publishers that run."""

    def queues(self) -> tuple[str, ...]:
        """The default queue, and those that the tasks name."""
        raise NotImplementedError

    def wake(self, job_id: Any) -> Woken:
        """Somebody says that this job is ready: a worker of this application in this process claims that very job, if
        the store says so too and a slot is free; else nothing happens.

        A job that was claimed before, has ended or never was is left alone, so a message that comes twice, late or
        never does no harm. From any thread; not on an event loop, where `awake` is for. Raises StoreError where the
        database does not answer: the message may be given again, or not, since workers look for themselves.
        """
        try:
            named = fields.job_id("job_id", job_id)
        except InvalidInput:
            return Woken.UNKNOWN
        woken = Woken.NO_WORKER
        for worker in list(self.workers):
            answer = worker.wake(named)
            if answer not in (Woken.NO_WORKER, Woken.FOREIGN, Woken.BUSY):
                return answer
            if woken is not Woken.BUSY and answer is not Woken.NO_WORKER:
                woken = answer
        return woken

    async def awake(self, job_id: Any) -> Woken:
        """The async twin of `wake`."""
        return await in_thread(lambda: self.wake(job_id))

    def publish_hints(
        self, publish: "Publish", *, batch: int = hints.BATCH, hold: Any = hints.HOLD, repeat: Any = None
    ) -> "Publishing":
        """Gives the ids of ready jobs to `publish`, a list at a time, in a thread of its own until `stop()` of what it
        answers, or to the end of its `with` block.

        Every job that becomes ready, or is at the start, is given at least once, after the commit that made it so,
        however late, if it is ready still when its turn has come: one that a worker has taken by then is not. What
        `publish` raises is told in `health()`, and the ids come again. The first publisher of a database has every job
        leave a hint from then on, until `tenure hints off`.

        batch: most ids at once. hold: seconds after which ids that this publisher took and did not get rid of may be
        given by another. repeat: seconds after which an id is given again while its job is ready still; None is never.
        Raises StoreError, InvalidInput, Misconfigured.
        """
        from tenure.engine.upkeep.publisher import Publisher
        from tenure.engine.upkeep.publishing import Publishing

        _check(publish)
        store = self.opened()
        publisher = Publisher(
            store,
            publish,
            who=WHO,
            batch=fields.whole("batch", batch, 1, MOST_AT_ONCE),
            hold=fields.duration("hold", hold, least=HOLDS[0], most=HOLDS[1]),
            repeat=None if repeat is None else fields.duration("repeat", repeat, least=REPEATS[0], most=REPEATS[1]),
        )
        publishing = Publishing(store, publisher, self.queues())
        publishing.start()
        self.publishings.add(publishing)
        return publishing


def _check(publish: Any) -> None:
    from tenure.engine.upkeep.publisher import PLAIN

    if not callable(publish):
        raise Misconfigured(f"publish: {publish!r} cannot be called with a list of ids")
    if inspect.iscoroutinefunction(publish) or inspect.iscoroutinefunction(type(publish).__call__):
        raise Misconfigured(f"publish: {publish!r} is a coroutine function", hint=PLAIN)
    if not _takes_one(publish):
        raise Misconfigured(
            f"publish: {publish!r} cannot be called with a list of ids alone",
            hint="It is called with one argument, a list of texts.",
        )


def _takes_one(publish: Any) -> bool:
    """Whether its signature, where it tells one, has room for one argument and needs no other."""
    try:
        inspect.signature(publish).bind([])
    except ValueError:
        return True
    except TypeError:
        return False
    return True
