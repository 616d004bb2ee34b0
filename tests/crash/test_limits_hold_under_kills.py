"""Limits hold over workers that are killed at random, by what the attempts themselves say."""

import random
from collections.abc import Mapping, Sequence
from datetime import datetime

from tenure.core.attempt import Attempt
from tenure.core.flow.limits import Rate
from tenure.core.flow.place import Place
from tenure.core.states import State
from tenure.operations.set_limit import set_limit
from tests.crash.harness import Line, Site, until
from tests.crash.test_torture import kill

SLOTS, PRESS = 4, 4
OPTIONS = ("--slots", str(SLOTS), "--lease", "1", "--poll", "0.05", "--sweep", "0.2")
AT_ONCE, RATE = 3, Rate(20, 1.0, 5)


def test_limits_are_never_exceeded_while_workers_are_killed(site: Site) -> None:
    """B65, B67: four workers, one of them killed again and again; the windows of all attempts are laid side by side."""
    for place, concurrency, rate in ((Place(kind="ledger"), AT_ONCE, None), (Place(), None, RATE)):
        site.run(set_limit(site.app.opened().verbs, place, concurrency, rate, who="test"))
    ids = site.enqueue_many(60, seconds=0.05)
    dice = random.Random(7)
    herd = [site.start(*OPTIONS).ready() for _ in range(4)]
    for _ in range(8):
        place = dice.randrange(len(herd))
        kill(herd[place], dice)
        herd[place] = site.start(*OPTIONS).ready()
    assert site.all_ended(seconds=120) == {"succeeded": len(ids)}
    attempts = [attempt for history in site.histories(ids).values() for attempt in history]
    assert most_at_once(attempts) <= AT_ONCE
    check_rate(sorted(attempt.started_at for attempt in attempts))


def test_limits_that_are_changed_meanwhile_hold_at_a_tenant_and_at_a_kind_of_one(site: Site) -> None:
    """Of a limit that is lowered: what started since is held to it, what ran goes on."""
    limits = {"acme": Place(kind="ledger", tenant="acme"), "bcme": Place(tenant="bcme")}
    for place, concurrency in zip(limits.values(), (3, 2), strict=True):
        site.run(set_limit(site.app.opened().verbs, place, concurrency, None, who="test"))
    dice, herd = random.Random(5), [worker.ready() for worker in [site.start(*OPTIONS) for _ in range(4)]]
    ids = {name: enqueued_of(site, name, 30) for name in (*limits, "free")}
    until(lambda: site.counts()[State.SUCCEEDED] >= 5, "jobs have run under the first limit")
    site.run(set_limit(site.app.opened().verbs, limits["acme"], 1, None, who="test"))
    changed = site.run(site.verbs.now())
    for _ in range(6):
        place = dice.randrange(len(herd))
        kill(herd[place], dice)
        herd[place] = site.start(*OPTIONS).ready()
    assert site.all_ended(seconds=120) == {"succeeded": sum(map(len, ids.values()))}
    told = {name: [one for some in site.histories(of).values() for one in some] for name, of in ids.items()}
    assert most_at_once(told["bcme"]) <= 2
    assert most_at_once(told["acme"]) <= 3
    assert most_at_once([one for one in told["acme"] if one.started_at > changed]) == 1
    ends = {name: sorted(one.ended_at for one in some) for name, some in told.items()}
    assert ends["free"][15] < ends["acme"][-1], "what has no limit does not wait for what has"


def enqueued_of(site: Site, tenant: str, count: int) -> list[str]:
    items = [site.app.item("ledger", {"n": n, "seconds": 0.1}, tenant=tenant) for n in range(count)]
    return [job.id for job in site.app.enqueue_many(items)]


def test_slots_of_a_resource_and_of_workers_are_never_exceeded_while_workers_are_killed(site: Site) -> None:
    """Jobs of three slots and of one share a resource that has four, on workers that have four each; none waits for
    ever."""
    site.run(set_limit(site.app.opened().verbs, Place(resource="press"), PRESS, None, who="test"))
    slots = dict.fromkeys(site.enqueue_many(60, "light_ledger", seconds=0.05), 1)
    slots |= dict.fromkeys(site.enqueue_many(15, "heavy_ledger", seconds=0.05), 3)
    dice = random.Random(11)
    herd = [site.start(*OPTIONS).ready() for _ in range(4)]
    for _ in range(8):
        place = dice.randrange(len(herd))
        kill(herd[place], dice)
        herd[place] = site.start(*OPTIONS).ready()
    assert site.all_ended(seconds=120) == {"succeeded": len(slots)}
    attempts = [(slots[job], one) for job, history in site.histories(list(slots)).items() for one in history]
    assert most_at_once([one for _, one in attempts], [taken for taken, _ in attempts]) <= PRESS
    check_slots_of_workers(site.ledger(), slots)


def check_slots_of_workers(lines: Sequence[Line], slots: Mapping[str, int]) -> None:
    """By what the handlers themselves wrote. (A completion that meets a heartbeat is written once more, so an attempt
    may end on record after the next one has begun; its handler has returned.)"""
    for pid in {line.pid for line in lines}:
        running, most = 0, 0
        for line in (line for line in lines if line.pid == pid):
            running += slots[line.job] if line.event == "start" else -slots[line.job]
            most = max(most, running)
        assert 0 < most <= SLOTS


def most_at_once(attempts: Sequence[Attempt], slots: Sequence[int] | None = None) -> int:
    """A lease that was lost ends with its expiry; one may begin at the instant at which another ends. slots: of
    each."""
    taken = slots or [1] * len(attempts)
    edges = sorted(
        edge
        for size, one in zip(taken, attempts, strict=True)
        for edge in ((one.started_at, size), (one.ended_at, -size))
    )
    running, most = 0, 0
    for _at, step in edges:
        running += step
        most = max(most, running)
    return most


def check_rate(starts: list[datetime]) -> None:
    """In no window do more start than the bucket holds and what fills it meanwhile."""
    for first, begun in enumerate(starts):
        for count, at in enumerate(starts[first:], 1):
            assert count <= RATE.burst + RATE.starts * (at - begun).total_seconds() / RATE.seconds + 1e-6
