"""Runs what is due by hand: no worker, no threads, no waiting."""

import asyncio
import time
from collections.abc import Generator
from datetime import datetime
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

import msgspec

from tenure.core import fields
from tenure.core.attempt import Outcome
from tenure.core.claim import ClaimRequest, Cursors
from tenure.core.errors import Misconfigured
from tenure.core.lease import Lease
from tenure.core.reports import Answer, Completion, Report
from tenure.core.states import State
from tenure.engine.attempts import verdict
from tenure.engine.attempts.handler import Handler
from tenure.engine.attempts.run import Run
from tenure.engine.claiming.claim_secrets import fresh_claim_id, fresh_tokens
from tenure.operations.claim import claim
from tenure.operations.expire import pass_deadlines
from tenure.operations.order import line_up_unseen
from tenure.operations.promote import promote
from tenure.operations.report import report
from tenure.testing.memory import check_app, clock_of

if TYPE_CHECKING:
    from tenure.app.tenure import Tenure

_MOST = 10_000_000
_ENDS = (Exception, SystemExit, asyncio.CancelledError)
"""What a handler may raise; an interrupt of the test run passes through."""


class Ran(msgspec.Struct, frozen=True):
    """One attempt and what came of it. `code` and `error` are those of the failure, None when it succeeded."""

    job_id: str
    kind: str
    attempt: int
    outcome: Outcome | None
    state: State | None
    code: str | None
    error: str | None


Steps = Generator[tuple[Handler, Run], Report, list[Ran]]


def drain(app: "Tenure", *, advance: bool = False, limit: int = 10_000) -> list[Ran]:
    """Runs everything that is due, one attempt after the other, until nothing is left; what happened, in order.

    advance: moves the fake clock of `memory_app` on to whatever is due next, so that retries and delayed jobs run
    too. limit: how many attempts at most; more raises AssertionError, for a job that enqueues itself for ever.
    """
    steps = _steps(app, advance, limit)
    said: Report | None = None
    while True:
        try:
            handler, run = next(steps) if said is None else steps.send(said)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]
        said = _run(handler, run)


async def adrain(app: "Tenure", *, advance: bool = False, limit: int = 10_000) -> list[Ran]:
    """The async twin of `drain`: async handlers run on the loop of the test."""
    steps = _steps(app, advance, limit)
    said: Report | None = None
    while True:
        try:
            handler, run = next(steps) if said is None else steps.send(said)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]
        said = await _arun(handler, run)


def _steps(app: "Tenure", advance: bool, limit: int) -> Steps:
    check_app(app)
    fields.whole("limit", limit, 0, _MOST)
    hand = Hand(app, fields.flag("advance", advance))
    ran: list[Ran] = []
    while (lease := hand.next()) is not None:
        if len(ran) == limit:
            raise AssertionError(f"{limit} attempts ran and more is due; does a job enqueue itself?")
        run = Run(lease, time.monotonic())
        handler = hand.handlers[lease.kind]
        run.keep_secret(handler.secret, handler.secret_defaults)
        run.begun = True
        said = yield hand.handlers[lease.kind], run
        ran.append(hand.report(run, said))
    return ran


class Hand:
    """Claims one job at a time, and reports how it ended."""

    def __init__(self, app: "Tenure", advance: bool) -> None:
        self._store = app.opened()
        self._clock = clock_of(self._store) if advance else None
        if advance and self._clock is None:
            raise Misconfigured("advance=True needs the fake clock of memory_app")
        self.handlers = {handler.kind: handler for handler in app.handlers()}
        self._abilities = tuple(able for handler in self.handlers.values() for able in handler.abilities())
        self._cursors: dict[str, Cursors] = {}

    def next(self) -> Lease | None:
        """The next lease; None when nothing is due, nor, with a clock to move, ever will be."""
        while True:
            due = self._make_ready()
            lease = self._claim()
            if lease is not None or due is None or self._clock is None:
                return lease
            self._clock.to(due)

    def report(self, run: Run, said: Report) -> Ran:
        store, lease = self._store, run.lease
        answer: Answer = store.run(report(store.verbs, [said]))[0]
        elsewhere = run.completed_elsewhere and answer.state is State.SUCCEEDED
        failed = not isinstance(said, Completion) and not elsewhere
        return Ran(
            job_id=lease.job_id,
            kind=lease.kind,
            attempt=lease.attempt,
            outcome=Outcome.SUCCEEDED if elsewhere else answer.outcome,
            state=answer.state,
            code=getattr(said, "code", None) if failed else None,
            error=getattr(said, "error", None) if failed else None,
        )

    def _make_ready(self) -> datetime | None:
        store = self._store
        store.run(pass_deadlines(store.verbs))
        store.run(line_up_unseen(store.verbs, 0))
        return store.run(promote(store.verbs)).next_run_at

    def _claim(self) -> Lease | None:
        store = self._store
        counts = store.run(store.verbs.counts())
        for queue in sorted({count.queue for count in counts if count.state is State.READY}):
            request = ClaimRequest(
                claim_id=fresh_claim_id(),
                worker="drain",
                holder=None,
                queue=queue,
                abilities=self._abilities,
                limit=1,
                counts_jobs=True,
                tokens=fresh_tokens(1),
                after=self._cursors.get(queue, Cursors()).after,
                owed=self._cursors.get(queue, Cursors()).owed,
                credit=self._cursors.get(queue, Cursors()).credit,
            )
            claimed = store.run(claim(store.verbs, request))
            self._cursors[queue] = self._cursors.get(queue, Cursors()).past(claimed)
            if claimed.leases:
                return claimed.leases[0]
            if claimed.unopened:
                return self._claim()
        return None


def _run(handler: Handler, run: Run) -> Report:
    try:
        said = handler.call(run)
        result = asyncio.run(_awaited(said)) if isawaitable(said) else said
    except _ENDS as error:
        return verdict.of_error(run, error, handler.classify)
    return _end(run, result)


async def _arun(handler: Handler, run: Run) -> Report:
    try:
        said = await asyncio.to_thread(handler.call, run) if handler.isolation == "process" else handler.call(run)
        result = await said if isawaitable(said) else said
    except _ENDS as error:
        return verdict.of_error(run, error, handler.classify)
    return _end(run, result)


def _end(run: Run, result: str | None) -> Report:
    if run.completed_elsewhere:
        return verdict.of_rollback(run)
    return Completion(run.lease.job_id, run.lease.token, result, run.progress)


async def _awaited(said: Any) -> str | None:
    result: str | None = await said
    return result
