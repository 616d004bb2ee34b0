"""Queues or tenants as a list: their jobs by state, whether they are paused, and what else is said of them."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import click

from tenure.cli import lateness_words
from tenure.cli.asking import opened
from tenure.cli.pausing import since
from tenure.cli.rendering import duration, print_json, print_table
from tenure.core import fields
from tenure.core.fields import priority_label
from tenure.core.flow.pause import Pause
from tenure.core.flow.relief import Relief, in_words
from tenure.core.job_filter import EVERY_JOB, JobFilter
from tenure.core.states import State
from tenure.operations.lateness import lateness
from tenure.stores.protocol import Store
from tenure.stores.reading import By, NamedCount

_SHOWN = (State.READY, State.SCHEDULED, State.BLOCKED, State.RUNNING, State.FAILED)
_NAMES = 14


def print_lanes(by: By, cursor: str | None, limit: int, database: str | None, as_json: bool) -> None:
    """One page, by name."""
    with opened(database) as store:
        counts = store.run(store.verbs.counts_by(by, EVERY_JOB, cursor, limit + 1))
        pauses = {pause.name: pause for pause in store.run(store.verbs.pauses(by)) if pause.name > (cursor or "")}
        own, reliefs = _own(store, by)
        now = store.run(store.verbs.now())
    names = sorted(
        {count.name for count in counts} | pauses.keys() | {name for name in reliefs if name > (cursor or "")}
    )
    lanes = [
        _lane(name, [count for count in counts if count.name == name], pauses.get(name)) | own(name)
        for name in names[:limit]
    ]
    following = lanes[-1]["name"] if len(names) > limit else None
    if as_json:
        print_json({f"{by}s": lanes, "next": following})
        return
    rows = [_row(lane, now, reliefs.get(lane["name"])) for lane in lanes]
    headings = ("weight",) if by == "tenant" else (), ("low priorities",) if by == "queue" else ()
    print_table((by, *headings[0], *map(str, _SHOWN), "oldest ready", *headings[1], "paused since"), rows, f"no {by}s")
    if following is not None:
        click.echo(f"more: --cursor {following}")


def print_queue(name: str, database: str | None, as_json: bool) -> None:
    """One queue."""
    name = fields.name("name", name)
    with opened(database) as store:
        counts = store.run(store.verbs.counts_by("queue", JobFilter(queues=(name,)), None, 1))
        pause = next((pause for pause in store.run(store.verbs.pauses("queue")) if pause.name == name), None)
        own, reliefs = _own(store, "queue")
        now = store.run(store.verbs.now())
        (late,) = store.run(lateness(store.verbs, [name]))
    lane = _lane(name, counts, pause) | own(name)
    if as_json:
        print_json({**lane, "lateness": late})
        return
    told = [(state, f"{jobs:,}") for state, jobs in lane["jobs"].items()] + [
        ("oldest ready", _waited(lane, now)),
        ("low priorities", in_words(reliefs.get(name, Relief()))),
        ("paused", since(pause) or "no"),
        *lateness_words.facts(late),
    ]
    click.echo("\n".join([f"queue {name}", *(f"  {what:<{_NAMES}} {value}" for what, value in told)]))


def _own(store: Store, by: By) -> tuple[Callable[[str], dict[str, Any]], dict[str, Relief]]:
    """What is said of each of them, and the reliefs of queues."""
    if by == "tenant":
        weights = store.run(store.verbs.weights())
        return lambda name: {"weight": weights.get(name, 1)}, {}
    reliefs = store.run(store.verbs.reliefs())
    return lambda name: _public(reliefs.get(name, Relief())), reliefs


def _public(relief: Relief) -> dict[str, Any]:
    said = relief.reserve
    shown = None if said is None else {"percent": said.percent, "priority": priority_label(said.most)}
    return {"aging": relief.aging, "reserve": shown}


def _lane(name: str, counts: Sequence[NamedCount], pause: Pause | None) -> dict[str, Any]:
    oldest = next((count.oldest_run_at for count in counts if count.state is State.READY), None)
    jobs = {str(count.state): count.jobs for count in counts}
    return {"name": name, "jobs": jobs, "oldest_run_at": oldest, "pause": pause}


def _row(lane: dict[str, Any], now: datetime, relief: Relief | None) -> tuple[str, ...]:
    jobs = (f"{lane['jobs'].get(state, 0):,}" for state in _SHOWN)
    weight = (str(lane["weight"]),) if "weight" in lane else ()
    relieved = () if "weight" in lane else ("" if relief is None else in_words(relief),)
    return lane["name"], *weight, *jobs, _waited(lane, now), *relieved, since(lane["pause"])


def _waited(lane: dict[str, Any], now: datetime) -> str:
    oldest = lane["oldest_run_at"]
    return "" if oldest is None else duration(max(0.0, (now - oldest).total_seconds()))
