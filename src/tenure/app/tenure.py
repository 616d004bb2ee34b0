"""The application: a database, the tasks declared on it, and the verbs of a producer."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Concatenate, Literal, Never, ParamSpec, Protocol, TypeVar, Unpack, cast, overload
from weakref import WeakSet

from tenure.app import judging, source, values
from tenure.app.binding import handler_of
from tenure.app.context import Context
from tenure.app.database import Database, in_thread
from tenure.app.declaration import Upgrade, check_function, declare
from tenure.app.elsewhere import Elsewhere, of_parent
from tenure.app.flow import Flow
from tenure.app.handle import JobHandle
from tenure.app.hidden_refusals import hide_in
from tenure.app.hinting import Hinting
from tenure.app.item import Item, item, made_items
from tenure.app.knowledge import Declared
from tenure.app.ledger import Ledger, StoreLedger
from tenure.app.options import Options
from tenure.app.saying import Saying
from tenure.app.scheduling import Periodic, Scheduling
from tenure.app.secrets import Resolve, of_environment
from tenure.app.sending import Sending
from tenure.app.settings import Settings
from tenure.app.task import Task
from tenure.core import defaults
from tenure.core.errors import InvalidInput, Misconfigured, TenureError
from tenure.core.flow.order import OnFailure
from tenure.core.job import WhenFull
from tenure.core.kind import Kind
from tenure.core.lease import Lease
from tenure.core.secrecy.secret_fields import NONE, SecretFields
from tenure.engine.handler import Handler, Isolation
from tenure.operations.enqueue import Enqueued
from tenure.stores.protocol import Store

if TYPE_CHECKING:
    from tenure.app.rounds import Rounds
    from tenure.engine.publishing import Publishing
    from tenure.engine.worker import Worker

P = ParamSpec("P")
R = TypeVar("R")


class Declare(Protocol):
    """What `app.task(…)` answers: the decorator."""

    @overload
    def __call__(self, function: Callable[Concatenate[Context, P], R]) -> Task[P, R]: ...
    @overload
    def __call__(self, function: Callable[P, R]) -> Task[P, R]: ...


class Tenure(Scheduling, Hinting, Flow):
    """A producer, and the registry of tasks for workers. Safe to share between threads.

    url: `sqlite:///file.db`, `postgresql://…` or `memory://`; without it TENURE_DATABASE_URL, then the settings
    file, then `sqlite:///tenure.db`. Nothing is opened before the first use. secrets: resolves what a `SecretRef` names;
    unless said, the variable TENURE_SECRET_<NAME>. encryption_keys: seal payloads, results, checkpoints and results of
    effects at rest, `<id>:<base64 of 32 bytes>,…`; unless said, TENURE_ENCRYPTION_KEYS, then the settings file.
    database_connections: how many of PostgreSQL's this process's handlers and producers share at most; unless said,
    TENURE_DATABASE_CONNECTIONS, then the settings file, then as many as fit. Raises Misconfigured.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        secrets: Resolve = of_environment,
        encryption_keys: str | None = None,
        database_connections: int | None = None,
    ) -> None:
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

    # Declaring

    def task(
        self,
        *bare: Never,
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
        payload_retention: Any = None,
        effects: Sequence[str] = (),
        on_failure: OnFailure | Literal["stop", "continue"] = OnFailure.STOP,
        backoff: tuple[Any, Any] = (defaults.BACKOFF_BASE, defaults.BACKOFF_CAP),
        retry_on: Mapping[type[BaseException], str] | None = None,
        terminal_on: Mapping[type[BaseException], str] | None = None,
        remedies: Mapping[str, str] | None = None,
        secret: Sequence[str] = (),
        secret_result: Sequence[str] = (),
        memory: int | None = None,
        cpu: float | None = None,
        verify: Callable[[Context, Any], Any] | None = None,
        retry_share: float = defaults.RETRY_SHARE,
        circuit: int | None = None,
        when_full: WhenFull = "refuse",
        slots: int = 1,
        uses: Sequence[str] = (),
        supersede: Literal["latest"] | None = None,
        supersede_by: Sequence[str] | None = None,
        debounce: Any = None,
        max_wait: Any = None,
    ) -> Declare:
        """Declares the decorated function as the handler of a kind (its name, where `kind` is left out).

        version: the number of the handler's meaning; reads: older versions that it runs too, each with the function
        that upgrades their payload. timeout: run-time limit, progress_timeout: longest silence of `ctx.progress`,
        payload_retention: how long the payload is kept after the job's end, backoff: first and longest wait, all in
        seconds. isolation="process": a child process, with limits of
        memory (bytes) and cpu (seconds). concurrency: how many slots it takes at once over all workers. effects: names of those
        without which a job has not succeeded. on_failure: what becomes of an order key when one of its jobs fails for good:
        it stops until that is redriven or cancelled, or continues with the next. verify: `verify(ctx, result)` says whether it has done what it should, before
        its success is written; False or an exception fails the attempt, `verification_failed`. retry_share: of the kind's
        attempts in a minute, from 0 to 1, that may be retries before further ones wait longer. circuit: so many failures
        in a row, throttled ones and calls of effects that told nothing included, have the kind of this tenant rest.
        retry_on, terminal_on: exception class → code. remedies: what to do about jobs that failed with a code, in words
        for operators. secret, secret_result: paths of members of payload and result (`card.number`, `items.*.token`) that
        are shown to nobody but the handler. when_full: what becomes of a new job where as many wait as may: `refuse`,
        `accept` or `delay`. slots: how many of its worker's one job takes, and how many it counts in limits. uses: resources
        that it shares with other kinds (`uses=["smtp"]`), whose limits and pauses it keeps to. supersede="latest": of a
        tenant's jobs that have the same values in the arguments named by supersede_by (none of them: all jobs of the kind)
        at most one waits, the newest; with debounce it runs when no newer one has come for so many seconds, and at the
        latest max_wait (ten debounces) after the first. Raises Misconfigured.
        """

        if bare:
            raise Misconfigured("app.task is written with parentheses", hint="Write @app.task().")

        def declared(function: Callable[..., Any]) -> Task[..., Any]:
            check_function(function)
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
                payload_retention=payload_retention,
                effects=effects,
                on_failure=on_failure,
                backoff=backoff,
                retry_on=retry_on,
                terminal_on=terminal_on,
                remedies=remedies,
                secret=secret,
                secret_result=secret_result,
                memory=memory,
                cpu=cpu,
                verify=verify,
                retry_share=retry_share,
                circuit=circuit,
                when_full=when_full,
                slots=slots,
                uses=uses,
                supersede=supersede,
                supersede_by=supersede_by,
                debounce=debounce,
                max_wait=max_wait,
            )
            return self._register(Task(self, function, said))

        return cast(Declare, declared)

    def named_source(self) -> str | None:
        """`module:name`, where it is found again; None for the main script's."""
        return self.source or source.of(self)

    def kind_named(self, name: str) -> Kind:
        """Of a task, or one that only the database knows. Raises UnknownKind."""
        return self.tasks[name].kind_row() if name in self.tasks else self.database.kind(name)

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

    def queues(self) -> tuple[str, ...]:
        """The default queue, and those that the tasks name."""
        named = {task.declaration.options.queue for task in self.tasks.values()}
        return (defaults.QUEUE, *sorted(named - {defaults.QUEUE}))

    def declare_kinds(self) -> None:
        """Writes the tasks' kinds to the database, as they are declared here."""
        store = self.opened()
        store.run(store.verbs.put_kinds(self.kind_rows(), replace=True))

    def kind_rows(self) -> list[Kind]:
        """What is kept of the tasks' kinds."""
        return [task.kind_row() for task in self.tasks.values()]

    def _ledger(self, lease: Lease) -> Ledger:
        return StoreLedger(self.opened(), lease) if self._elsewhere is None else self._elsewhere.ledger(lease)

    # Connecting

    @property
    def url(self) -> str:
        """The database's URL. It may be set until the first use."""
        return self.database.url

    @url.setter
    def url(self, url: str) -> None:
        self.database.url = url

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
        apps on one store."""
        self.database.use(store)

    def opened(self) -> Store:
        """The database, opened by now."""
        return self.database.open()

    async def aopened(self) -> Store:
        """The async twin of `opened`."""
        return await self.database.aopen()

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
        return await self.asubmit_one(await self.aitem(kind, payload, **said), connection)

    def enqueue_many(self, items: Sequence[Item], *, connection: Any = None) -> list[JobHandle]:
        """Records what `Task.item` or `app.item` made: all of it, or nothing. A key twice gives one job."""
        return self.submit(made_items(items), connection)

    async def aenqueue_many(self, items: Sequence[Item], *, connection: Any = None) -> list[JobHandle]:
        """The async twin of `enqueue_many`."""
        return await self.asubmit(made_items(items), connection)

    def item(self, kind: str, payload: Mapping[str, Any] | None = None, **said: Unpack[Saying]) -> Item:
        """As `Task.item`, by the kind's name. Raises InvalidInput, UnknownKind."""
        try:
            made, by = self._unjudged(kind, payload, said)
            if by is not None:
                judging.check(by, made)
        except InvalidInput as error:
            hide_in(error, self.secret_of(kind), payload)
            raise
        return made

    async def aitem(self, kind: str, payload: Mapping[str, Any] | None = None, **said: Unpack[Saying]) -> Item:
        """The async twin of `item`: a look into the database that the kind may need is taken off the loop, and so is
        judging that may take long."""
        try:
            if kind in self.tasks or self.database.has_at_hand(kind):
                made, by = self._unjudged(kind, payload, said)
            else:
                made, by = await in_thread(lambda: self._unjudged(kind, payload, said))
            if by is not None:
                await self._judge.acheck(by, made)
        except InvalidInput as error:
            hide_in(error, self.secret_of(kind), payload)
            raise
        return made

    def _unjudged(self, kind: str, payload: Mapping[str, Any] | None, said: Saying) -> tuple[Item, str | None]:
        """The item, and the JSON Schema that its payload is still to be judged by. Raises InvalidInput, UnknownKind."""
        if not isinstance(kind, str):
            raise InvalidInput("kind", f"must be text, not {type(kind).__name__}")
        arguments = {} if payload is None else payload
        if not isinstance(arguments, dict):
            raise InvalidInput("payload", f"must be an object (dict), not {type(payload).__name__}")
        task = self.tasks.get(kind)
        if task is not None:
            options = task.declaration.options.using(**said)
            return item(kind, task.version, task.policy, options, task.signature.sent(arguments)), None
        row = self.database.kind(kind)
        options = Options(
            queue=row.queue, priority=row.priority, max_attempts=row.max_attempts, timeout=row.run_time_limit
        ).using(**said)
        plain = values.plain("payload", arguments)
        values.check_zones("payload", arguments, plain)
        return item(kind, max(row.versions), row.policy_of_jobs, options, plain), row.schema

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
        self.database.open(is_beside_transaction=connection is not None)
        lacking = self.database.look_for(_declared_by(items))
        answers = Sending(self.database, items, self._rows(lacking)).send(connection) if items else []
        return [JobHandle(self, answer) for answer in answers]

    async def asubmit(self, items: Sequence[Item], connection: Any = None) -> list[JobHandle]:
        """The async twin of `submit`."""
        await self.database.aopen(is_beside_transaction=connection is not None)
        lacking = await self.database.alook_for(_declared_by(items))
        answers = await Sending(self.database, items, self._rows(lacking)).asend(connection) if items else []
        return [JobHandle(self, answer) for answer in answers]

    async def asubmit_one(self, item: Item, connection: Any = None) -> JobHandle:
        """As `asubmit` for one item; to a store with one writer it goes together with those of other coroutines."""
        store = await self.database.aopen(is_beside_transaction=connection is not None)
        if connection is None and store.gathers_submissions:
            return JobHandle(self, await self._rounds.take(item))
        return (await self.asubmit([item], connection))[0]

    async def asubmit_each(self, items: Sequence[Item]) -> list[Enqueued | TenureError]:
        """As `asubmit`, with a verdict for each: a refused item stops no other."""
        await self.database.aopen()
        lacking = await self.database.alook_for(_declared_by(items))
        return await Sending(self.database, items, self._rows(lacking)).asend_each() if items else []

    def secret_of(self, kind: str) -> SecretFields:
        """The secret fields of a kind, as far as that is known without a look into the database."""
        if not isinstance(kind, str):
            return NONE
        task = self.tasks.get(kind)
        return self.database.secret_of(kind) | (NONE if task is None else task.secret)

    @cached_property
    def _rounds(self) -> "Rounds[Item, Enqueued]":
        from tenure.app.rounds import Rounds

        return Rounds(self.asubmit_each)

    def _rows(self, lacking: Collection[Declared]) -> list[Kind]:
        """The rows of those of these kinds that are declared here."""
        if not lacking:
            return []
        kinds = dict.fromkeys(kind for kind, *_ in lacking)
        return [self.tasks[kind].kind_row() for kind in kinds if kind in self.tasks]

    def _register(self, task: Task[..., Any]) -> Task[..., Any]:
        if task.kind in self.tasks:
            raise Misconfigured(f"the kind {task.kind!r} is declared twice")
        self.tasks[task.kind] = task
        return task


def _declared_by(items: Sequence[Item]) -> set[Declared]:
    return {(one.kind, one.version, one.policy.secret, one.policy.secret_result) for one in items}
