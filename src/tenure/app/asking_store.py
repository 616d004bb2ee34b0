"""How operators' verbs of an application reach its database."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from tenure.core.job import Job
from tenure.stores.protocol import Store, Verbs
from tenure.stores.script import Script

if TYPE_CHECKING:
    from tenure.app.database import Database

T = TypeVar("T")


class AskingStore:
    """Part of `Tenure`."""

    database: "Database"

    def opened(self) -> Store:
        """The database, opened by now."""
        raise NotImplementedError

    async def aopened(self) -> Store:
        """The async twin of `opened`."""
        raise NotImplementedError

    def ask(self, script: Callable[[Verbs], Script[T]]) -> T:
        """Runs a script of the database's verbs."""
        store = self.opened()
        return store.run(script(store.verbs))

    async def aask(self, script: Callable[[Verbs], Script[T]]) -> T:
        """The async twin of `ask`."""
        store = await self.aopened()
        return await store.arun(script(store.verbs))

    def read(self, job_id: str) -> Job | None:
        """One row."""
        return self.ask(lambda verbs: verbs.read([job_id])).get(job_id)

    async def aread(self, job_id: str) -> Job | None:
        """The async twin of `read`."""
        return (await self.aask(lambda verbs: verbs.read([job_id]))).get(job_id)
