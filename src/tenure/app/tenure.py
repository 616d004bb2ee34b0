"""The application: a database, the tasks declared on it, and the verbs of a producer."""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar, Unpack, cast, overload

from tenure.app import source, values
from tenure.app.addresses import store_of
from tenure.app.binding import handler_of
from tenure.app.context import Context
from tenure.app.declaration import Upgrade, declare
from tenure.app.handle import JobHandle
from tenure.app.item import Item, item
from tenure.app.knowledge import Knowledge, learn
from tenure.app.options import Options
from tenure.app.saying import Saying
from tenure.app.settings import Settings
from tenure.app.task import Task
from tenure.core import defaults
from tenure.core.errors import InvalidInput, Misconfigured, RetryTransaction, UnknownKind
from tenure.core.job import Job
from tenure.core.kind import Kind
from tenure.engine.handler import Handler, Isolation
from tenure.operations.enqueue import Enqueued, enqueue
from tenure.stores.protocol import Store
from tenure.stores.script import Script

if TYPE_CHECKING:
    from tenure.engine.worker import Worker

P = ParamSpec("P")
R = TypeVar("R")

_TRIES = 3


class Declare(Protocol):
    """What `app.task(…)` answers: the decorator."""

    @overload
    def __call__(self, function: Callable[Concatenate[Context, P], R]) -> Task[P, R]: ...
    @overload
    def __call__(self, function: Callable[P, R]) -> Task[P, R]: ...


