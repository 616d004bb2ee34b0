"""Aging and reserved capacity: low priorities get slots beside urgent ones that never end."""

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest

from tenure.core.claim import Cursors
from tenure.core.errors import InvalidInput
from tenure.core.flow import relief
from tenure.core.flow.limits import Rate
from tenure.core.flow.place import Place
from tenure.core.flow.relief import Relief, Reserve
from tenure.core.kind import Kind
from tenure.operations.pause import pause
from tenure.operations.set_limit import set_limit
from tenure.operations.set_relief import set_relief
from tenure.operations.set_weight import set_weight
from tests.conformance.asking import Ask, new
from tests.conformance.racing import race

LOW, MEDIUM, HIGH, CRITICAL = 0, 10, 20, 30
LETTERS = {LOW: "l", MEDIUM: "m", HIGH: "h", CRITICAL: "c"}


def relieve(ask: Ask, queue: str = "default", **said: Any) -> bool:
    return ask.run(set_relief(ask.verbs, queue, relief.made(**said), who="op", why="exports are late"))


def backlog(ask: Ask, jobs: int, priority: int, **fields: Any) -> None:
    ask.enqueue(*[new(priority=priority, **fields) for _ in range(jobs)])


class Claimer:
    """Claims one after the other, each from the cursors of the one before."""

    def __init__(self, ask: Ask) -> None:
        self._ask, self._cursors = ask, Cursors()

    def starts(self, *limits: int, **fields: Any) -> str:
        """The first letters of the priorities in the order in which claims of these sizes start their jobs."""
        return "".join(LETTERS[priority] for priority, _ in self.started(*limits, **fields))

    def started(self, *limits: int, **fields: Any) -> list[tuple[int, str]]:
        """Priority and tenant of each job."""
        found = []
        for limit in limits:
            at = self._cursors
            claimed = self._ask.claimed(limit, after=at.after, owed=at.owed, credit=at.credit, **fields)
            found += [(lease.priority, lease.tenant) for lease in claimed.leases]
            self._cursors = at.past(claimed)
        return found


@pytest.fixture
def claimer(ask: Ask) -> Claimer:
    return Claimer(ask)


def test_without_a_relief_priorities_are_strict(ask: Ask, claimer: Claimer) -> None:
    backlog(ask, 3, LOW)
    ask.clock.advance(86_400)
    backlog(ask, 3, CRITICAL)
    assert claimer.starts(1, 1, 2, 1, 1) == "ccclll"


@pytest.mark.parametrize("limits", [(1,) * 20, (2,) * 10, (3,) * 6 + (2,), (20,)])
def test_the_reserve_gets_its_share_whatever_claims_ask_for(
    ask: Ask, claimer: Claimer, limits: tuple[int, ...]
) -> None:
    relieve(ask, reserve=Reserve(20, LOW))
    backlog(ask, 30, CRITICAL)
    backlog(ask, 30, LOW)
    assert Counter(claimer.starts(*limits)) == {"c": 16, "l": 4}


def test_the_slots_of_the_reserve_come_evenly(ask: Ask, claimer: Claimer) -> None:
    relieve(ask, reserve=Reserve(25, LOW))
    backlog(ask, 30, HIGH)
    backlog(ask, 30, LOW)
    assert claimer.starts(*(1,) * 12) == "hhhlhhhlhhhl"


def test_what_the_reserve_does_not_use_goes_to_the_others_and_is_not_saved_up(ask: Ask, claimer: Claimer) -> None:
    relieve(ask, reserve=Reserve(25, LOW))
    backlog(ask, 40, HIGH)
    assert claimer.starts(*(1,) * 16) == "h" * 16
    backlog(ask, 10, LOW)
    assert claimer.starts(*(1,) * 8) == "lhhhlhhh"


def test_what_low_jobs_get_by_themselves_is_part_of_their_share(ask: Ask, claimer: Claimer) -> None:
    relieve(ask, reserve=Reserve(25, LOW))
    backlog(ask, 20, LOW)
    assert claimer.starts(*(1,) * 6) == "l" * 6
    backlog(ask, 20, HIGH)
    assert claimer.starts(*(1,) * 8) == "hhhlhhhl"


def test_the_reserve_is_for_all_priorities_up_to_its_own_the_highest_first(ask: Ask, claimer: Claimer) -> None:
    relieve(ask, reserve=Reserve(50, MEDIUM))
    for priority, jobs in ((CRITICAL, 9), (MEDIUM, 2), (LOW, 9)):
        backlog(ask, jobs, priority)
    assert claimer.starts(*(1,) * 8) == "cmcmclcl"


