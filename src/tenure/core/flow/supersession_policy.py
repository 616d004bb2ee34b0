"""What a kind or a job may say of supersession, checked. Names are as faces spell them."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from tenure.core import fields
from tenure.core.errors import InvalidInput, TooLarge
from tenure.core.job import Policy

LATEST: Final = "latest"
"""The one way to supersede: the newest job stands."""
MEMBERS: Final = 20
"""Of a payload that make one key."""
NO_KEY: Final = "supersession_key_missing"
EXCLUDED: Final = "debounce_and_run_at"
ORDERED: Final = "order_key_and_supersession"
TOO_SHORT: Final = "max_wait_too_short"


def checked_latest(field: str, said: Any) -> str:
    if said != LATEST:
        raise InvalidInput(field, f"must be {LATEST!r}")
    return LATEST


def checked_members(field: str, said: Any) -> tuple[str, ...]:
    """Names of members of the payload, each once."""
    if isinstance(said, str) or not isinstance(said, Sequence):
        raise InvalidInput(field, "must be a list of names, not one text")
    if len(said) > MEMBERS:
        raise TooLarge(field, f"has {len(said)} names, more than the {MEMBERS} allowed")
    return tuple(dict.fromkeys(fields.name(field, name) for name in said))


def checked_supersession(said: Policy, checked: Policy) -> Policy:
    """`checked` with what `said` says of supersession. Raises InvalidInput."""
    if said.supersede_by is None and said.debounce is None and said.max_wait is None:
        return checked
    if said.supersede_by is None:
        raise missing_members("debounce" if said.debounce is not None else "max_wait")
    members = checked_members("supersede_by", said.supersede_by)
    return with_waits(msgspec.structs.replace(checked, supersede_by=members), said.debounce, said.max_wait)


def missing_members(field: str) -> InvalidInput:
    """Of a declaration that supersedes and does not say whom."""
    return InvalidInput(
        field,
        "needs supersede_by: which arguments make two jobs the same work",
        code=NO_KEY,
        hint="Say supersede_by=('account_id',), or () where a tenant's jobs of this kind are all the same work.",
    )


def ordered() -> InvalidInput:
    """Of a job with an order key: who stands in a line gives its place to nobody."""
    return InvalidInput(
        "order_key",
        "and supersession exclude each other",
        code=ORDERED,
        hint="Leave the order key out, or declare the task without supersede.",
    )


def with_waits(policy: Policy, debounce: Any, max_wait: Any) -> Policy:
    """The policy with these waits; a debounce of 0 is none, and takes the policy's own away. Raises InvalidInput."""
    quiet = policy.debounce if debounce is None else fields.duration("debounce", debounce) or None
    longest = policy.max_wait if max_wait is None else fields.duration("max_wait", max_wait)
    if quiet is None:
        if max_wait is not None:
            raise InvalidInput("max_wait", "needs debounce", hint="Say debounce= too, or leave it out.")
        longest = None
    elif longest is not None and longest < quiet:
        raise InvalidInput(
            "max_wait",
            f"{longest:g} s is shorter than debounce, {quiet:g} s",
            code=TOO_SHORT,
            hint="Give a longer max_wait, or a shorter debounce.",
        )
    return msgspec.structs.replace(policy, debounce=quiet, max_wait=longest)


def for_job(
    policy: Policy, *, key: str | None, supersede: str | None, debounce: Any, max_wait: Any, has_time: bool
) -> tuple[Policy, bool]:
    """What one job is enqueued with, and whether it supersedes.

    policy: of its kind. key: its own supersession key. has_time: it says run_at or delay. Raises InvalidInput.
    """
    supersedes = key is not None or policy.supersede_by is not None
    if not supersedes:
        for field, value in (("supersede", supersede), ("debounce", debounce), ("max_wait", max_wait)):
            if value is not None:
                raise InvalidInput(
                    field,
                    "needs a supersession key, and neither the job nor its kind says one",
                    code=NO_KEY,
                    hint="Say supersession_key= for this job, or supersede_by= where the kind is declared.",
                )
        return policy, False
    policy = policy if debounce is None and max_wait is None else with_waits(policy, debounce, max_wait)
    if has_time and policy.debounce is not None:
        raise InvalidInput(
            "debounce",
            "and run_at or delay exclude each other: it says when the job runs",
            code=EXCLUDED,
            hint="Leave out run_at and delay, or say debounce=0 for this job.",
        )
    return policy, True
