"""What `tenure doctor` looks for in capacities, objectives and what starves."""

from collections.abc import Iterator, Sequence

from tenure.cli.finding import Finding, Level
from tenure.cli.lateness_words import starved_words
from tenure.cli.rendering import duration
from tenure.core.flow.lateness import Lateness, in_words
from tenure.core.flow.place import words_of
from tenure.operations.lateness import lateness
from tenure.stores.protocol import Store

_CAPACITIES = 100
_LANES = 5


def of_lateness(store: Store) -> Iterator[Finding]:
    """Bounded, as everything that it asks."""
    yield from of_capacities(store)
    told = store.run(lateness(store.verbs))
    yield from of_objectives(told)
    yield from of_starvation(told)


def of_capacities(store: Store) -> Iterator[Finding]:
    """Where new work is refused now."""
    rules = store.run(store.verbs.capacities())[:_CAPACITIES]
    counts = store.run(store.verbs.waiting(rules))
    full = [rule for rule, kinds in zip(rules, counts, strict=True) if sum(kinds.values()) >= rule.jobs]
    if not full:
        yield Finding("capacities", Level.OK, "no capacity is reached")
    for rule in full:
        words = f"{words_of(rule.place)} is full: {rule.jobs:,} jobs wait, as many as may; optional ones are refused"
        yield Finding("capacities", Level.NOTE, f"{words}; start workers, or raise it with `tenure capacities set`")


def of_objectives(told: Sequence[Lateness]) -> Iterator[Finding]:
    """Queues whose jobs start later than they may."""
    missed = [one for one in told if one.is_met is False]
    if not missed:
        yield Finding("objectives", Level.OK, "no queue misses its objective")
    for one in missed:
        words = (
            f"queue {one.queue} misses its objective, {in_words(one.objective)}: {one.within or 0:.0%} of "
            f"{one.started:,} jobs did, half of them started up to {duration(one.median or 0.0)} late, 95 in 100 up to "
            f"{duration(one.most or 0.0)}"
        )
        yield Finding("objectives", Level.WRONG, f"{words}; give the queue more slots, or less work")


def of_starvation(told: Sequence[Lateness]) -> Iterator[Finding]:
    """Lanes of which nothing starts while others of their queue do."""
    found = [(one, lane) for one in told for lane in one.starved[:_LANES]]
    if not found:
        yield Finding("starvation", Level.OK, "no kind or tenant waits long while others of its queue start")
    for one, lane in found:
        words = f"queue {one.queue}: {starved_words(lane)}"
        hint = (
            "look for a limit, a slowdown or workers without its code, "
            "or give low priorities a share (`tenure queues set`)"
        )
        yield Finding("starvation", Level.WRONG, f"{words}; {hint}")