class Tenure:
    """A producer, and the registry of tasks for workers. Safe to share between threads.

    url: `sqlite:///file.db`, `postgresql://…` or `memory://`; without it TENURE_DATABASE_URL, then the settings
    file, then `sqlite:///tenure.db`. Nothing is opened before the first use.
    """

    def __init__(self, url: str | None = None) -> None:
        self.url = Settings().database(url)
        self.tasks: dict[str, Task[..., Any]] = {}
        self.source: str | None = None
        self._store: Store | None = None
        self._known: Knowledge | None = None
        self._opening = threading.Lock()

    def __repr__(self) -> str:
        return f"<Tenure with {len(self.tasks)} tasks>"

    # Declaring

    def task(
        self,
        *,
        kind: str | None = None,
        version: int = defaults.HANDLER_VERSION,
        queue: str | None = None,
        priority: str | int | None = None,
        max_attempts: int | None = None,
        timeout: Any = None,
        reads: Mapping[int, Upgrade] | None = None,
        isolation: Isolation | None = None,
        concurrency: int | None = None,
        progress_timeout: Any = None,
        backoff: tuple[Any, Any] = (defaults.BACKOFF_BASE, defaults.BACKOFF_CAP),
        retry_on: Mapping[type[BaseException], str] | None = None,
        terminal_on: Mapping[type[BaseException], str] | None = None,
        memory: int | None = None,
        cpu: float | None = None,
    ) -> Declare:
        """Declares the decorated function as the handler of a kind (its name, where `kind` is left out).

        version: the number of the handler's meaning; reads: older versions that it runs too, each with the function
        that upgrades their payload. timeout: run-time limit, progress_timeout: longest silence of `ctx.progress`,
        backoff: first and longest wait, all in seconds. isolation="process": a child process, with limits of
        memory (bytes) and cpu (seconds). concurrency: how many run at once over all workers.
        retry_on, terminal_on: exception class → code. Raises Misconfigured.
        """

        def declared(function: Callable[..., Any]) -> Task[..., Any]:
            said = declare(
                kind=function.__name__ if kind is None else kind,
                version=version,
                queue=queue,
                priority=priority,
                max_attempts=max_attempts,
                timeout=timeout,
                reads=reads,
                isolation=isolation,
                concurrency=concurrency,
                progress_timeout=progress_timeout,
                backoff=backoff,
                retry_on=retry_on,
                terminal_on=terminal_on,
                memory=memory,
                cpu=cpu,
            )
            return self._register(Task(self, function, said))

        return cast(Declare, declared)

    def handlers(self) -> list[Handler]:
        """The tasks as a worker runs them."""
        found = self.source or source.of(self)
        return [handler_of(task, self.opened, found) for task in self.tasks.values()]

    def worker(self, **options: Any) -> "Worker":
        """A worker of all tasks; its `run()` blocks. options: those of `tenure.engine.options.WorkerOptions`.

        Without `queues` it serves those that the tasks name, and the default one. Writes the tasks' kinds to the
        database. Raises StoreError.
        """
        from tenure.engine.options import WorkerOptions
        from tenure.engine.worker import Worker

        options.setdefault("queues", self.queues())
        self.declare_kinds()
        return Worker(self.opened(), self.handlers(), WorkerOptions(**options))

    def queues(self) -> tuple[str, ...]:
        """The default queue, and those that the tasks name."""
        named = {task.declaration.options.queue for task in self.tasks.values()}
        return (defaults.QUEUE, *sorted(named - {defaults.QUEUE}))

    def declare_kinds(self) -> None:
        """Writes the tasks' kinds to the database, as they are declared here."""
        store, rows = self.opened(), [task.kind_row() for task in self.tasks.values()]
        store.run(store.verbs.put_kinds(rows, replace=True))

    # Connecting

    @property
    def store(self) -> Store:
        """The database, opened or not."""
        if self._store is None:
            self._store = store_of(self.url)
        return self._store

    def open(self) -> None:
        """Connects now instead of at the first use. Raises StoreUnavailable, SchemaTooOld and their kin."""
        with self._opening:
            if self._known is None:
                self.store.open()
                self._known = self.store.run(learn(self.store.verbs))

    def close(self) -> None:
        """Closes the connections. The next use opens them again."""
        with self._opening:
            store, self._store, self._known = self._store, None, None
        if store is not None:
            store.close()

    def use(self, store: Store | None) -> Store | None:
        """Puts another store in the place of the present one, which it answers, unclosed. For tests."""
        with self._opening:
            before, self._store, self._known = self._store, store, None
        return before

    def opened(self) -> Store:
        if self._known is None:
            self.open()
        return self.store

    async def aopened(self) -> Store:
        if self._known is None:
            await _in_thread(self.open)
        return self.store

    # Producing

    def enqueue(
        self, kind: str, payload: Mapping[str, Any] | None = None, *, connection: Any = None, **said: Unpack[Saying]
    ) -> JobHandle:
        """As `Task.enqueue`, by the kind's name; it may also be a kind that only the database knows.

        Raises UnknownKind besides.
        """
        return self.submit([self.item(kind, payload, **said)], connection)[0]

    async def aenqueue(
        self, kind: str, payload: Mapping[str, Any] | None = None, *, connection: Any = None, **said: Unpack[Saying]
    ) -> JobHandle:
        """The async twin of `enqueue`."""
        known = kind in self.tasks
        made = self.item(kind, payload, **said) if known else await _in_thread(lambda: self.item(kind, payload, **said))
        return (await self.asubmit([made], connection))[0]

    def enqueue_many(self, items: Sequence[Item], *, connection: Any = None) -> list[JobHandle]:
        """Records what `Task.item` or `app.item` made: all of it, or nothing. A key twice gives one job."""
        return self.submit(items, connection)

    async def aenqueue_many(self, items: Sequence[Item], *, connection: Any = None) -> list[JobHandle]:
        """The async twin of `enqueue_many`."""
        return await self.asubmit(items, connection)

    def item(self, kind: str, payload: Mapping[str, Any] | None = None, **said: Unpack[Saying]) -> Item:
        """As `Task.item`, by the kind's name. Raises InvalidInput, UnknownKind."""
        arguments = {} if payload is None else payload
        if not isinstance(arguments, dict):
            raise InvalidInput("payload", f"must be an object (dict), not {type(payload).__name__}")
        task = self.tasks.get(kind)
        if task is not None:
            options = task.declaration.options.using(**said)
            return item(kind, task.version, task.declaration.policy, options, task.signature.sent(arguments))
        row = self._kind(kind)
        options = Options(queue=row.queue, max_attempts=row.max_attempts, timeout=row.run_time_limit).using(**said)
        return item(kind, max(row.versions), row.policy, options, values.plain("payload", arguments))

    def get(self, job_id: str) -> JobHandle | None:
        """The job of an id, None where there is none."""
        row = self.read(job_id)
        return None if row is None else JobHandle(self, row)

    async def aget(self, job_id: str) -> JobHandle | None:
        """The async twin of `get`."""
        row = await self.aread(job_id)
        return None if row is None else JobHandle(self, row)

    # One level below: what tasks and handles call.

    def submit(self, items: Sequence[Item], connection: Any = None) -> list[JobHandle]:
        """Sends checked items."""
        if not items:
            return []
        store, missing = self.opened(), self._missing(items)
        if connection is not None:
            from tenure.stores.connections import run_in

            return self._handles(run_in(connection, self._script(items, missing), store))
        for left in reversed(range(_TRIES)):
            try:
                answers = store.run(self._script(items, missing))
                break
            except RetryTransaction:
                if not left:
                    raise
        return self._committed(items, missing, answers)

    async def asubmit(self, items: Sequence[Item], connection: Any = None) -> list[JobHandle]:
        """The async twin of `submit`."""
        if not items:
            return []
        store = await self.aopened()
        missing = self._missing(items)
        if connection is not None:
            from tenure.stores.connections import arun_in

            return self._handles(await arun_in(connection, self._script(items, missing), store))
        for left in reversed(range(_TRIES)):
            try:
                answers = await store.arun(self._script(items, missing))
                break
            except RetryTransaction:
                if not left:
                    raise
        return self._committed(items, missing, answers)

    def read(self, job_id: str) -> Job | None:
        """One row."""
        store = self.opened()
        return store.run(store.verbs.read([job_id])).get(job_id)

    async def aread(self, job_id: str) -> Job | None:
        """The async twin of `read`."""
        store = await self.aopened()
        return (await store.arun(store.verbs.read([job_id]))).get(job_id)

    def _register(self, task: Task[..., Any]) -> Task[..., Any]:
        if task.kind in self.tasks:
            raise Misconfigured(f"the kind {task.kind!r} is declared twice")
        self.tasks[task.kind] = task
        return task

    def _knowledge(self) -> Knowledge:
        self.opened()
        if self._known is None:
            raise Misconfigured("the app was closed while it was used")
        return self._known

    def _missing(self, items: Sequence[Item]) -> list[Kind]:
        """Rows of tasks that the database is not known to hold."""
        known = self._knowledge()
        names = {(i.kind, i.version) for i in items}
        return [self.tasks[kind].kind_row() for kind, version in names if known.misses(kind, version)]

    def _script(self, items: Sequence[Item], missing: Sequence[Kind]) -> Script[list[Enqueued]]:
        key = self._knowledge().digest_key
        return enqueue(self.store.verbs, [i.new_job(key) for i in items], missing)

    def _committed(
        self, items: Sequence[Item], missing: Sequence[Kind], answers: Sequence[Enqueued]
    ) -> list[JobHandle]:
        if missing:
            self._knowledge().note(missing)
        queues = {
            i.options.queue
            for i, answer in zip(items, answers, strict=True)
            if answer.created and i.options.is_due_at_once
        }
        if queues:
            self.store.announce(queues)
        return self._handles(answers)

    def _handles(self, answers: Sequence[Enqueued]) -> list[JobHandle]:
        return [JobHandle(self, answer) for answer in answers]

    def _kind(self, name: str) -> Kind:
        row = self._knowledge().fresh(name)
        if row is None:
            self._known = self.store.run(learn(self.store.verbs))
            row = self._known.kinds.get(name)
        if row is None:
            raise UnknownKind(name)
        return row


async def _in_thread(call: Callable[[], R]) -> R:
    """Runs what may wait for the database, off the loop."""
    import asyncio

    return await asyncio.to_thread(call)
