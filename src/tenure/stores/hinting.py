"""What every store can be asked about delivery hints. The rules are in `core.hints`."""

from collections.abc import Collection
from typing import Protocol

from tenure.core.hints import Backlog, Taken
from tenure.core.switch import Switch
from tenure.stores.script import Script


class HintVerbs(Protocol):
    """Part of `stores.protocol.Verbs`."""

    def start_hints(self, switch: Switch) -> Script[bool]:
        """From now on every job that becomes ready leaves a hint, in its own transaction, and those that are ready have
        one already; False where that was so. Commits some of its statements by themselves; it can be repeated. On
        PostgreSQL it waits a moment for transactions that have written jobs: raises StoreBusy where they stay open."""

    def stop_hints(self) -> Script[bool]:
        """No hint is left, and none is made any more; whether that was otherwise. As `start_hints` does."""

    def take_hints(self, token: str, limit: int, hold: float, waited: float = 0.0) -> Script[Taken]:
        """Up to `limit` hints that have been due for `waited` seconds at least, the longest first; they are due again
        in `hold` seconds unless they are settled under `token`. Rows that others hold are skipped. Those whose job is
        not ready any more are deleted."""

    def settle_hints(
        self, token: str, job_ids: Collection[str], again: float | None, error: str | None = None
    ) -> Script[int]:
        """Deletes those of these hints that are still held under `token`; with `again` they are due in so many seconds
        instead. error: why they are not given; None, they are. How many it was done to: a job that has become ready
        again since has a fresh hint."""

    def hint_backlog(self) -> Script[Backlog]:
        """What waits to be given to a publisher."""
