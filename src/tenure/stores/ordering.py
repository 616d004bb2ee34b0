"""What a store can be asked about order keys. What each line looks like is `core.flow.order`'s."""

from collections.abc import Collection, Sequence
from typing import Final, Protocol

import msgspec

from tenure.core.flow.order import OrderKey
from tenure.core.job import Job
from tenure.core.states import State
from tenure.stores.script import Script

LINES: Final = 100
"""Order keys of which one transaction makes heads, where others write meanwhile: it has a right to each of them until
it ends."""


class Turn(msgspec.Struct, frozen=True):
    """A job that has become the head of its key. state: ready, or scheduled where it is not due yet."""

    tenant: str
    order_key: str
    queue: str
    state: State


class Unseen(msgspec.Struct, frozen=True):
    """Keys in which somebody must see who is next. after: where to go on; None: there are no more of them."""

    keys: tuple[OrderKey, ...]
    after: int | None


class OrderVerbs(Protocol):
    def next_heads(self, keys: Collection[OrderKey]) -> Script[list[Turn]]:
        """For the transaction that has ended the heads of these keys: whoever stands first becomes the head, exactly as
        `core.transitions.unblock` would have it. Waits for nobody: what it cannot decide is left to `unseen`."""

    def line_up(self, keys: Collection[OrderKey], *, borrowed: bool = False) -> Script[list[Turn]]:
        """The same for keys that jobs have joined: only where there is no head. borrowed: in a transaction of the
        caller's, which may be long; a store that many write leaves it to `unseen` then, and holds nothing. It does so
        too with keys beyond LINES, and with those of which somebody else just makes heads."""

    def unseen(self, after: int, limit: int) -> Script[Unseen]:
        """Keys that jobs have joined, or whose head has ended, while nobody could see both. To be lined up."""

    def tails(self, keys: Sequence[OrderKey]) -> Script[list[int]]:
        """A place behind everybody in its line, for each key in order."""

    def first_in_line(self, keys: Collection[OrderKey]) -> Script[dict[OrderKey, Job]]:
        """Who stands first in each line: its head, or the job that stops it."""

    def stopped(self, tenants: Collection[str] | None, limit: int) -> Script[list[Job]]:
        """Jobs that stop their order key, those that failed last first."""
