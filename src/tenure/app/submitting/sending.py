"""How checked items get into the database: on a connection of the store's own, or on the caller's."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from tenure.app.databases.database import Database
from tenure.app.submitting.item import Item
from tenure.core.errors import RetryTransaction, TenureError
from tenure.core.kind import Kind
from tenure.core.states import State
from tenure.operations.admit import enqueue_admitted, enqueue_each_admitted
from tenure.operations.enqueue import Enqueued, enqueue, enqueue_each
from tenure.stores.protocol import Store, Verbs
from tenure.stores.script import Script

A = TypeVar("A", Enqueued, Enqueued | TenureError)
_TRIES: Final = 3


class Sending:
    """One call's items on their way. All of them are stored, or none, unless each is to have its own verdict.

    Rows of kinds that the database is not known to hold travel along; that they are there is remembered only after
    a commit of our own, for the caller's transaction may roll back.
    """

    def __init__(self, database: Database, items: Sequence[Item], missing: Sequence[Kind]) -> None:
        """database: open. missing: kinds of the items that it may lack."""
        self._database, self._items, self._missing = database, items, missing
        key = database.known.digest_key
        self._jobs = [i.new_job(key) for i in items]

    def send(self, connection: Any) -> list[Enqueued]:
        """connection: the caller's, or None."""
        store = self._database.store
        if connection is None:
            for _ in range(_TRIES - 1):
                try:
                    return self._committed(store.run(self._script(store.verbs)))
                except RetryTransaction:
                    continue
            return self._committed(store.run(self._script(store.verbs)))
        from tenure.stores.connections import run_in

        answers = run_in(connection, self._script(store.verbs, borrowed=True), store, verb=self._verb)
        self._announce_after_commit(connection, answers)
        return answers

    async def asend(self, connection: Any) -> list[Enqueued]:
        """The async twin of `send`."""
        store = self._database.store
        if connection is None:
            return await self._acommitted(self._script)
        from tenure.stores.connections import arun_in

        script = self._script(store.verbs, borrowed=True)
        answers = await arun_in(connection, script, store, verb=f"a{self._verb}")
        self._announce_after_commit(connection, answers)
        return answers

    async def asend_each(self) -> list[Enqueued | TenureError]:
        """On a connection of the store's own, with a verdict for each: a refused item stops no other."""
        return await self._acommitted(self._each)

    @property
    def _verb(self) -> str:
        return "enqueue" if len(self._jobs) == 1 else "enqueue_many"

    def _script(self, verbs: Verbs, *, borrowed: bool = False) -> Script[list[Enqueued]]:
        loads = self._database.loads
        if loads.is_open:
            return enqueue(verbs, self._jobs, self._missing, borrowed=borrowed)
        return enqueue_admitted(verbs, self._jobs, self._missing, loads, borrowed=borrowed)

    def _each(self, verbs: Verbs) -> Script[list[Enqueued | TenureError]]:
        loads = self._database.loads
        if loads.is_open:
            return enqueue_each(verbs, self._jobs, self._missing)
        return enqueue_each_admitted(verbs, self._jobs, self._missing, loads)

    async def _acommitted(self, operation: Callable[[Verbs], Script[list[A]]]) -> list[A]:
        store = self._database.store
        for _ in range(_TRIES - 1):
            try:
                return self._committed(await store.arun(operation(store.verbs), abandoned=self._announce))
            except RetryTransaction:
                continue
        return self._committed(await store.arun(operation(store.verbs), abandoned=self._announce))

    def _committed(self, answers: list[A]) -> list[A]:
        if self._missing:
            self._database.known.note(self._missing)
        self._announce(answers)
        return answers

    def _announce(self, answers: Sequence[Enqueued | TenureError]) -> None:
        """Those of a caller who was cancelled too, should their commit have come about."""
        queues = self._ready(answers)
        if queues:
            self._database.store.announce(queues)

    def _announce_after_commit(self, connection: Any, answers: Sequence[Enqueued | TenureError]) -> None:
        """Each queue once, however often the transaction of `connection` enqueues there."""
        from tenure.stores.connections import after_commit

        for queue in sorted(self._ready(answers)):
            after_commit(connection, _Hint(self._database.store, queue))

    def _ready(self, answers: Sequence[Enqueued | TenureError]) -> set[str]:
        """The queues in which new jobs may run at once."""
        queues: set[str] = set()
        for sent, answer in zip(self._items, answers, strict=True):
            if isinstance(answer, Enqueued) and answer.created and _may_run(sent, answer):
                queues.add(sent.options.queue)
        return queues


@dataclass(frozen=True)
class _Hint:
    """To be given after a commit. Two of the same queue are one."""

    store: Store
    queue: str

    def __call__(self) -> None:
        self.store.announce((self.queue,))


def _may_run(sent: Item, answer: Enqueued) -> bool:
    """A job that took an older one's place may be due earlier, or later, than what was said of it."""
    return answer.job.state is State.READY if sent.supersedes else sent.options.is_due_at_once
