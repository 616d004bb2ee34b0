"""The verbs of a producer."""

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack
from uuid import UUID

from tenure.app import values
from tenure.app.databases.database import in_thread
from tenure.app.databases.knowledge import Declared
from tenure.app.kinds.declaring import Declaring
from tenure.app.kinds.options import Options
from tenure.app.saying import Saying
from tenure.app.submitting import judging
from tenure.app.submitting.alone import submitted_alone
from tenure.app.submitting.handle import JobHandle
from tenure.app.submitting.hidden_refusals import hide_in
from tenure.app.submitting.item import Item, item, made_items
from tenure.app.submitting.sending import Sending
from tenure.core import fields
from tenure.core.errors import InvalidInput, TenureError
from tenure.core.kind import Kind
from tenure.operations.enqueue import Enqueued

if TYPE_CHECKING:
    from tenure.app.submitting.rounds import Rounds


class Producing(Declaring):
    """Part of `Tenure`. Every method that asks the database raises StoreError."""

    _judge: judging.Judge

    def enqueue(
        self, kind: str, payload: Mapping[str, Any] | None = None, *, connection: Any = None, **said: Unpack[Saying]
    ) -> JobHandle:
        """As `Task.enqueue`, by the kind's name; it may also be a kind that only the database knows.

        Raises UnknownKind besides.
        """
        return self.submit_one(self.item(kind, payload, **said), connection)

    async def aenqueue(
        self, kind: str, payload: Mapping[str, Any] | None = None, *, connection: Any = None, **said: Unpack[Saying]
    ) -> JobHandle:
        """The async twin of `enqueue`."""
        return await self.asubmit_one(await self.aitem(kind, payload, **said), connection)

    def enqueue_many(self, items: Sequence[Item], *, connection: Any = None) -> list[JobHandle]:
        """Records what `Task.item` or `app.item` made: all of it, or nothing. A key twice gives one job.

        The handles are in the order of the items. Raises as `Task.enqueue`.
        """
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
        kind = _plain(kind)
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
        kind = _plain(kind)
        arguments = {} if payload is None else payload
        if not isinstance(arguments, dict):
            arguments = fields.members("payload", payload)
        task = self.tasks.get(kind)
        if task is not None:
            options = task.declaration.options.using(**said)
            return item(kind, task.version, task.policy, options, task.signature.sent(arguments)), None
        row = self.database.kind(kind, self.tasks)
        options = Options(
            queue=row.queue, priority=row.priority, max_attempts=row.max_attempts, timeout=row.run_time_limit
        ).using(**said)
        plain = values.plain("payload", arguments)
        values.check_zones("payload", arguments, plain)
        return item(kind, max(row.versions), row.policy_of_jobs, options, plain), row.schema

    def get(self, job_id: str | UUID) -> JobHandle | None:
        """The job of an id, None where there is none. Raises InvalidInput for what is no UUID."""
        row = self.read(fields.job_id("job_id", job_id))
        return None if row is None else JobHandle(self, row)

    async def aget(self, job_id: str | UUID) -> JobHandle | None:
        """The async twin of `get`."""
        row = await self.aread(fields.job_id("job_id", job_id))
        return None if row is None else JobHandle(self, row)

    # One level below: what tasks and handles call.

    def submit(self, items: Sequence[Item], connection: Any = None) -> list[JobHandle]:
        """Sends checked items."""
        self.database.open(is_beside_transaction=connection is not None)
        lacking = self.database.look_for(_declared_by(items))
        answers = Sending(self.database, items, self._rows(lacking)).send(connection) if items else []
        return [JobHandle(self, answer) for answer in answers]

    def submit_one(self, item: Item, connection: Any = None) -> JobHandle:
        """As `submit` for one item."""
        answer = None if connection is not None else submitted_alone(self.database, item)
        return self.submit([item], connection)[0] if answer is None else JobHandle(self, answer)

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

    @cached_property
    def _rounds(self) -> "Rounds[Item, Enqueued]":
        from tenure.app.submitting.rounds import Rounds

        return Rounds(self.asubmit_each)

    def _rows(self, lacking: Collection[Declared]) -> list[Kind]:
        """The rows of those of these kinds that are declared here."""
        if not lacking:
            return []
        kinds = dict.fromkeys(kind for kind, *_ in lacking)
        return [self.tasks[kind].kind_row() for kind in kinds if kind in self.tasks]


def _declared_by(items: Sequence[Item]) -> set[Declared]:
    return {(one.kind, one.version, one.policy.secret, one.policy.secret_result) for one in items}


def _plain(kind: Any) -> str:
    """The text itself, also of a member of an enumeration."""
    if not isinstance(kind, str):
        raise InvalidInput("kind", f"must be text, not {type(kind).__name__}")
    return str.__str__(kind)
