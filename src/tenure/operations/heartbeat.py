"""Heartbeat: renew the leases of what still runs, and hear what was asked meanwhile."""

from collections.abc import Sequence

from tenure.core.lease import Beat, BeatAnswer
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


def heartbeat(verbs: Verbs, beats: Sequence[Beat]) -> Script[list[BeatAnswer]]:
    """An answer for each beat, in order; a lease that is not held is lost for good."""
    answers = yield from verbs.heartbeat(beats)
    by_id = {answer.job_id: answer for answer in answers}
    return [by_id.get(beat.job_id, BeatAnswer(beat.job_id, held=False)) for beat in beats]
