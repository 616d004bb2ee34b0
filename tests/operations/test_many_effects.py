"""A job with many effects, on every store: what is asked of one of them reads no other."""

import pytest
from msgspec.structs import replace

from tenure.core import defaults
from tenure.core.errors import InvalidInput
from tenure.core.lease import Lease
from tenure.core.ledger.effect import Effect, EffectState, Standing
from tenure.core.ledger.effects import What, Wish
from tenure.operations.begin_effect import begin_effect
from tests.conformance.asking import NOBODY, Ask


def wish(lease: Lease, name: str, request_id: str = "r", key: str | None = None) -> Wish:
    return Wish(job_id=lease.job_id, token=lease.token, name=name, request_id=request_id, key=key, timeout=1.0)


def begun(ask: Ask, lease: Lease, name: str, request_id: str = "r", key: str | None = None) -> Effect:
    answer = ask.run(begin_effect(ask.verbs, wish(lease, name, request_id, key)))
    assert answer.what is What.CALL
    assert answer.effect is not None
    return answer.effect


def confirmed(ask: Ask, effect: Effect) -> Effect:
    after = replace(effect, state=EffectState.CONFIRMED, result='"long"', revision=effect.revision + 1)
    assert ask.run(ask.verbs.write_effect(effect, after))
    return after


def test_an_effect_is_found_by_the_request_id_of_its_newest_call(ask: Ask) -> None:
    job = ask.enqueued()
    lease = ask.lease()
    one, other = begun(ask, lease, "mail", "r1", "k1"), begun(ask, lease, "mail", "r2", "k2")
    begun(ask, lease, "charge", "r1")
    verbs = ask.verbs
    assert ask.run(verbs.effect_of_call(job, "mail", "r1")) == one
    assert ask.run(verbs.effect_of_call(job, "mail", "r2")) == other
    assert ask.run(verbs.effect_of_call(job, "mail", "r3")) is None
    assert ask.run(verbs.effect_of_call(NOBODY, "mail", "r1")) is None


def test_how_effects_stand_is_told_in_the_order_of_a_list_and_a_page_without_results_holds_none(ask: Ask) -> None:
    job = ask.enqueued()
    lease = ask.lease()
    begun(ask, lease, "mail")
    charge = confirmed(ask, begun(ask, lease, "charge"))
    verbs = ask.verbs
    assert ask.run(verbs.effect_standings(job)) == [
        Standing("charge", EffectState.CONFIRMED), Standing("mail", EffectState.PENDING),
    ]  # fmt: skip
    assert ask.run(verbs.effect_count(job)) == 2
    assert ask.run(verbs.effect_page(job, 0, 1)) == [charge]
    assert ask.run(verbs.effect_page(job, 0, 1, results=False)) == [replace(charge, result=None)]
    assert (ask.run(verbs.effect_count(NOBODY)), ask.run(verbs.effect_standings(NOBODY))) == (0, [])


def test_a_job_has_no_more_effects_than_a_thousand_and_what_is_on_record_goes_on(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert defaults.EFFECTS_OF_A_JOB == 1000
    monkeypatch.setattr(defaults, "EFFECTS_OF_A_JOB", 2)
    job = ask.enqueued()
    lease = ask.lease()
    first = begun(ask, lease, "mail")
    begun(ask, lease, "charge")
    with pytest.raises(InvalidInput) as refused:
        begun(ask, lease, "third")
    assert (refused.value.code, refused.value.field) == ("too_many_effects", "name")
    assert begun(ask, lease, "mail") == first
    assert ask.run(ask.verbs.effect_count(job)) == 2
