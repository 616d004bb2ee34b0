"""A kind as the options of `tenure kinds set` say it, and what they changed in words."""

from collections.abc import Callable, Sequence
from typing import Any, BinaryIO, Final, TypeVar

from tenure.cli.commands.enqueue import options_of
from tenure.core import fields
from tenure.core.errors import InvalidInput
from tenure.core.flow.supersession import longest_wait
from tenure.core.job import Policy
from tenure.core.kind import Kind
from tenure.core.payloads import documents
from tenure.core.payloads.schema import SCHEMA_BYTES

T = TypeVar("T", int, float)

REMOVABLE: Final[dict[str, dict[str, Any]]] = {
    "schema": {"schema": None},
    "concurrency": {"concurrency": None},
    "progress-timeout": {"policy": {"progress_timeout": None}},
    "payload-retention": {"policy": {"payload_retention": None}},
    "effects": {"policy": {"effects": ()}},
    "supersession": {"policy": {"supersede_by": None, "debounce": None, "max_wait": None}},
    "debounce": {"policy": {"debounce": None, "max_wait": None}},
    "remedies": {"remedies": {}},
    "secret": {"secret": ()},
    "secret-result": {"secret_result": ()},
    "uses": {"uses": ()},
}
"""What a kind can be without, with the members that say so."""


def members(
    *,
    schema: BinaryIO | None = None,
    versions: str | None = None,
    backoff: str | None = None,
    effects: str | None = None,
    uses: str | None = None,
    supersede_by: str | None = None,
    remedies: Sequence[str] = (),
    secret: Sequence[str] = (),
    secret_result: Sequence[str] = (),
    without: Sequence[str] = (),
    **said: Any,
) -> dict[str, Any]:
    """What the options say, as `operations.set_kind.change_kind` takes it. Raises InvalidInput, TooLarge."""
    found = options_of(said)
    policy: dict[str, Any] = {}
    for removed in without:
        found |= {name: value for name, value in REMOVABLE[removed].items() if name != "policy"}
        policy |= REMOVABLE[removed].get("policy", {})
    if schema is not None:
        document = documents.parse("schema", schema.read(SCHEMA_BYTES + 1), SCHEMA_BYTES)
        found["schema"] = documents.dump("schema", document, SCHEMA_BYTES)
    if versions is not None:
        found["versions"] = tuple(_number("versions", text, int) for text in versions.split(","))
    if backoff is not None:
        policy["backoff_base"], policy["backoff_cap"] = _two(backoff)
    if effects is not None:
        policy["effects"] = tuple(name.strip() for name in effects.split(","))
    if uses is not None:
        found["uses"] = tuple(name.strip() for name in uses.split(","))
    if supersede_by is not None:
        policy["supersede_by"] = tuple(name.strip() for name in supersede_by.split(",") if name.strip())
    if remedies:
        found["remedies"] = dict(map(_remedy, remedies))
    found |= {name: tuple(said) for name, said in (("secret", secret), ("secret_result", secret_result)) if said}
    for member in ("progress_timeout", "payload_retention", "debounce", "max_wait", "when_full", "on_failure"):
        if member in found:
            policy[member] = found.pop(member)
    return found | {"policy": policy}


def replaced(before: Kind, after: Kind) -> list[str]:
    """Each member that differs, as the options spell it, with both values; of a schema only that it differs."""
    old, new = _words(before), _words(after)
    changed = [name for name in new if old[name] != new[name]]
    return [name if name == "schema" else f"{name} {old[name]} → {new[name]}" for name in changed]


def _words(kind: Kind) -> dict[str, str]:
    policy = kind.policy
    return {
        "schema": kind.schema or "",
        "versions": ",".join(map(str, kind.versions)),
        "queue": kind.queue,
        "priority": str(fields.priority_label(kind.priority)),
        "max-attempts": str(kind.max_attempts),
        "timeout": f"{kind.run_time_limit:g}",
        "backoff": f"{policy.backoff_base:g},{policy.backoff_cap:g}",
        "progress-timeout": "none" if policy.progress_timeout is None else f"{policy.progress_timeout:g}",
        "payload-retention": "any" if policy.payload_retention is None else f"{policy.payload_retention:g}",
        "effects": ",".join(policy.effects) or "none",
        "supersede-by": _members(policy),
        "debounce": "none" if policy.debounce is None else f"{policy.debounce:g}",
        "max-wait": "none" if policy.debounce is None else f"{longest_wait(policy):g}",
        "on-failure": policy.on_failure.value,
        "remedies": ",".join(kind.remedies) or "none",
        "secret": ",".join(kind.secret) or "none",
        "secret-result": ",".join(kind.secret_result) or "none",
        "when-full": policy.when_full,
        "concurrency": "any" if kind.concurrency is None else str(kind.concurrency),
        "slots": str(kind.slots),
        "uses": ",".join(kind.uses) or "none",
    }


def _members(policy: Policy) -> str:
    return "none" if policy.supersede_by is None else ",".join(policy.supersede_by) or "all of the kind"


def _two(backoff: str) -> tuple[float, float]:
    found = [_number("backoff", text, float) for text in backoff.split(",")]
    if len(found) != 2:
        raise InvalidInput("backoff", f"{backoff!r} is not two numbers", hint="Write for instance 2,3600.")
    return found[0], found[1]


def _remedy(text: str) -> tuple[str, str]:
    code, said, words = text.partition("=")
    if not said:
        raise InvalidInput(
            "remedy", f"{text!r} says no words", hint="Write for instance smtp_down='Look at the relay.'."
        )
    return code, words


def _number(field: str, text: str, kind: Callable[[str], T]) -> T:
    try:
        return kind(text)
    except ValueError:
        raise InvalidInput(field, f"{text!r} is no {'whole ' if kind is int else ''}number") from None
