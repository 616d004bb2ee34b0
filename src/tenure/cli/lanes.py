"""Queues or tenants as a list: their jobs by state, and whether they are paused."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import click

from tenure.cli.asking import opened
from tenure.cli.pausing import since
from tenure.cli.rendering import duration, print_json, print_table
from tenure.core.job_filter import EVERY_JOB
from tenure.core.pause import Pause
from tenure.core.states import State
from tenure.stores.reading import By, NamedCount

_SHOWN = (State.READY, State.SCHEDULED, State.BLOCKED, State.RUNNING, State.FAILED)


def print_lanes(by: By, cursor: str | None, limit: int, database: str | None, as_json: bool) -> None:
    """One page, by name."""
    with opened(database) as store:
        counts = store.run(store.verbs.counts_by(by, EVERY_JOB, cursor, limit + 1))
        pauses = {pause.name: pause for pause in store.run(store.verbs.pauses(by)) if pause.name > (cursor or "")}
        weights = store.run(store.verbs.weights()) if by == "tenant" else {}
        now = store.run(store.verbs.now())
    names = sorted({count.name for count in counts} | pauses.keys())
    lanes = [_lane(name, [count for count in counts if count.name == name], pauses.get(name)) for name in names[:limit]]
    if by == "tenant":
        lanes = [{**lane, "weight": weights.get(lane["name"], 1)} for lane in lanes]
    following = lanes[-1]["name"] if len(names) > limit else None
    if as_json:
        print_json({f"{by}s": lanes, "next": following})
        return
    rows = [_row(lane, now) for lane in lanes]
    weighed = ("weight",) if by == "tenant" else ()
    print_table((by, *weighed, *map(str, _SHOWN), "oldest ready", "paused since"), rows, f"no {by}s")
    if following is not None:
        click.echo(f"more: --cursor {following}")


def _lane(name: str, counts: Sequence[NamedCount], pause: Pause | None) -> dict[str, Any]:
    oldest = next((count.oldest_run_at for count in counts if count.state is State.READY), None)
    jobs = {str(count.state): count.jobs for count in counts}
    return {"name": name, "jobs": jobs, "oldest_run_at": oldest, "pause": pause}


def _row(lane: dict[str, Any], now: datetime) -> tuple[str, ...]:
    jobs = (f"{lane['jobs'].get(state, 0):,}" for state in _SHOWN)
    oldest = lane["oldest_run_at"]
    waited = "" if oldest is None else duration(max(0.0, (now - oldest).total_seconds()))
    weight = (str(lane["weight"]),) if "weight" in lane else ()
    return lane["name"], *weight, *jobs, waited, since(lane["pause"])
