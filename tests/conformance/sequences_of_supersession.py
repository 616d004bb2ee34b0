"""What a sequence says of supersession keys, and the law that they keep."""

from collections import Counter
from collections.abc import Sequence
from random import Random

import msgspec

from tenure.core.flow.supersession import newer, standing_of, stands
from tenure.core.job import Job, NewJob


def newer_now_and_then(chance: Random, job: NewJob) -> NewJob:
    """One of four has one of two keys, and half of these wait for others."""
    if chance.random() < 0.75:
        return job
    debounce, max_wait = chance.choice(((None, None), (None, None), (6.0, None), (30.0, 45.0)))
    policy = msgspec.structs.replace(job.policy, debounce=debounce, max_wait=max_wait)
    return newer(
        msgspec.structs.replace(job, policy=policy, order_key=None, on_failure=None), chance.choice(("s", "ṡ"))
    )


def check_standing(name: str, jobs: Sequence[Job]) -> None:
    """Of one key at most one waits, or could again."""
    held = Counter(standing_of(job) for job in jobs if stands(job))
    assert not [place for place, count in held.items() if count > 1], f"{name}: two jobs of one key stand"
