"""Finish an effect: its call has come back."""

from tenure.core.ledger import settling
from tenure.core.ledger.effect import Effect, Said
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


def finish_effect(verbs: Verbs, begun: Effect, token: str, said: Said) -> Script[Effect | None]:
    """The row after it; None: another attempt has touched it since, and what is said now is not kept.

    begun: as `begin_effect` answered it. token: the lease's under which it began; the lease may have ended.
    """
    held = yield from verbs.effect(begun.tenant, begun.name, begun.key)
    ended = settling.finish(held.effect, token, begun.request_id, said, held.now)
    if ended is not None and ended != held.effect:
        yield from verbs.write_effect(held.effect, ended)
    return ended
