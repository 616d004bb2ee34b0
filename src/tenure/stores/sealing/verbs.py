"""The verbs of a store with documents sealed on their way in and opened on their way out, whoever runs the scripts."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, TypeVar

import msgspec

from tenure.core.claim import Claimed, ClaimRequest
from tenure.core.flow.newer_job import NewerJob
from tenure.core.flow.order import OrderKey
from tenure.core.flow.supersession import Standing
from tenure.core.job import Job, NewJob
from tenure.core.job_filter import JobFilter
from tenure.core.lease import Lease
from tenure.core.ledger.checkpoint import Checkpoint
from tenure.core.ledger.effect import Effect
from tenure.core.reports import Completion
from tenure.core.scheduling.schedule import Schedule
from tenure.core.secrecy.sealed import is_sealed
from tenure.core.transitions import Transition
from tenure.stores.ledger import HeldEffect
from tenure.stores.protocol import Inserted, Locked, Verbs
from tenure.stores.scheduling import HeldSchedule, ScheduleKey
from tenure.stores.script import Script
from tenure.stores.sealing.keyring import Keyring

N = TypeVar("N", bound=NewJob)


class SealingVerbs:
    """See `stores.protocol.Verbs`. What takes or answers no document goes through as it is."""

    def __init__(self, verbs: Verbs, keyring: Keyring) -> None:
        self._verbs, self._keyring = verbs, keyring

    def __getattr__(self, name: str) -> Any:
        return getattr(self._verbs, name)

    # Jobs

    def insert(self, jobs: Sequence[NewJob], *, apart: bool = False) -> Script[Inserted]:
        return self._verbs.insert([self._sealed_new(job) for job in jobs], apart=apart)

    def insert_newer(self, jobs: Sequence[NewerJob]) -> Script[Inserted]:
        return self._verbs.insert_newer([self._sealed_new(job) for job in jobs])

    def hold_standing(self, places: Collection[Standing]) -> Script[Locked]:
        return self._opened_locked(self._verbs.hold_standing(places))

    def lock(self, ids: Collection[str]) -> Script[Locked]:
        return self._opened_locked(self._verbs.lock(ids))

    def expired(self, limit: int) -> Script[Locked]:
        return self._opened_locked(self._verbs.expired(limit))

    def overdue(self, limit: int) -> Script[Locked]:
        return self._opened_locked(self._verbs.overdue(limit))

    def due(self, limit: int) -> Script[Locked]:
        return self._opened_locked(self._verbs.due(limit))

    def apply(self, transitions: Sequence[Transition]) -> Script[set[str]]:
        return self._verbs.apply([self._sealed_transition(move) for move in transitions])

    def complete(self, completions: Sequence[Completion]) -> Script[list[str]]:
        return self._verbs.complete(self._sealed_completions(completions))

    def claim(self, request: ClaimRequest) -> Script[Claimed]:
        return self._opened_claim((yield from self._verbs.claim(request)))

    def complete_and_claim(
        self, completions: Sequence[Completion], request: ClaimRequest
    ) -> Script[tuple[list[str], Claimed]]:
        done, claimed = yield from self._verbs.complete_and_claim(self._sealed_completions(completions), request)
        return done, self._opened_claim(claimed)

    def leases(self, claim_id: str, worker: str) -> Script[list[Lease]]:
        return [self._opened_lease(lease) for lease in (yield from self._verbs.leases(claim_id, worker))]

    def read(self, ids: Collection[str]) -> Script[dict[str, Job]]:
        return {job_id: self._opened_job(job) for job_id, job in (yield from self._verbs.read(ids)).items()}

    def read_keys(self, keys: Collection[tuple[str, str, str]]) -> Script[dict[tuple[str, str, str], Job]]:
        return {key: self._opened_job(job) for key, job in (yield from self._verbs.read_keys(keys)).items()}

    def list_jobs(self, which: JobFilter, before: str | None, limit: int) -> Script[list[Job]]:
        return list(map(self._opened_job, (yield from self._verbs.list_jobs(which, before, limit))))

    def first_in_line(self, keys: Collection[OrderKey]) -> Script[dict[OrderKey, Job]]:
        return {key: self._opened_job(job) for key, job in (yield from self._verbs.first_in_line(keys)).items()}

    def stopped(self, tenants: Collection[str] | None, limit: int) -> Script[list[Job]]:
        return list(map(self._opened_job, (yield from self._verbs.stopped(tenants, limit))))

    # Effects and checkpoints

    def effects(self, job_ids: Collection[str]) -> Script[dict[str, list[Effect]]]:
        found = yield from self._verbs.effects(job_ids)
        return {job_id: self._opened_effects(effects) for job_id, effects in found.items()}

    def open_effects(self, tenants: Collection[str] | None, limit: int) -> Script[list[Effect]]:
        return self._opened_effects((yield from self._verbs.open_effects(tenants, limit)))

    def effect_page(self, job_id: str, skip: int, limit: int, *, results: bool = True) -> Script[list[Effect]]:
        return self._opened_effects((yield from self._verbs.effect_page(job_id, skip, limit, results=results)))

    def effect_of_call(self, job_id: str, name: str, request_id: str) -> Script[Effect | None]:
        found = yield from self._verbs.effect_of_call(job_id, name, request_id)
        return None if found is None else self._opened_effect(found)

    def effect(self, tenant: str, name: str, key: str) -> Script[HeldEffect]:
        held = yield from self._verbs.effect(tenant, name, key)
        return held if held.effect is None else HeldEffect(held.now, self._opened_effect(held.effect))

    def write_effect(self, before: Effect | None, after: Effect) -> Script[bool]:
        return self._verbs.write_effect(before, self._sealed_effect(after))

    def checkpoints(self, job_id: str) -> Script[list[Checkpoint]]:
        return list(map(self._opened_checkpoint, (yield from self._verbs.checkpoints(job_id))))

    def checkpoint_page(self, job_id: str, after: str | None, limit: int) -> Script[list[Checkpoint]]:
        found = yield from self._verbs.checkpoint_page(job_id, after, limit)
        return list(map(self._opened_checkpoint, found))

    def write_checkpoint(self, checkpoint: Checkpoint) -> Script[None]:
        place = (checkpoint.job_id, checkpoint.name)
        value = self._keyring.seal(checkpoint.value, "checkpoint", place)
        return self._verbs.write_checkpoint(msgspec.structs.replace(checkpoint, value=value))

    # Schedules

    def add_schedule(self, schedule: Schedule) -> Script[bool]:
        return self._verbs.add_schedule(self._sealed_schedule(schedule))

    def write_schedule(self, before: Schedule, after: Schedule) -> Script[bool]:
        return self._verbs.write_schedule(before, self._sealed_schedule(after))

    def drop_schedule(self, schedule: Schedule) -> Script[bool]:
        return self._verbs.drop_schedule(schedule)

    def read_schedule(self, tenant: str, name: str) -> Script[Schedule | None]:
        found = yield from self._verbs.read_schedule(tenant, name)
        return None if found is None else self._opened_schedule(found)

    def hold_schedule(self, tenant: str, name: str) -> Script[HeldSchedule]:
        return self._opened_held(self._verbs.hold_schedule(tenant, name))

    def take_schedule(self, tenant: str, name: str) -> Script[HeldSchedule]:
        return self._opened_held(self._verbs.take_schedule(tenant, name))

    def schedules(self, which: JobFilter, after: ScheduleKey | None, limit: int) -> Script[list[Schedule]]:
        return list(map(self._opened_schedule, (yield from self._verbs.schedules(which, after, limit))))

    def schedules_of(self, declared_by: str) -> Script[list[Schedule]]:
        return list(map(self._opened_schedule, (yield from self._verbs.schedules_of(declared_by))))

    # On the way in

    def _sealed_new(self, job: N) -> N:
        return msgspec.structs.replace(job, payload=self._keyring.seal(job.payload, "payload", (job.id,)))

    def _sealed_completions(self, completions: Sequence[Completion]) -> list[Completion]:
        return [
            said
            if said.result is None
            else msgspec.structs.replace(said, result=self._result(said.job_id, said.result))
            for said in completions
        ]

    def _sealed_transition(self, move: Transition) -> Transition:
        after, place = move.after, (move.before.id,)
        payload = None if after.payload is None else self._keyring.seal(after.payload, "payload", place)
        result = None if after.result is None else self._result(move.before.id, after.result)
        return msgspec.structs.replace(move, after=msgspec.structs.replace(after, payload=payload, result=result))

    def _sealed_effect(self, effect: Effect) -> Effect:
        if effect.result is None:
            return effect
        result = self._keyring.seal(effect.result, "effect", (effect.tenant, effect.name, effect.key))
        return msgspec.structs.replace(effect, result=result)

    def _sealed_schedule(self, schedule: Schedule) -> Schedule:
        payload = self._keyring.seal(schedule.payload, "schedule", (schedule.tenant, schedule.name))
        return msgspec.structs.replace(schedule, payload=payload)

    def _result(self, job_id: str, text: str) -> str:
        return self._keyring.seal(text, "result", (job_id,))

    # On the way out

    def _opened_job(self, job: Job) -> Job:
        if not (is_sealed(job.payload) or is_sealed(job.result)):
            return job
        place = (job.id,)
        payload = None if job.payload is None else self._keyring.open(job.payload, "payload", place)
        result = None if job.result is None else self._keyring.open(job.result, "result", place)
        return msgspec.structs.replace(job, payload=payload, result=result)

    def _opened_locked(self, script: Script[Locked]) -> Script[Locked]:
        locked = yield from script
        return Locked(locked.now, {job_id: self._opened_job(job) for job_id, job in locked.jobs.items()})

    def _opened_claim(self, claimed: Claimed) -> Claimed:
        return msgspec.structs.replace(claimed, leases=tuple(map(self._opened_lease, claimed.leases)))

    def _opened_lease(self, lease: Lease) -> Lease:
        if lease.payload is None:
            return lease
        payload = self._keyring.open(lease.payload, "payload", (lease.job_id,))
        return msgspec.structs.replace(lease, payload=payload)

    def _opened_effects(self, effects: Iterable[Effect]) -> list[Effect]:
        return [self._opened_effect(effect) for effect in effects]

    def _opened_effect(self, effect: Effect) -> Effect:
        if effect.result is None:
            return effect
        result = self._keyring.open(effect.result, "effect", (effect.tenant, effect.name, effect.key))
        return msgspec.structs.replace(effect, result=result)

    def _opened_checkpoint(self, checkpoint: Checkpoint) -> Checkpoint:
        value = self._keyring.open(checkpoint.value, "checkpoint", (checkpoint.job_id, checkpoint.name))
        return msgspec.structs.replace(checkpoint, value=value)

    def _opened_schedule(self, schedule: Schedule) -> Schedule:
        payload = self._keyring.open(schedule.payload, "schedule", (schedule.tenant, schedule.name))
        return msgspec.structs.replace(schedule, payload=payload)

    def _opened_held(self, script: Script[HeldSchedule]) -> Script[HeldSchedule]:
        held = yield from script
        return held if held.schedule is None else HeldSchedule(held.now, self._opened_schedule(held.schedule))
