"""Remedies: every code that the product itself ends a job with says what to do about it."""

import pytest

from tenure.core import outcomes
from tenure.core.kind import Kind
from tenure.core.redriving import remedies
from tenure.core.transitions import codes as ends
from tests.docs import codes, facts_of_errors

NOTHING_TO_DO = {ends.CANCELLED, ends.CANCELLED_BY_HANDLER, ends.SUPERSEDED}


def own_codes() -> set[str]:
    """Those that may stand on a failed job, as far as the product and not the handler chooses them."""
    attempts = {row[0].strip("`") for row in facts_of_errors.attempts().rows}
    ended = {row[0].strip("`") for row in facts_of_errors.ended_jobs().rows}
    raised = {kind.default_code for kind in (outcomes.EffectConflict, outcomes.ArtifactConflict, outcomes.Uncertain)}
    return (attempts | ended | raised) - NOTHING_TO_DO


@pytest.mark.parametrize("code", sorted(own_codes()))
def test_a_code_of_the_product_brings_its_own_remedy(code: str) -> None:
    assert remedies.remedy(None, code.replace("…", "404"))


def test_every_remedy_is_one_of_a_code_that_there_is() -> None:
    known = own_codes() | {code.code for code in codes.found()} | {"unclassified"}
    assert set(remedies.OWN) <= known


def test_what_the_author_of_the_task_says_comes_first() -> None:
    kind = Kind(name="pay", remedies={"effect_uncertain": "Ask Ada."})
    assert remedies.remedy(kind, "effect_uncertain") == "Ask Ada."
    assert "tenure effects settle JOB-ID NAME" in (remedies.remedy(kind, "effect_unclear") or "")


def test_a_code_of_the_handlers_own_has_none_unless_its_author_says_one() -> None:
    assert remedies.remedy(None, "no_such_account") is None
    assert remedies.remedy(None, None) is None
