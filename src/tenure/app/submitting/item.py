"""One submission, checked and ready to be sent."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from tenure.app.kinds.options import Options
from tenure.app.submitting.ids import new_id
from tenure.core import dedupe
from tenure.core.errors import InvalidInput
from tenure.core.flow.supersession import key_of, newer
from tenure.core.flow.supersession_policy import for_job, ordered
from tenure.core.job import NewJob, Policy
from tenure.core.payloads import documents

_MAKE_ITEMS: Final = "Make each by `task.item(…)` or `app.item(…)`."


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """What `Task.item` makes and `Tenure.enqueue_many` takes.

    sent: the payload as plain JSON values, before defaults. text: the same as JSON. supersedes: whether it takes the
    place of an older one of its supersession key.
    """

    kind: str
    version: int
    policy: Policy
    options: Options
    sent: Any
    text: str
    id: str
    supersedes: bool = False

    def __repr__(self) -> str:
        return f"<Item {self.id} {self.kind} version {self.version}>"

    @property
    def is_plain(self) -> bool:
        """Whether it asks for a row that is due at once, and for nothing that has to be looked at before or after."""
        said = self.options
        return not (
            self.supersedes
            or said.run_at is not None
            or said.delay is not None
            or said.deadline is not None
            or said.order_key is not None
        )

    def new_job(self, digest_key: bytes) -> NewJob:
        """The row to insert. digest_key: the database's secret for the digest of the arguments."""
        said = self.options
        plain = NewJob(
            id=self.id,
            kind=self.kind,
            version=self.version,
            policy=self.policy if said.when_full is None else replace(self.policy, when_full=said.when_full),
            payload=self.text,
            args_digest=dedupe.digest(digest_key, self.kind, self.sent),
            tenant=said.tenant,
            queue=said.queue,
            priority=said.priority,
            idempotency_key=said.idempotency_key,
            run_at=said.run_at,
            delay=said.delay,
            deadline=said.deadline,
            max_attempts=said.max_attempts,
            run_time_limit=said.timeout,
            tags=said.tags,
            trace=said.trace,
            order_key=said.order_key,
            on_failure=said.on_failure,
        )
        if not self.supersedes:
            return plain
        members = self.policy.supersede_by or ()
        return newer(plain, said.supersession_key or key_of(digest_key, self.kind, members, self.sent))


def item(kind: str, version: int, policy: Policy, options: Options, sent: Any) -> Item:
    """Raises InvalidInput or TooLarge naming the member of the payload that cannot be stored, or the option that does
    not go with others."""
    if options.on_failure is not None and options.order_key is None:
        raise InvalidInput("on_failure", "is said without an order key", hint="Say order_key too, or leave it out.")
    supersedes = False
    if policy.supersede_by is not None or options.says_supersession:
        policy, supersedes = for_job(
            policy,
            key=options.supersession_key,
            supersede=options.supersede,
            debounce=options.debounce,
            max_wait=options.max_wait,
            has_time=options.run_at is not None or options.delay is not None,
        )
        if supersedes and options.order_key is not None:
            raise ordered()
    return Item(
        kind=kind,
        version=version,
        policy=policy,
        options=options,
        sent=sent,
        text=documents.dump("payload", sent),
        id=options.id or new_id(),
        supersedes=supersedes,
    )


def made_items(items: Sequence[Item]) -> list[Item]:
    """What `enqueue_many` was given, each of it an item. Raises InvalidInput."""
    if isinstance(items, (str, Mapping)) or not isinstance(items, Iterable):
        raise InvalidInput("items", f"must be a list of items, not {type(items).__name__}", hint=_MAKE_ITEMS)
    listed = list(items)
    for index, one in enumerate(listed):
        if not isinstance(one, Item):
            raise InvalidInput(f"items[{index}]", f"must be an item, not {type(one).__name__}", hint=_MAKE_ITEMS)
    return listed
