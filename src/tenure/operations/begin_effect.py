"""Begin an effect: put it on record before its call, or say why it is not to be called."""

from typing import Final

from tenure.core import dedupe, defaults
from tenure.core.errors import InvalidInput, RetryTransaction
from tenure.core.job import Job
from tenure.core.ledger import effects
from tenure.core.ledger.effect import Effect
from tenure.core.ledger.effects import Begin, What, Wish
from tenure.stores.ledger import HeldEffect
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script

_RIVALS: Final = 5


def begin_effect(verbs: Verbs, wish: Wish) -> Script[Begin]:
    """What the attempt has to do; the row stands as the answer says. A repeat of the same wish is answered alike.

    Raises RetryTransaction when others keep putting the same key; InvalidInput (`too_many_effects`) for a new effect of
    a job that has `defaults.EFFECTS_OF_A_JOB` of them.
    """
    locked = yield from verbs.lock([wish.job_id])
    job = locked.jobs.get(wish.job_id)
    if job is None:
        return Begin(What.LOST)
    digest = dedupe.digest((yield from verbs.digest_key()), wish.name, wish.args)
    key = effects.key_of(job.id, wish.name, wish.key)
    for _ in range(_RIVALS):
        held = yield from verbs.effect(job.tenant, wish.name, key)
        answer = effects.begin(held.effect, job, wish, digest, held.now)
        if held.effect is None and answer.effect is not None:
            yield from _check_room(verbs, job.id)
        if (yield from _write(verbs, held.effect, answer.effect)):
            yield from _list_shared(verbs, answer, job, wish, held)
            return answer
    raise RetryTransaction(f"others keep putting the effect {wish.name!r} of key {key!r}")


def _check_room(verbs: Verbs, job_id: str) -> Script[None]:
    """Raises InvalidInput. A repeat and a later attempt of what is on record are never refused."""
    if (yield from verbs.effect_count(job_id)) >= defaults.EFFECTS_OF_A_JOB:
        raise InvalidInput(
            "name",
            f"the job has {defaults.EFFECTS_OF_A_JOB:,} effects already",
            code="too_many_effects",
            hint="Give a part of the work to another job.",
        )


def _write(verbs: Verbs, before: Effect | None, after: Effect | None) -> Script[bool]:
    """Whether the row stands as it was decided; another job of the same business key may have been quicker."""
    if after is None or after == before:
        return True
    return (yield from verbs.write_effect(before, after))


def _list_shared(verbs: Verbs, answer: Begin, job: Job, wish: Wish, held: HeldEffect) -> Script[None]:
    """A job's own list names also what another job has confirmed for it."""
    if answer.what is not What.STORED or answer.effect is None:
        return
    own = effects.shared(answer.effect, job, wish, held.now)
    if own is not None:
        known = yield from verbs.effect(own.tenant, own.name, own.key)
        if known.effect is None:
            yield from _check_room(verbs, job.id)
            yield from verbs.write_effect(None, own)
