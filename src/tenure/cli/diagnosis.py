"""What `tenure doctor` looks for. Each check answers findings; none changes anything."""

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from tenure.app.settings import Settings
from tenure.cli.diagnosis_of_connections import of_connections
from tenure.cli.diagnosis_of_databases import of_burden, of_clock, of_log, of_sqlite
from tenure.cli.diagnosis_of_lateness import of_lateness
from tenure.cli.diagnosis_of_lines import of_lines
from tenure.cli.diagnosis_of_schedules import paused_of, troubles_of
from tenure.cli.diagnosis_of_sealing import of_sealing
from tenure.cli.finding import Finding, Level
from tenure.cli.pausing import by_whom
from tenure.cli.rendering import duration, instant
from tenure.core import defaults
from tenure.core.counting import counted
from tenure.core.flow import demand
from tenure.core.flow.demand import Demands
from tenure.core.flow.limits import LimitUse, full_in_words, room
from tenure.core.flow.pause import Pause
from tenure.core.flow.place import places
from tenure.core.hints import Backlog
from tenure.core.job import Job
from tenure.core.job_filter import EVERY_JOB, JobFilter
from tenure.core.kind import Kind
from tenure.core.redriving.redrive import Redrive, RedriveState
from tenure.core.scheduling.schedule import Schedule
from tenure.core.states import State
from tenure.core.switch import REDRIVES, Switch
from tenure.stores.protocol import Store
from tenure.stores.reading import Count, Slowdown

LATE: Final = timedelta(minutes=5)
UNASKED: Final = timedelta(seconds=10)
"""Several polls of an idle worker."""
LOOKED_AT: Final = 1000
UNPUBLISHED: Final = timedelta(minutes=1)


def examine(store: Store) -> list[Finding]:
    """Every check of an open store, in order."""
    here = datetime.now(UTC)
    now = store.run(store.verbs.now())
    counts, kinds = store.run(store.verbs.counts()), store.run(store.verbs.kinds())
    slowdowns, pauses = store.run(store.verbs.slowdowns()), store.run(store.verbs.pauses())
    uses, demands = store.run(store.verbs.limits()), store.run(store.verbs.demands())
    startable = [count for count in counts if not _is_paused(count, pauses, demands)]
    unheld = [count for count in startable if not _is_limited(count, uses, demands, now)]
    lately = {one.queue for one in store.run(store.verbs.seen(UNASKED.total_seconds(), LOOKED_AT)).seen}
    waiting = _jobs(store, State.READY) + _jobs(store, State.SCHEDULED)
    return [
        Finding("schema", Level.OK, "the database's schema fits this release"),
        *of_sqlite(store.url, sqlite3.sqlite_version_info),
        *of_clock(store.url, here, now),
        *of_undeclared(counts, waiting, kinds),
        *of_expired(_jobs(store, State.RUNNING), now),
        *of_oldest(startable, now),
        *of_unasked(unheld, slowdowns, now, lately),
        *of_pauses(pauses, now),
        *of_limits(uses, now),
        *of_lateness(store),
        *of_slowdowns(slowdowns, now),
        *of_redrives(store.run(store.verbs.redrives(None, LOOKED_AT)), store.run(store.verbs.read_switch(REDRIVES))),
        *of_hints(store.run(store.verbs.hint_backlog())),
        *of_sealing(store),
        *of_schedules(store.run(store.verbs.schedules(EVERY_JOB, None, LOOKED_AT)), now),
        *of_lines(store.run(store.verbs.stopped(None, LOOKED_AT)), LOOKED_AT),
        *of_burden(store.run(store.verbs.burden())),
        *of_log(store.url),
        *of_connections(store.pool, store.room(), Settings()),
    ]


def of_undeclared(counts: Sequence[Count], waiting: Sequence[Job], kinds: dict[str, Kind]) -> Iterator[Finding]:
    """Waiting jobs that no worker can take, since nobody declared their kind or version."""
    open_kinds = {count.kind for count in counts if count.state in (State.READY, State.SCHEDULED, State.BLOCKED)}
    wrong = [f"kind {name}" for name in sorted(open_kinds - kinds.keys())]
    versions = {(job.kind, job.version) for job in waiting if job.kind in kinds}
    wrong += [f"kind {name} version {v}" for name, v in sorted(versions) if v not in kinds[name].versions]
    if not wrong:
        yield Finding("kinds", Level.OK, "every waiting job's kind and version is declared")
    for name in wrong:
        yield Finding(
            "kinds", Level.WRONG, f"jobs wait for {name}, which nobody declared; deploy its code or cancel them"
        )


