"""The claim: `core.flow.fairness` over hops of the ready index."""

from collections.abc import Sequence

from tenure.core.claim import Claimed, ClaimRequest
from tenure.core.reports import Completion
from tenure.stores.script import Script
from tenure.stores.sqlite.claiming import Claiming
from tenure.stores.sqlite.verbs.completing import CompleteVerbs


class ClaimVerbs(CompleteVerbs):
    """See `stores.protocol.Verbs`."""

    def claim(self, request: ClaimRequest) -> Script[Claimed]:
        now = yield from self._tick()
        return (yield from Claiming(request, now).answer())

    def complete_and_claim(
        self, completions: Sequence[Completion], request: ClaimRequest
    ) -> Script[tuple[list[str], Claimed]]:
        done = yield from self.complete(completions)
        return done, (yield from self.claim(request))
