"""Complete and claim: the hot path of a busy worker."""

from collections.abc import Sequence

from tenure.core.claim import Claimed, ClaimRequest
from tenure.core.reports import Answer, Completion
from tenure.operations.report import answered, lone_completions
from tenure.operations.set_aside_sealed import set_aside_sealed
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


def complete_and_claim(
    verbs: Verbs, completions: Sequence[Completion], request: ClaimRequest
) -> Script[tuple[list[Answer], Claimed]]:
    """What is done goes in and what is next comes out in one round trip."""
    done, claimed = yield from verbs.complete_and_claim(lone_completions(completions), request)
    answers = yield from answered(verbs, completions, set(done))
    return answers, (yield from set_aside_sealed(verbs, claimed))