def of_expired(running: Sequence[Job], now: datetime) -> Iterator[Finding]:
    """Leases that ended more than two sweeps ago: no worker sweeps."""
    margin = timedelta(seconds=2 * defaults.SWEEP_INTERVAL)
    late = [job for job in running if job.lease_expires_at is not None and job.lease_expires_at + margin < now]
    if not late:
        yield Finding("leases", Level.OK, "no expired lease waits to be swept")
    else:
        words = f"{counted(len(late), 'expired lease')} not swept yet (job {late[0].id} for one): start a worker"
        yield Finding("leases", Level.WRONG, words)


def of_oldest(counts: Sequence[Count], now: datetime) -> Iterator[Finding]:
    """How long the oldest ready job waits."""
    ready = [count for count in counts if count.state is State.READY and count.oldest_run_at is not None]
    oldest = min(ready, key=lambda count: count.oldest_run_at or now, default=None)
    if oldest is None or oldest.oldest_run_at is None:
        yield Finding("lateness", Level.OK, "no job is ready and waiting")
        return
    late = now - oldest.oldest_run_at
    words = (
        f"the oldest ready job (queue {oldest.queue}, kind {oldest.kind}) has waited "
        f"{duration(max(0.0, late.total_seconds()))}"
    )
    if late > LATE:
        yield Finding("lateness", Level.WRONG, f"{words}: does a worker serve this queue and kind, has it free slots?")
    else:
        yield Finding("lateness", Level.OK, words)


def of_unasked(
    counts: Sequence[Count], slowdowns: Sequence[Slowdown], now: datetime, lately: Collection[str] = ()
) -> Iterator[Finding]:
    """Queues whose ready jobs nobody takes: a worker asks only those that it was told of. lately: those in which jobs
    ended a moment ago."""
    busy = {count.queue for count in counts if count.state is State.RUNNING}.union(lately)
    slowed = {slow.kind for slow in slowdowns}
    waiting: dict[str, list[Count]] = {}
    for count in counts:
        if count.state is State.READY and count.queue not in busy and count.kind not in slowed:
            waiting.setdefault(count.queue, []).append(count)
    unasked = {queue: found for queue, found in waiting.items() if _waited(found, now) > UNASKED}
    if not unasked:
        yield Finding("queues", Level.OK, "in every queue somebody takes what is ready")
    for queue, found in sorted(unasked.items()):
        jobs, waited = sum(count.jobs for count in found), _waited(found, now)
        words = (
            f"queue {queue}: {jobs:,} ready and none running, for {duration(waited.total_seconds())}; no worker seems "
            f"to ask it: start one with --queues {queue}"
        )
        yield Finding("queues", Level.WRONG if waited > LATE else Level.NOTE, words)


def _waited(counts: Sequence[Count], now: datetime) -> timedelta:
    """How long the oldest of them has waited."""
    return max((now - count.oldest_run_at for count in counts if count.oldest_run_at is not None), default=timedelta())


def _is_paused(count: Count, pauses: Sequence[Pause], demands: Demands) -> bool:
    """Whether its ready jobs are not to start. Of a paused tenant's that cannot be told."""
    used = {("resource", name) for name in demand.of(demands, count.kind).uses}
    own = {("queue", count.queue), ("kind", count.kind)} | used
    return count.state is State.READY and not own.isdisjoint((pause.subject, pause.name) for pause in pauses)


def _is_limited(count: Count, uses: Sequence[LimitUse], demands: Demands, now: datetime) -> bool:
    """Whether a limit lets none of its ready jobs start now. Of a tenant's limit that cannot be told."""
    own = places(count.queue, count.kind, "", demand.of(demands, count.kind).uses)
    full = {use.limit.place for use in uses if not room(use, now).is_open}
    return count.state is State.READY and not full.isdisjoint(own)


