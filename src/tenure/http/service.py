"""What all requests share: the application, its database, and the way to it."""

from typing import TypeVar

from tenure.app.tenure import Tenure
from tenure.stores.protocol import Channel, Store, Verbs
from tenure.stores.script import Script

T = TypeVar("T")


class Service:
    """app: with or without tasks; kinds that only the database knows are served too."""

    def __init__(self, app: Tenure) -> None:
        self.app = app

    @property
    def store(self) -> Store:
        """The database; open since `start`."""
        return self.app.store

    @property
    def verbs(self) -> Verbs:
        return self.app.store.verbs

    @property
    def digest_key(self) -> bytes:
        return self.app.database.known.digest_key

    async def run(self, script: Script[T], channel: Channel = "producer") -> T:
        """One transaction, off the event loop. Raises StoreError and what the operation raises."""
        await self.app.aopened()
        return await self.store.arun(script, channel)