def test_a_job_gets_ahead_when_it_has_waited_a_step_for_each_label_between(ask: Ask, claimer: Claimer) -> None:
    relieve(ask, aging=60)
    backlog(ask, 1, LOW)
    ask.clock.advance(179.999)
    backlog(ask, 9, CRITICAL)
    assert claimer.starts(1, 1) == "cc"
    ask.clock.advance(0.001)
    assert claimer.starts(1, 1) == "lc"


def test_what_is_ripe_gets_every_second_slot_and_the_top_the_others(ask: Ask, claimer: Claimer) -> None:
    relieve(ask, aging=60)
    backlog(ask, 30, LOW)
    ask.clock.advance(86_400)
    backlog(ask, 30, HIGH)
    assert claimer.starts(*(1,) * 8) == "hlhlhlhl"
    assert Counter(claimer.starts(10, 4)) == {"h": 7, "l": 7}


def test_ripe_levels_take_turns_so_that_none_waits_for_the_mass_of_a_lower_one(ask: Ask, claimer: Claimer) -> None:
    relieve(ask, aging=60)
    backlog(ask, 30, LOW)
    ask.clock.advance(86_400)
    backlog(ask, 30, MEDIUM)
    ask.clock.advance(120)
    backlog(ask, 30, CRITICAL)
    assert claimer.starts(*(1,) * 8) == "cmclcmcl"


def test_a_level_is_ripe_for_whichever_of_its_tenants_is_near_and_is_served_in_turns(
    ask: Ask, claimer: Claimer
) -> None:
    relieve(ask, aging=60)
    backlog(ask, 2, LOW, tenant="patient")
    ask.clock.advance(60)
    for tenant in ("a", "b", "c"):
        backlog(ask, 1, LOW, tenant=tenant)
    backlog(ask, 30, MEDIUM)
    started = claimer.started(*(1,) * 10)
    assert [tenant for priority, tenant in started if priority == LOW] == ["a", "b", "c", "patient", "patient"]


def test_the_reserve_is_taken_off_first_and_aging_divides_what_is_left(ask: Ask, claimer: Claimer) -> None:
    relieve(ask, aging=60, reserve=Reserve(50, LOW))
    backlog(ask, 30, LOW)
    backlog(ask, 30, MEDIUM)
    ask.clock.advance(180)
    backlog(ask, 30, CRITICAL)
    assert claimer.starts(*(1,) * 12) == "clmlcllclmlc"


def test_both_are_of_one_queue_and_hold_from_the_next_claim_until_they_are_taken_away(
    ask: Ask, claimer: Claimer
) -> None:
    backlog(ask, 30, LOW)
    backlog(ask, 30, HIGH)
    assert relieve(ask, "elsewhere", reserve=Reserve(50, LOW))
    assert claimer.starts(1, 1, 2) == "hhhh"
    assert relieve(ask, reserve=Reserve(50, LOW))
    assert not relieve(ask, reserve=Reserve(50, LOW))
    assert claimer.starts(1, 1, 1, 1) == "hlhl"
    assert relieve(ask, aging=60.0, reserve=Reserve(50, LOW))
    assert ask.run(ask.verbs.reliefs())["default"] == Relief(60.0, Reserve(50, LOW))
    assert relieve(ask)
    assert claimer.starts(1, 1, 2) == "hhhh"
    assert list(ask.run(ask.verbs.reliefs())) == ["elsewhere"]
    lines = [line for line in ask.run(ask.verbs.audit_lines(9)) if line.queue == "default"]
    assert (lines[-1].detail, lines[-1].why) == ("none → reserve 50 % up to low", "exports are late")
    assert lines[0].detail == "aging 60 s a step, reserve 50 % up to low → none"


def test_a_relief_and_a_pause_of_one_queue_stand_side_by_side(ask: Ask, claimer: Claimer) -> None:
    relieve(ask, aging=60, reserve=Reserve(50, LOW))
    backlog(ask, 9, LOW)
    ask.run(pause(ask.verbs, "queue", "default", who="op"))
    assert claimer.starts(5) == ""
    assert relieve(ask)
    assert [one.name for one in ask.run(ask.verbs.pauses())] == ["default"]


def test_what_is_paused_or_cannot_run_here_is_no_top_and_not_ripe(ask: Ask, claimer: Claimer) -> None:
    relieve(ask, aging=60)
    backlog(ask, 9, LOW, tenant="paused")
    backlog(ask, 9, LOW, tenant="there")
    backlog(ask, 9, CRITICAL, kind="other")
    ask.run(pause(ask.verbs, "tenant", "paused", who="op"))
    ask.clock.advance(60)
    backlog(ask, 9, MEDIUM)
    assert claimer.started(1, 1, 1, 1) == [(MEDIUM, "default"), (LOW, "there")] * 2


