"""A hint that a job is ready, taken by this worker: it claims that very job, where the store says that it can be
had."""

from collections.abc import Callable, Collection, Mapping

from tenure.core.hints import Woken
from tenure.core.job import Job
from tenure.core.states import TERMINAL, State
from tenure.engine.attempts.handler import Handler
from tenure.engine.claiming.dispatcher import Dispatcher
from tenure.stores.protocol import Store


class Waking:
    """Any thread may ask. `look_again` has the worker look for work now, in the common order."""

    def __init__(
        self,
        store: Store | None,
        dispatcher: Dispatcher,
        handlers: Mapping[str, Handler],
        queues: Collection[str],
        look_again: Callable[[], None],
    ) -> None:
        """store: None where the jobs are kept by a service."""
        self._store = store
        self._dispatcher = dispatcher
        self._handlers = handlers
        self._able = {(able.kind, able.version) for handler in handlers.values() for able in handler.abilities()}
        self._queues = frozenset(queues)
        self._look_again = look_again

    def wake(self, job_id: str) -> Woken:
        """What came of it. Raises StoreError; then a claim without an answer is settled by the next round."""
        if self._store is None:
            self._look_again()
            return Woken.LOOKING
        job = self._read(self._store, job_id)
        if job is None:
            return Woken.UNKNOWN
        return self._standing(job) or self._take(self._store, job)

    def _take(self, store: Store, job: Job) -> Woken:
        woken = self._dispatcher.take(job.id, job.queue, self._handlers[job.kind].slots)
        if woken is Woken.BUSY:
            self._look_again()
        if woken is not Woken.CLOSED:
            return woken
        now = self._read(store, job.id)  # A rival may have been quicker.
        return Woken.UNKNOWN if now is None else self._standing(now) or Woken.CLOSED

    @staticmethod
    def _read(store: Store, job_id: str) -> Job | None:
        return store.run(store.verbs.read([job_id])).get(job_id)

    def _standing(self, job: Job) -> Woken | None:
        """Why the job is not to be claimed here; None where it may be."""
        if job.state in TERMINAL:
            return Woken.ENDED
        if job.state is State.RUNNING:
            return Woken.RUNNING
        if job.queue not in self._queues or (job.kind, job.version) not in self._able:
            return Woken.FOREIGN
        return None if job.state is State.READY else Woken.WAITING
