"""Declared secrets: what the kinds of jobs keep secret, for whoever shows jobs."""

from collections.abc import Collection, Sequence

from tenure.core.job import Job
from tenure.core.ledger.effect import Effect
from tenure.core.scheduling.schedule import Schedule
from tenure.core.secrecy.secret_fields import NONE, SecretFields, hiding, shown, shown_schedule
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


def declared_secrets(verbs: Verbs, kinds: Collection[str]) -> Script[dict[str, SecretFields]]:
    """By kind; those that keep nothing secret are left out."""
    names = set(kinds)
    rows = (yield from verbs.kind_page(names, None, len(names))) if names else []
    return {row.name: row.secret_fields for row in rows if row.secret_fields}


def hidden_jobs(verbs: Verbs, jobs: Sequence[Job]) -> Script[list[Job]]:
    """The rows as everybody may see them."""
    declared = yield from declared_secrets(verbs, {job.kind for job in jobs})
    return [shown(job, declared.get(job.kind, NONE)) for job in jobs]


def hidden_effects(verbs: Verbs, effects: Sequence[Effect]) -> Script[list[Effect]]:
    """The rows as everybody may see them."""
    jobs = yield from verbs.read({effect.job_id for effect in effects})
    declared = yield from declared_secrets(verbs, {job.kind for job in jobs.values()})
    hides = {job.id: hiding(job, declared.get(job.kind, NONE)) for job in jobs.values()}
    return [effect if (one := hides.get(effect.job_id)) is None else one.effect(effect) for effect in effects]


def hidden_schedules(verbs: Verbs, schedules: Sequence[Schedule]) -> Script[list[Schedule]]:
    """The rows as everybody may see them."""
    declared = yield from declared_secrets(verbs, {schedule.kind for schedule in schedules})
    return [shown_schedule(schedule, declared.get(schedule.kind, NONE)) for schedule in schedules]
