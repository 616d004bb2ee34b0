"""How operators' verbs of an application reach its database."""

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, TypeVar

from tenure.core.job import Job
from tenure.stores.protocol import Store, Verbs
from tenure.stores.script import Script

if TYPE_CHECKING:
    from tenure.app.databases.database import Database

T = TypeVar("T")


def _nothing(_answer: object) -> tuple[str, ...]:
    return ()


def _announce(store: Store, queues: Collection[str]) -> None:
    if queues:
        store.announce(queues)


class AskingStore:
    """Part of `Tenure`."""

    database: "Database"

    def opened(self) -> Store:
        """The database, opened by now."""
        raise NotImplementedError

    async def aopened(self) -> Store:
        """The async twin of `opened`."""
        raise NotImplementedError

    def ask(self, script: Callable[[Verbs], Script[T]], frees: Callable[[T], Collection[str]] = _nothing) -> T:
        """Runs a script of the database's verbs. frees: the queues whose workers its answer gives something to do; they
        are told once it is committed."""
        store = self.opened()
        answer = store.run(script(store.verbs))
        _announce(store, frees(answer))
        return answer

    async def aask(self, script: Callable[[Verbs], Script[T]], frees: Callable[[T], Collection[str]] = _nothing) -> T:
        """The async twin of `ask`. Workers are told too where the caller is cancelled and the commit comes about all
        the same."""
        store = await self.aopened()
        answer = await store.arun(script(store.verbs), abandoned=lambda late: _announce(store, frees(late)))
        _announce(store, frees(answer))
        return answer

    def read(self, job_id: str) -> Job | None:
        """One row."""
        return self.ask(lambda verbs: verbs.read([job_id])).get(job_id)

    async def aread(self, job_id: str) -> Job | None:
        """The async twin of `read`."""
        return (await self.aask(lambda verbs: verbs.read([job_id]))).get(job_id)
