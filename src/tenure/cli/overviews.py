"""Queues or tenants as a list, or one of them: their jobs by state, whether they are paused, and what else is said of
them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import click

from tenure.cli import lateness_words
from tenure.cli.asking import opened
from tenure.cli.pausing import since
from tenure.cli.rendering import duration, print_json, print_table
from tenure.core.fields import priority_label
from tenure.core.flow import limits
from tenure.core.flow.limits import Limit
from tenure.core.flow.place import Place
from tenure.core.flow.relief import Relief, in_words
from tenure.core.job_filter import EVERY_JOB, JobFilter
from tenure.core.states import State
from tenure.operations.lateness import lateness
from tenure.operations.overviews import Overview, everything, overview, overviews
from tenure.stores.protocol import Store
from tenure.stores.reading import By

_SHOWN = (State.READY, State.SCHEDULED, State.BLOCKED, State.RUNNING, State.FAILED)
_NAMES = 14


def print_overviews(by: By, cursor: str | None, limit: int, database: str | None, as_json: bool) -> None:
    """One page, by name."""
    with opened(database) as store:
        found = store.run(overviews(store.verbs, by, EVERY_JOB, cursor, limit + 1, everything))
        now = store.run(store.verbs.now())
    shown = found[:limit]
    following = shown[-1].name if len(found) > limit else None
    if as_json:
        print_json({f"{by}s": [_public(one, by) for one in shown], "next": following})
        return
    weight, relief = ("weight",) if by == "tenant" else (), ("low priorities",) if by == "queue" else ()
    headings = (by, *weight, *map(str, _SHOWN), "oldest ready", *relief, "paused since")
    print_table(headings, [_row(one, by, now) for one in shown], f"no {by}s")
    if following is not None:
        click.echo(f"more: --cursor {following}")


def print_queue(name: str, database: str | None, as_json: bool) -> None:
    """One queue."""
    with opened(database) as store:
        found = store.run(overview(store.verbs, "queue", name, JobFilter(queues=(name,)), everything))
        now, bounds = store.run(store.verbs.now()), _bounds(store, Place(queue=name))
        (late,) = store.run(lateness(store.verbs, [name]))
    if as_json:
        print_json({**_public(found, "queue"), **bounds, "lateness": late})
        return
    own = [("low priorities", in_words(found.relief)), *_told(bounds)]
    _print_facts("queue", found, now, own, *lateness_words.facts(late))


def print_tenant(name: str, database: str | None, as_json: bool) -> None:
    """One tenant."""
    with opened(database) as store:
        found = store.run(overview(store.verbs, "tenant", name, JobFilter(tenants=(name,)), everything))
        now, bounds = store.run(store.verbs.now()), _bounds(store, Place(tenant=name))
    if as_json:
        print_json({**_public(found, "tenant"), **bounds})
        return
    _print_facts("tenant", found, now, [("weight", str(found.weight)), *_told(bounds)])


def _bounds(store: Store, place: Place) -> dict[str, Any]:
    """What limits it: how many run and start, and how many wait. None where nobody has said so."""
    limit = next((use.limit for use in store.run(store.verbs.limits([place]))), Limit(place=place))
    capacity = next((rule.jobs for rule in store.run(store.verbs.capacities()) if rule.place == place), None)
    return {"concurrency": limit.concurrency, "rate": limit.rate, "capacity": capacity}


def _told(bounds: dict[str, Any]) -> list[tuple[str, str]]:
    allowed = limits.in_words(Limit(place=Place(), concurrency=bounds["concurrency"], rate=bounds["rate"]))
    capacity = "none" if bounds["capacity"] is None else f"{bounds['capacity']:,} may wait"
    return [("limit", allowed), ("capacity", capacity)]


def _print_facts(
    by: By, found: Overview, now: datetime, own: Sequence[tuple[str, str]], *more: tuple[str, str]
) -> None:
    """own: what only queues or only tenants have."""
    jobs = [(str(state), f"{jobs:,}") for state, jobs in found.jobs.items()]
    told = [*jobs, ("oldest ready", _waited(found, now)), *own, ("paused", since(found.pause) or "no"), *more]
    click.echo("\n".join([f"{by} {found.name}", *(f"  {what:<{_NAMES}} {value}" for what, value in told)]))


def _public(found: Overview, by: By) -> dict[str, Any]:
    own = {"weight": found.weight} if by == "tenant" else _public_relief(found.relief)
    shown = {str(state): jobs for state, jobs in found.jobs.items()}
    return {"name": found.name, "jobs": shown, "oldest_run_at": found.oldest_run_at, "pause": found.pause, **own}


def _public_relief(relief: Relief) -> dict[str, Any]:
    said = relief.reserve
    shown = None if said is None else {"percent": said.percent, "priority": priority_label(said.most)}
    return {"aging": relief.aging, "reserve": shown}


def _row(found: Overview, by: By, now: datetime) -> tuple[str, ...]:
    jobs = (f"{found.jobs.get(state, 0):,}" for state in _SHOWN)
    weight = (str(found.weight),) if by == "tenant" else ()
    relieved = (in_words(found.relief) if found.relief != Relief() else "",) if by == "queue" else ()
    return found.name, *weight, *jobs, _waited(found, now), *relieved, since(found.pause)


def _waited(found: Overview, now: datetime) -> str:
    oldest = found.oldest_run_at
    return "" if oldest is None else duration(max(0.0, (now - oldest).total_seconds()))
