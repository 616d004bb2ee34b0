"""A kind: what is known of an operation, with or without its code at hand."""

from typing import Any, Final

import msgspec

from tenure.core import defaults, fields
from tenure.core.errors import InvalidInput, TooLarge
from tenure.core.flow.capacity import when_full
from tenure.core.flow.demand import Demand, checked_slots, checked_uses
from tenure.core.flow.limits import CONCURRENCY
from tenure.core.flow.order import OnFailure
from tenure.core.flow.supersession_policy import checked_supersession
from tenure.core.job import Policy
from tenure.core.payloads import documents, schema
from tenure.core.retry import LONGEST_WAIT
from tenure.core.secrecy import secret_paths
from tenure.core.secrecy.schema_secrets import check_places, marked
from tenure.core.secrecy.secret_fields import SecretFields
from tenure.core.secrecy.secret_paths import joined

VERSIONS: Final = (1, 2**31 - 1)
REMEDIES: Final = 100
"""Codes for which a kind has words."""
REMEDY_CHARACTERS: Final = 1000


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `tenure_kinds`, and the limit at its kind. Written when a worker or producer starts with the task, never
    deleted by a start.

    versions: the handler versions that were ever declared. schema: JSON Schema of the payload as text, or None.
    concurrency: how many slots its jobs may take at once over all workers, None without a limit. remedies: what to do
    about a failure, by its code, in the words of the task's author. secret, secret_result: paths of the members of
    payload and result that are shown to nobody but the handler, as any version declared them: a declaration adds to
    them. slots, uses: what one of its jobs takes (`core.flow.demand`).
    """

    name: str
    versions: tuple[int, ...] = (defaults.HANDLER_VERSION,)
    schema: str | None = None
    queue: str = defaults.QUEUE
    max_attempts: int = defaults.MAX_ATTEMPTS
    run_time_limit: float = defaults.RUN_TIME_LIMIT
    policy: Policy = Policy()
    concurrency: int | None = None
    priority: int = defaults.PRIORITY
    remedies: dict[str, str] = {}
    secret: tuple[str, ...] = ()
    secret_result: tuple[str, ...] = ()
    slots: int = 1
    uses: tuple[str, ...] = ()

    @property
    def demand(self) -> Demand:
        """What one of its jobs takes."""
        return Demand(self.slots, self.uses)

    @property
    def secret_fields(self) -> SecretFields:
        return SecretFields(self.secret, self.secret_result)

    @property
    def policy_of_jobs(self) -> Policy:
        """What a job of it is enqueued with."""
        if not self.secret_fields:
            return self.policy
        return msgspec.structs.replace(self.policy, secret=self.secret, secret_result=self.secret_result)


FLOW: Final = ("concurrency", "slots", "uses")
"""What claims look at, and so stands among the limits (`core.flow.limits`)."""
COLUMNS = tuple(name for name in Kind.__struct_fields__ if name not in FLOW)
"""Of the table."""


def together(stands: Kind, declared: Kind, *, replace: bool) -> Kind:
    """The row after a further declaration: the versions and the secret fields of both; the rest of the new one with
    `replace`, else of the one that stands."""
    return msgspec.structs.replace(
        declared if replace else stands,
        versions=tuple(sorted({*stands.versions, *declared.versions})),
        secret=joined(stands.secret, declared.secret),
        secret_result=joined(stands.secret_result, declared.secret_result),
    )


def checked(kind: Kind) -> Kind:
    """A kind that was declared as data, as it may be stored: versions in order, the schema in its stored spelling.

    Raises InvalidInput, or TooLarge, naming the member as faces spell it.
    """
    if not kind.versions:
        raise InvalidInput("versions", "is empty", hint="Name at least one.")
    parsed = None if kind.schema is None else _object("schema", kind.schema)
    secret = secret_paths.checked("secret", kind.secret)
    check_places("secret", parsed, secret)
    return msgspec.structs.replace(
        kind,
        name=fields.name("name", kind.name),
        versions=tuple(sorted({fields.whole("versions", version, *VERSIONS) for version in kind.versions})),
        schema=None if parsed is None else schema.stored("schema", parsed),
        queue=fields.name("queue", kind.queue),
        max_attempts=fields.whole("max_attempts", kind.max_attempts, *fields.ATTEMPTS_RANGE),
        run_time_limit=fields.run_time("timeout", kind.run_time_limit),
        policy=checked_policy(kind.policy),
        concurrency=None if kind.concurrency is None else fields.whole("concurrency", kind.concurrency, *CONCURRENCY),
        priority=fields.priority("priority", kind.priority),
        remedies=checked_remedies(kind.remedies),
        secret=joined(secret, marked(parsed)),
        secret_result=secret_paths.checked("secret_result", kind.secret_result),
        slots=checked_slots(kind.slots),
        uses=checked_uses(kind.uses),
    )


def checked_policy(said: Policy) -> Policy:
    """As it may be stored: each effect once. Raises InvalidInput, or TooLarge, naming the member as faces spell it."""
    silence = said.progress_timeout
    return checked_supersession(
        said,
        Policy(
            backoff_base=fields.duration("backoff", said.backoff_base, most=LONGEST_WAIT),
            backoff_cap=fields.duration("backoff", said.backoff_cap, most=LONGEST_WAIT),
            progress_timeout=None
            if silence is None
            else fields.run_time("progress_timeout", silence, fields.LONGEST_DELAY),
            payload_retention=None
            if said.payload_retention is None
            else fields.duration("payload_retention", said.payload_retention),
            effects=tuple(
                dict.fromkeys(fields.name("effects", name) for name in fields.several("effects", said.effects))
            ),
            when_full=when_full("when_full", said.when_full),
            on_failure=on_failure("on_failure", said.on_failure),
        ),
    )


def on_failure(field: str, said: Any) -> OnFailure:
    """Raises InvalidInput."""
    if said not in tuple(OnFailure):
        raise InvalidInput(field, f"must be {' or '.join(OnFailure)}")
    return OnFailure(said)


def checked_remedies(said: Any) -> dict[str, str]:
    """Words by code, as they may be stored, in the order of the codes. Raises InvalidInput, TooLarge."""
    if not isinstance(said, dict):
        raise InvalidInput("remedies", "must be words by code")
    if len(said) > REMEDIES:
        raise TooLarge("remedies", f"has {len(said)} entries, more than the {REMEDIES} allowed")
    return {fields.code("remedies", code): _words(f"remedies.{code}", said[code]) for code in sorted(said, key=str)}


def _words(field: str, value: Any) -> str:
    words = fields.text(field, value)
    if len(words) > REMEDY_CHARACTERS:
        raise TooLarge(field, f"has {len(words)} characters, more than the {REMEDY_CHARACTERS} allowed")
    return words


def _object(field: str, text: str) -> dict[str, Any]:
    found = documents.parse(field, text, schema.SCHEMA_BYTES)
    if not isinstance(found, dict):
        raise InvalidInput(field, "must be a JSON object", code="bad_schema")
    return found
