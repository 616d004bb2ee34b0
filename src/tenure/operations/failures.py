"""Failures: the dead letters of a scope, grouped by cause."""

from collections.abc import Sequence

from tenure.core.job_filter import JobFilter
from tenure.core.redriving import failures as causes
from tenure.core.redriving.dead_letter import DeadLetter
from tenure.core.redriving.failures import MOST_GROUPS, MOST_READ, Failures, Group
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


def failures(
    verbs: Verbs, which: JobFilter, most_read: int = MOST_READ, most_groups: int = MOST_GROUPS
) -> Script[Failures]:
    """Of the newest `most_read` dead letters that are meant."""
    letters = yield from verbs.dead_letters(which, None, most_read + 1)
    read = letters[:most_read]
    groups = yield from grouped(verbs, read, most_groups)
    left_off = len(letters) > most_read or sum(group.jobs for group in groups) < len(read)
    return Failures(groups=tuple(groups), read=len(read), at_least=left_off)


def grouped(verbs: Verbs, letters: Sequence[DeadLetter], most_groups: int) -> Script[list[Group]]:
    """The largest groups of `letters`, which come newest first, with their errors and remedies."""
    found = causes.causes(letters)[:most_groups]
    errors = yield from verbs.last_errors({job_id for cause in found for job_id in (cause.first, cause.last)})
    kinds = yield from verbs.kinds()
    return [causes.group(cause, errors, kinds) for cause in found]