def test_limits_hold_over_all_parts_of_a_claim(ask: Ask, claimer: Claimer) -> None:
    relieve(ask, aging=60, reserve=Reserve(30, LOW))
    ask.run(set_limit(ask.verbs, Place(tenant="small"), 2, Rate(1, 60.0, 3), who="op"))
    for priority in (LOW, MEDIUM):
        backlog(ask, 9, priority, tenant="small")
        backlog(ask, 9, priority, tenant="large")
    ask.clock.advance(120)
    backlog(ask, 9, HIGH, tenant="small")
    started = claimer.started(20)
    assert len(started) == 20
    assert Counter(tenant for _, tenant in started) == {"large": 18, "small": 2}


def test_what_passes_over_room_kept_for_a_heavier_job_makes_no_level_ripe(ask: Ask, claimer: Claimer) -> None:
    kinds = ("k", "heavy")
    ask.run(ask.verbs.put_kinds([Kind(name="heavy", slots=3)], replace=True))
    ask.run(set_limit(ask.verbs, Place(tenant="small"), 3, None, who="op"))
    relieve(ask, aging=60, reserve=Reserve(50, LOW))
    backlog(ask, 1, LOW, tenant="small", kind="heavy")
    backlog(ask, 1, MEDIUM, tenant="small")
    ask.clock.advance(120)
    assert ask.claimed(only=ask.enqueued(tenant="small")).leases
    backlog(ask, 1, MEDIUM, tenant="large")
    backlog(ask, 9, HIGH, tenant="large")
    assert claimer.starts(6, kinds=kinds) == "hhhhhh"


def test_weights_hold_inside_the_levels_that_are_relieved(ask: Ask, claimer: Claimer) -> None:
    relieve(ask, reserve=Reserve(50, LOW))
    ask.run(set_weight(ask.verbs, "b", 3, who="op"))
    for tenant in ("a", "b"):
        backlog(ask, 20, LOW, tenant=tenant)
    backlog(ask, 40, HIGH)
    assert "".join(tenant for priority, tenant in claimer.started(*(1,) * 16) if priority == LOW) == "abbbabbb"


def test_a_claim_for_one_job_or_that_is_repeated_deals_out_nothing(ask: Ask) -> None:
    relieve(ask, reserve=Reserve(50, LOW))
    backlog(ask, 2, LOW)
    wanted = ask.enqueued(priority=HIGH)
    assert ask.claimed(1, only=wanted).given is None
    assert ask.claimed(1).given is not None


def test_jobs_whose_deadline_has_passed_make_no_level_ripe(ask: Ask, claimer: Claimer) -> None:
    relieve(ask, aging=60)
    ask.enqueue(new(priority=LOW, deadline=ask.clock() + timedelta(seconds=30)))
    ask.clock.advance(61)
    backlog(ask, 3, LOW)
    backlog(ask, 3, MEDIUM)
    assert claimer.starts(1, 1, 1) == "mmm"


@pytest.mark.parametrize(
    ("queue", "said", "field"),
    [
        ("", {"aging": 1}, "queue"),
        ("q", {"aging": 0}, "aging"),
        ("q", {"aging": True}, "aging"),
        ("q", {"aging": "5"}, "aging"),
    ],
)
def test_what_cannot_be_is_refused(ask: Ask, queue: str, said: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        relieve(ask, queue, **said)
    assert refusal.value.field == field


def test_claimers_at_once_each_keep_the_share_and_no_job_starts_twice(ask: Ask) -> None:
    relieve(ask, reserve=Reserve(20, LOW))
    backlog(ask, 60, LOW)
    backlog(ask, 120, HIGH)

    def claims_of_one() -> list[str]:
        at, ids, low = Cursors(), [], 0
        for _ in range(25):
            claimed = ask.claimed(1, after=at.after, owed=at.owed, credit=at.credit)
            low += sum(lease.priority == LOW for lease in claimed.leases)
            ids += [lease.job_id for lease in claimed.leases]
            at = at.past(claimed)
        assert (len(ids), low) == (25, 5)
        return ids

    ids = [job_id for mine in race([claims_of_one] * 4) for job_id in mine]
    assert len(set(ids)) == 100


def test_of_many_levels_a_claim_looks_at_few_and_all_come_in_their_time(ask: Ask, claimer: Claimer) -> None:
    """Eight levels are looked at; what ripens below them comes as the round of levels goes on."""
    relieve(ask, aging=60)
    ask.enqueue(*[new(priority=-10 * level) for level in range(30)])
    ask.clock.advance(60 * 30)
    backlog(ask, 100, MEDIUM)
    started = [priority for priority, _ in claimer.started(*(1,) * 60)]
    assert [priority for priority in started if priority != MEDIUM] == [-10 * level for level in range(30)]
    assert relief.LEVELS < 30
