"""A task: the declaration of a kind in Python, and the verbs of its producers."""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, Unpack

from tenure.app.kinds.binding import isolation_of, verification_of
from tenure.app.kinds.declaration import Declaration
from tenure.app.kinds.options import Options
from tenure.app.kinds.secret_arguments import check_secret, secret_defaults, secret_of
from tenure.app.kinds.signature import Signature
from tenure.app.kinds.superseding import check_members
from tenure.app.saying import Saying
from tenure.app.submitting.handle import JobHandle
from tenure.app.submitting.hidden_refusals import hide_in
from tenure.app.submitting.item import Item, item
from tenure.core.errors import InvalidInput
from tenure.core.job import Policy
from tenure.core.kind import Kind
from tenure.core.secrecy.secret_fields import SecretFields

if TYPE_CHECKING:
    from tenure.app.tenure import Tenure

P = ParamSpec("P")
R = TypeVar("R")


class Task(Generic[P, R]):
    """Calling it runs the handler here and now; `enqueue` records a job that a worker will run."""

    def __init__(self, app: "Tenure", function: Callable[..., R], declaration: Declaration) -> None:
        self.app, self.function, self.declaration = app, function, declaration
        self.kind, self.version = declaration.kind, declaration.version
        self.isolation = isolation_of(declaration.kind, function, declaration.isolation)
        self.verify = verification_of(declaration.kind, function, declaration.verify, declaration.mapped)
        self.signature = Signature(function)
        check_secret(declaration.kind, declaration.secret, self.signature)
        check_members(declaration.kind, declaration.policy, self.signature)
        self.__name__ = getattr(function, "__name__", declaration.kind)
        self.__doc__ = function.__doc__
        self.__wrapped__ = function
        self._bound: BoundTask[P] = BoundTask(self, declaration.options, None)

    def __call__(self, *args: Any, **kwargs: Any) -> R:
        """Runs the handler directly, with whatever it takes; no job, no attempt."""
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<Task {self.kind} version {self.version}>"

    def enqueue(self, *args: P.args, **kwargs: P.kwargs) -> JobHandle:
        """Records a job. The arguments are the handler's, without the context.

        Raises InvalidInput naming the argument, KeyConflict, IdConflict, QueueFull, StoreUnavailable, StoreBusy; in a
        caller's transaction RetryTransaction and WrongDatabase besides.
        """
        return self._bound.enqueue(*args, **kwargs)

    async def aenqueue(self, *args: P.args, **kwargs: P.kwargs) -> JobHandle:
        """The async twin of `enqueue`."""
        return await self._bound.aenqueue(*args, **kwargs)

    def item(self, *args: P.args, **kwargs: P.kwargs) -> Item:
        """The same job, checked but not sent: for `app.enqueue_many`."""
        return self._bound.item(*args, **kwargs)

    def using(self, *, connection: Any = None, **said: Unpack[Saying]) -> "BoundTask[P]":
        """The same verbs under other options (`Options.using` lists them).

        connection: a sqlite3, psycopg, asyncpg, SQLAlchemy or Django connection or session whose transaction the
        enqueue joins. Call `app.open()` once before the first such transaction.
        """
        return self._bound.using(connection=connection, **said)

    @cached_property
    def secret(self) -> SecretFields:
        """The fields that it declares, and those that the schema of its payload marks as write-only."""
        return secret_of(self.declaration.secret, self.signature)

    @cached_property
    def secret_defaults(self) -> tuple[Any, ...]:
        """What stands in the secret fields where a payload leaves them out."""
        return secret_defaults(self.secret, self.signature)

    @cached_property
    def policy(self) -> Policy:
        """What its jobs are enqueued with."""
        return self.kind_row().policy_of_jobs

    def kind_row(self) -> Kind:
        """What the database keeps of this declaration."""
        said = self.declaration
        return Kind(
            name=self.kind,
            versions=tuple(sorted({self.version, *said.reads})),
            schema=self.signature.schema(),
            queue=said.options.queue,
            max_attempts=said.options.max_attempts,
            run_time_limit=said.options.timeout,
            policy=said.policy,
            concurrency=said.concurrency,
            priority=said.options.priority,
            remedies=said.remedies,
            secret=self.secret.payload,
            secret_result=self.secret.result,
            slots=said.slots,
            uses=said.uses,
        )


class BoundTask(Generic[P]):
    """A task with options. It changes nothing and can be kept."""

    __slots__ = ("_task", "connection", "options")

    def __init__(self, task: Task[P, Any], options: Options, connection: Any) -> None:
        self._task, self.options, self.connection = task, options, connection

    def enqueue(self, *args: P.args, **kwargs: P.kwargs) -> JobHandle:
        """As `Task.enqueue`."""
        return self._task.app.submit_one(self.item(*args, **kwargs), self.connection)

    async def aenqueue(self, *args: P.args, **kwargs: P.kwargs) -> JobHandle:
        """As `Task.aenqueue`."""
        return await self._task.app.asubmit_one(self.item(*args, **kwargs), self.connection)

    def item(self, *args: P.args, **kwargs: P.kwargs) -> Item:
        """As `Task.item`."""
        task = self._task
        arguments = task.signature.bind(args, kwargs) if args else kwargs
        try:
            return item(task.kind, task.version, task.policy, self.options, task.signature.sent(arguments))
        except InvalidInput as error:
            hide_in(error, task.secret, arguments)
            raise

    def using(self, *, connection: Any = None, **said: Unpack[Saying]) -> "BoundTask[P]":
        """As `Task.using`, on top of what is said already."""
        return BoundTask(self._task, self.options.using(**said), self.connection if connection is None else connection)
