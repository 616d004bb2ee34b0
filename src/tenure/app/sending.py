"""How checked items get into the database: on a connection of the store's own, or on the caller's."""

from collections.abc import Sequence
from typing import Any, Final

from tenure.app.database import Database
from tenure.app.item import Item
from tenure.core.errors import RetryTransaction
from tenure.core.kind import Kind
from tenure.operations.enqueue import Enqueued, enqueue
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script

_TRIES: Final = 3


class Sending:
    """One call's items on their way. All of them are stored, or none.

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
        from tenure.stores.connections import after_commit, run_in

        answers = run_in(connection, self._script(store.verbs), store)
        after_commit(connection, lambda: self._announce(answers))
        return answers

    async def asend(self, connection: Any) -> list[Enqueued]:
        """The async twin of `send`."""
        store = self._database.store
        if connection is None:
            for _ in range(_TRIES - 1):
                try:
                    return self._committed(await store.arun(self._script(store.verbs)))
                except RetryTransaction:
                    continue
            return self._committed(await store.arun(self._script(store.verbs)))
        from tenure.stores.connections import after_commit, arun_in

        answers = await arun_in(connection, self._script(store.verbs), store)
        after_commit(connection, lambda: self._announce(answers))
        return answers

    def _script(self, verbs: Verbs) -> Script[list[Enqueued]]:
        return enqueue(verbs, self._jobs, self._missing)

    def _committed(self, answers: list[Enqueued]) -> list[Enqueued]:
        if self._missing:
            self._database.known.note(self._missing)
        self._announce(answers)
        return answers

    def _announce(self, answers: Sequence[Enqueued]) -> None:
        pairs = zip(self._items, answers, strict=True)
        queues = {i.options.queue for i, answer in pairs if answer.created and i.options.is_due_at_once}
        if queues:
            self._database.store.announce(queues)
