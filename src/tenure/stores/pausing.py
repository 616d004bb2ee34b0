"""What every store can be asked about pauses. Part of `stores.protocol.Verbs`."""

from collections.abc import Collection
from typing import Protocol

from tenure.core.flow.pause import Pause, Subject
from tenure.stores.script import Script


class PauseVerbs(Protocol):
    """Claims look at these rows themselves, and take nothing that one of them holds."""

    def put_pause(self, pause: Pause) -> Script[bool]:
        """Whether it is there now and was not; one that stands is left as it is."""

    def drop_pause(self, subject: Subject, name: str) -> Script[bool]:
        """Whether there was one."""

    def pauses(self, subject: Subject | None = None, names: Collection[str] | None = None) -> Script[list[Pause]]:
        """By subject and name. subject: only of queues, kinds or tenants. names: only of these."""
