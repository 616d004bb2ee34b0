"""What an application declares: its tasks, and what is kept of their kinds."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Concatenate, Never, ParamSpec, Protocol, TypeVar, Unpack, cast, overload

from tenure.app.databases.asking_store import AskingStore
from tenure.app.handling.context import Context
from tenure.app.kinds.declarable import Declarable
from tenure.app.kinds.declaration import check_function, declare
from tenure.app.kinds.task import Task
from tenure.app.saying import check_known
from tenure.core import defaults, fields
from tenure.core.errors import Misconfigured
from tenure.core.kind import Kind
from tenure.core.secrecy.secret_fields import NONE, SecretFields
from tenure.engine.attempts.handler import TWICE

if TYPE_CHECKING:
    from tenure.app.tenure import Tenure

P = ParamSpec("P")
R = TypeVar("R")


class Declare(Protocol):
    """What `app.task(…)` answers: the decorator."""

    @overload
    def __call__(self, function: Callable[Concatenate[Context, P], R]) -> Task[P, R]: ...
    @overload
    def __call__(self, function: Callable[P, R]) -> Task[P, R]: ...


class Declaring(AskingStore):
    """Part of `Tenure`."""

    tasks: dict[str, Task[..., Any]]
    """By kind."""

    def task(self, *bare: Never, kind: str | None = None, **said: Unpack[Declarable]) -> Declare:
        """Declares the decorated function as the handler of a kind (its name, where `kind` is left out).

        Durations are seconds or a timedelta. What stands for a job that does not say it itself:

        - queue, priority (low, medium, high, critical or a whole number), max_attempts (the first included),
          timeout (run-time limit of an attempt).

        How an attempt runs:

        - version: the number of the handler's meaning; reads: older versions that it runs too, each with the function
          that upgrades their payload.
        - isolation: loop, thread or process; in a process with limits of memory (bytes) and cpu.
        - progress_timeout: longest silence of `ctx.progress`.
        - slots: how many of its worker's one job takes, and how many it counts in limits. concurrency: how many slots
          the kind takes at once over all workers. uses: resources that it shares with other kinds (`uses=["smtp"]`),
          whose limits and pauses it keeps to.

        How it ends:

        - effects: names of those without which a job has not succeeded. verify: `verify(ctx, result)` says whether it
          has done what it should, before its success is written; False or an exception fails the attempt,
          `verification_failed`.
        - retry_on, terminal_on: exception class → code. backoff: first and longest wait before a retry. remedies: code
          → what to do about jobs that failed with it, in words for operators.
        - retry_share: of the kind's attempts in a minute, from 0 to 1, that may be retries before further ones wait
          longer. circuit: so many failures in a row, throttled ones and calls of effects that told nothing included,
          have the kind of this tenant rest.
        - on_failure: what becomes of an order key when one of its jobs fails for good: it stops until that is redriven
          or cancelled, or continues with the next.

        What is kept, and what waits:

        - secret, secret_result: paths of members of payload and result (`card.number`, `items.*.token`) that are shown
          to nobody but the handler. payload_retention: how long the payload is kept after the job's end.
        - when_full: what becomes of a new job where as many wait as may: refuse, accept or delay.
        - supersede="latest": of a tenant's jobs that have the same values in the arguments named by supersede_by (none
          of them: all jobs of the kind) at most one waits, the newest; with debounce it runs when no newer one has come
          for so long, and at the latest max_wait (ten debounces) after the first.

        Raises Misconfigured naming the argument; TypeError for one that there is not.
        """
        check_known(said, {*Declarable.__annotations__, "kind"})
        if bare:
            raise Misconfigured("app.task is written with parentheses", hint="Write @app.task().")

        def declared(function: Callable[..., Any]) -> Task[..., Any]:
            check_function(function)
            declaration = declare(function.__name__ if kind is None else kind, **said)
            return self._register(Task(cast("Tenure", self), function, declaration))

        return cast(Declare, declared)

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

    def kind_named(self, name: str) -> Kind:
        """Of a task, or one that only the database knows. Raises UnknownKind."""
        name = fields.name("kind", name)
        return self.tasks[name].kind_row() if name in self.tasks else self.database.kind(name, self.tasks)

    def secret_of(self, kind: str) -> SecretFields:
        """The secret fields of a kind, as far as that is known without a look into the database."""
        if not isinstance(kind, str):
            return NONE
        task = self.tasks.get(kind)
        return self.database.secret_of(kind) | (NONE if task is None else task.secret)

    def _register(self, task: Task[..., Any]) -> Task[..., Any]:
        if task.kind in self.tasks:
            raise Misconfigured(f"the kind {task.kind!r} is declared twice", hint=TWICE)
        self.tasks[task.kind] = task
        return task