def of_pauses(pauses: Sequence[Pause], now: datetime) -> Iterator[Finding]:
    """What somebody has paused, and for how long by now: it is easily forgotten."""
    if not pauses:
        yield Finding("pauses", Level.OK, "no queue, kind, tenant or resource is paused")
    for pause in pauses:
        words = (
            f"{pause.subject} {pause.name} is paused for {duration(max(0.0, (now - pause.at).total_seconds()))} "
            f"{by_whom(pause.who, pause.why)}; `tenure {pause.subject}s resume {pause.name}`"
        )
        yield Finding("pauses", Level.NOTE, words)


def of_limits(uses: Sequence[LimitUse], now: datetime) -> Iterator[Finding]:
    """Limits that let nothing more start now: as they should, unless somebody wonders why jobs wait."""
    full = [use for use in uses if not room(use, now).is_open]
    if not full:
        yield Finding("limits", Level.OK, "no limit is reached")
    for use in full:
        yield Finding("limits", Level.NOTE, full_in_words(use, now))


def of_slowdowns(slowdowns: Sequence[Slowdown], now: datetime) -> Iterator[Finding]:
    """Kinds that wait because a dependency asked for less."""
    if not slowdowns:
        yield Finding("slowdowns", Level.OK, "no kind is slowed down")
    for slow in slowdowns:
        left = duration(max(0.0, (slow.until - now).total_seconds()))
        yield Finding(
            "slowdowns", Level.NOTE, f"kind {slow.kind} of tenant {slow.tenant} waits {left} more: {slow.code}"
        )


def of_redrives(redrives: Sequence[Redrive], switch: Switch | None) -> Iterator[Finding]:
    """Redrives that wait for somebody: stopped by their rule, or held by the switch."""
    if switch is not None:
        why = f": {switch.why}" if switch.why else ""
        words = f"redrives of selections are forbidden by {switch.who} since {instant(switch.at)}{why}"
        yield Finding("redrives", Level.NOTE, f"{words}; allow them with `tenure redrives allow`")
    stopped = [redrive for redrive in redrives if redrive.state is RedriveState.STOPPED]
    for redrive in stopped:
        words = (
            f"redrive {redrive.id} has stopped with {counted(redrive.waiting, 'job')} waiting: {redrive.stop_reason}; "
            f"mend the cause, then `tenure redrives resume {redrive.id}`, or cancel it"
        )
        yield Finding("redrives", Level.WRONG, words)
    if switch is None and not stopped:
        yield Finding("redrives", Level.OK, "no redrive has stopped, and they are allowed")


def of_hints(backlog: Backlog) -> Iterator[Finding]:
    """Hints that nobody takes, or that their function refuses. Workers find the jobs by polling all the same."""
    late = timedelta() if backlog.oldest_due_at is None else backlog.now - backlog.oldest_due_at
    level, words = Level.WRONG, "are on and none is late" if backlog.is_on else "are off"
    if backlog.is_on and backlog.error is not None:
        words = f"were refused by their function, {backlog.refused} of them, with: {backlog.error}"
    elif backlog.is_on and late > UNPUBLISHED:
        words = (
            f"wait, {backlog.due} of them, the oldest for {duration(late.total_seconds())}: "
            "run `tenure publish-hints`, or `tenure hints off` where nobody publishes any more"
        )
    else:
        level = Level.OK
    yield Finding("hints", level, f"delivery hints {words}")


def of_schedules(schedules: Sequence[Schedule], now: datetime) -> Iterator[Finding]:
    """Those that make no jobs: somebody has paused them, which is easily forgotten, or there is something wrong."""
    troubles, paused = list(troubles_of(schedules, now)), list(paused_of(schedules, now))
    yield from (Finding("schedules", Level.WRONG, words) for words in troubles)
    yield from (Finding("schedules", Level.NOTE, words) for words in paused)
    if not troubles and not paused:
        yield Finding("schedules", Level.OK, "no schedule is flagged, late or paused")


def _jobs(store: Store, state: State) -> list[Job]:
    return store.run(store.verbs.list_jobs(JobFilter(states=(state,)), None, LOOKED_AT))
