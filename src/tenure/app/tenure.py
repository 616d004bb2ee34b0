"""The application: a database, the tasks declared on it, and the verbs of producers and operators."""

from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from tenure.app import source
from tenure.app.databases.database import Database
from tenure.app.elsewhere import Elsewhere, of_parent
from tenure.app.handling.ledger import Ledger, StoreLedger
from tenure.app.handling.secrets import Resolve, of_environment
from tenure.app.kinds.binding import handler_of
from tenure.app.kinds.periodic import Periodic, Periodics
from tenure.app.kinds.task import Task
from tenure.app.operators.flow import Flow
from tenure.app.operators.hinting import Hinting
from tenure.app.settings import Settings, said_as_text
from tenure.app.submitting import judging
from tenure.app.submitting.producing import Producing
from tenure.core.errors import InvalidInput, Misconfigured
from tenure.core.lease import Lease
from tenure.engine.attempts.handler import Handler
from tenure.stores.protocol import Store

if TYPE_CHECKING:
    from tenure.engine.upkeep.publishing import Publishing
    from tenure.engine.worker import Worker


class Tenure(Producing, Periodics, Hinting, Flow):
    """A producer, and the registry of tasks for workers. Safe to share between threads.

    url: `sqlite:///file.db`, `postgresql://…` or `memory://`; without it TENURE_DATABASE_URL, then the settings
    file, then `sqlite:///tenure.db`. Nothing is opened before the first use. secrets: resolves what a `SecretRef`
    names; unless said, the variable TENURE_SECRET_<NAME>. encryption_keys: seal payloads, results, checkpoints and
    results of effects at rest, `<id>:<base64 of 32 bytes>,…`; unless said, TENURE_ENCRYPTION_KEYS, then the settings
    file. database_connections: how many of PostgreSQL's this process's handlers and producers share at most; unless
    said, TENURE_DATABASE_CONNECTIONS, then the settings file, then as many as fit. Raises Misconfigured.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        secrets: Resolve = of_environment,
        encryption_keys: str | None = None,
        database_connections: int | None = None,
    ) -> None:
        if not callable(secrets):
            raise Misconfigured("the argument secrets must be a function that answers the secret of a name")
        self.secrets = secrets
        settings = Settings()
        self.database = Database(
            settings.named_database(url), settings.keyring(encryption_keys), settings.connections(database_connections)
        )
        self.tasks: dict[str, Task[..., Any]] = {}
        self.periodics: list[Periodic] = []
        self.workers: WeakSet[Worker] = WeakSet()
        self.publishings: WeakSet[Publishing] = WeakSet()
        self.source: str | None = None
        self._elsewhere: Elsewhere | None = None
        self._judge = judging.Judge()

    def __repr__(self) -> str:
        return f"<Tenure with {len(self.tasks)} tasks>"

    # Working

    def named_source(self) -> str | None:
        """`module:name`, where it is found again; None for the main script's."""
        return self.source or source.of(self)

    def handlers(self) -> list[Handler]:
        """The tasks as a worker runs them."""
        found = self.named_source()
        if self._elsewhere is None:
            self.keep_elsewhere(of_parent())
        return [handler_of(task, self._ledger, found) for task in self.tasks.values()]

    def worker(self, **options: Any) -> "Worker":
        """A worker of all tasks; its `run()` blocks. options: those of `tenure.engine.options.WorkerOptions`.

        Without `queues` it serves those that the tasks name, and the default one. Writes the tasks' kinds to the
        database, or declares them to the service that keeps the jobs; a kind that it cannot be given there is left out.
        Raises StoreError, Misconfigured.
        """
        from tenure.app.working import worker_of

        return worker_of(self, self._elsewhere, options)

    def _ledger(self, lease: Lease) -> Ledger:
        return StoreLedger(self.opened(), lease) if self._elsewhere is None else self._elsewhere.ledger(lease)

    # Connecting

    @property
    def url(self) -> str:
        """The database's URL. It may be set until the first use."""
        return self.database.url

    @url.setter
    def url(self, url: str) -> None:
        self.database.url = said_as_text("the URL of the database", url)

    @property
    def store(self) -> Store:
        """The database, opened or not."""
        return self.database.store

    def open(self) -> None:
        """Connects now instead of at the first use. Raises StoreUnavailable, SchemaTooOld and their kin."""
        self.database.open()

    def close(self) -> None:
        """Stops publishing hints, and closes the connections. The next use opens them again."""
        for publishing in list(self.publishings):
            publishing.stop()
        self.database.close()
        self._judge.close()
        if self._elsewhere is not None:
            self._elsewhere.close()

    def keep_elsewhere(self, service: Elsewhere | None) -> None:
        """Has workers of this application work for a service in the place of the database; None: for the database."""
        self._elsewhere = service
        self.database.is_elsewhere = service is not None

    def use(self, store: Store) -> None:
        """Takes an open store in the place of its own until `close`, which leaves it open. For tests, and for several
        apps on one store. Raises InvalidInput."""
        if not hasattr(store, "verbs"):
            raise InvalidInput("store", f"must be a store, not {type(store).__name__}")
        self.database.use(store)

    def opened(self) -> Store:
        """The database, opened by now."""
        return self.database.open()

    async def aopened(self) -> Store:
        """The async twin of `opened`."""
        return await self.database.aopen()
