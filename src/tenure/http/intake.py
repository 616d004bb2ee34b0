"""Submissions: checked one by one, gathered on their way into the database."""

from collections.abc import Sequence
from typing import Any, Final, cast

from tenure.app.saying import Saying
from tenure.app.submitting.item import Item
from tenure.app.submitting.rounds import Rounds
from tenure.app.tenure import Tenure
from tenure.core import fields
from tenure.core.access import check_kind, check_priority, check_queue, check_when_full, tenant_for
from tenure.core.errors import InvalidInput, TenureError
from tenure.core.principal import Principal
from tenure.edge import enqueues, words
from tenure.operations.enqueue import Enqueued

_AS_SAID: Final = (
    "idempotency_key", "id", "queue", "priority", "delay", "run_at", "deadline", "timeout", "tags", "supersede",
    "supersession_key", "debounce", "max_wait", "when_full", "order_key", "on_failure",
)  # fmt: skip
"""Members of a submission that are options under the same name."""


class Intake:
    """Each submission gets its own verdict, whoever travels with it."""

    def __init__(self, app: Tenure) -> None:
        self._app = app
        self._rounds: Rounds[Item, Enqueued] = Rounds(app.asubmit_each)

    async def enqueue(self, item: Item) -> Enqueued:
        """One with a supersession key may wait for a rival's transaction, and keeps nobody else waiting.

        Raises KeyConflict, IdConflict, InvalidInput, StoreError."""
        if not item.supersedes:
            return await self._rounds.take(item)
        (answer,) = await self._app.asubmit_each([item])
        if isinstance(answer, TenureError):
            raise answer
        return answer

    async def enqueue_many(self, items: Sequence[Item]) -> list[Enqueued | TenureError]:
        """Apart from those of other requests, and a verdict for each, in order."""
        return await self._app.asubmit_each(items)

    async def checked(self, said: enqueues.Enqueue, principal: Principal, trace: str | None) -> Item:
        """The submission, if `principal` may make it: what is said is judged before anything is looked up, the
        defaults of the kind after.

        Raises Forbidden, and InvalidInput in the words of the edge.
        """
        tenant = tenant_for(principal, said.tenant)
        check_kind(principal, said.type)
        if said.queue is not None:
            check_queue(principal, said.queue)
        if said.priority is not None:
            check_priority(principal, fields.priority("priority", said.priority))
        try:
            item = await self._app.aitem(said.type, said.payload, **_options(said, tenant, trace))
        except InvalidInput as error:
            raise words.spoken(error) from error
        check_queue(principal, item.options.queue)
        check_priority(principal, item.options.priority)
        check_when_full(principal, item.options.when_full, item.policy.when_full)
        return item


def _options(said: enqueues.Enqueue, tenant: str, trace: str | None) -> Saying:
    """What is said beyond kind and payload."""
    options: dict[str, Any] = {name: value for name in _AS_SAID if (value := getattr(said, name)) is not None}
    if said.max_retries is not None:
        options["max_attempts"] = words.max_attempts(said.max_retries)
    if trace is not None:
        options["trace"] = trace
    return cast(Saying, {"tenant": tenant, **options})
