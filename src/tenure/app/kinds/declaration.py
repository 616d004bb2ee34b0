"""What `@app.task` says about a kind, checked."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Unpack

import msgspec

from tenure.app.kinds import binding
from tenure.app.kinds.declarable import UNSAID, Declarable, Upgrade
from tenure.app.kinds.options import Options
from tenure.core import fields
from tenure.core.attempt import ErrorClass
from tenure.core.errors import InvalidInput, Misconfigured
from tenure.core.flow.demand import checked_slots, checked_uses
from tenure.core.flow.limits import CONCURRENCY
from tenure.core.flow.supersession_policy import checked_latest, checked_supersession, missing_members
from tenure.core.job import Policy
from tenure.core.kind import VERSIONS, checked_policy, checked_remedies
from tenure.core.secrecy import secret_paths
from tenure.core.secrecy.secret_fields import SecretFields
from tenure.engine.attempts.handler import Isolation


class Declaration(msgspec.Struct, frozen=True, kw_only=True):
    """reads: older versions that this code runs too, each with its upgrade. memory: bytes; cpu: seconds."""

    kind: str
    version: int
    options: Options
    policy: Policy
    reads: Mapping[int, Upgrade]
    isolation: Isolation | None
    concurrency: int | None
    mapped: Mapping[type[BaseException], tuple[ErrorClass, str]]
    remedies: dict[str, str]
    memory: int | None
    cpu: float | None
    secret: SecretFields
    slots: int
    uses: tuple[str, ...]
    verify: Callable[[Any, Any], Any] | None
    retry_share: float
    circuit: int | None


def check_function(function: object) -> None:
    """Raises Misconfigured: what `app.task()` stands over is none, such as a task that is made already."""
    if not (inspect.isroutine(function) or inspect.isclass(function)):
        raise Misconfigured(
            f"a task is made of a function, not of a {type(function).__name__}",
            hint="Write @app.task() once, over a `def` or `async def`.",
        )


def declare(kind: str, **said: Unpack[Declarable]) -> Declaration:
    """Raises Misconfigured naming the argument."""
    try:
        return _checked(kind, UNSAID | said)
    except InvalidInput as error:
        raise Misconfigured(f"task {kind!r}: {error.message}", hint=error.hint) from error


def _checked(kind: str, said: Declarable) -> Declaration:
    return Declaration(
        kind=fields.name("kind", kind),
        version=fields.whole("version", said["version"], *VERSIONS),
        options=_options(said),
        policy=_superseding(_policy(said), said),
        reads=_reads(said),
        isolation=_isolation(said.get("isolation")),
        concurrency=_whole("concurrency", said.get("concurrency"), *CONCURRENCY),
        mapped=_mapped(said),
        remedies=checked_remedies(_said("remedies", said.get("remedies"))),
        secret=SecretFields(
            secret_paths.checked("secret", said["secret"]),
            secret_paths.checked("secret_result", said["secret_result"]),
        ),
        memory=_whole("memory", said.get("memory"), 1 << 20, 1 << 50),
        cpu=_seconds("cpu", said.get("cpu"), least=0.1),
        verify=_callable("verify", said.get("verify")),
        retry_share=fields.number("retry_share", said["retry_share"], 0, 1),
        circuit=_whole("circuit", said.get("circuit"), 1, 1_000_000),
        slots=checked_slots(said["slots"]),
        uses=checked_uses(said["uses"]),
    )


def _options(said: Declarable) -> Options:
    """Those that stand in for what a job leaves unsaid."""
    return Options().using(
        queue=said.get("queue"),
        priority=said.get("priority"),
        max_attempts=said.get("max_attempts"),
        timeout=said.get("timeout"),
    )


def _policy(said: Declarable) -> Policy:
    backoff = said["backoff"]
    if not isinstance(backoff, (tuple, list)) or len(backoff) != 2:
        raise InvalidInput("backoff", "must be the first wait and the longest", hint="Write for instance (2, 3600).")
    base, cap = backoff
    asked = Policy(base, cap, said.get("progress_timeout"), said["effects"], said.get("payload_retention"))  # type: ignore[arg-type]
    return checked_policy(msgspec.structs.replace(asked, when_full=said["when_full"], on_failure=said["on_failure"]))


def _superseding(policy: Policy, said: Declarable) -> Policy:
    members = said.get("supersede_by")
    if said.get("supersede") is not None:
        checked_latest("supersede", said["supersede"])
        if members is None:
            raise missing_members("supersede")
    asked = Policy(supersede_by=members, debounce=said.get("debounce"), max_wait=said.get("max_wait"))  # type: ignore[arg-type]
    return checked_supersession(asked, policy)


def _mapped(said: Declarable) -> dict[type[BaseException], tuple[ErrorClass, str]]:
    retryable, terminal = _codes("retry_on", said.get("retry_on")), _codes("terminal_on", said.get("terminal_on"))
    return binding.mapping(retryable, terminal)


def _reads(said: Declarable) -> dict[int, Upgrade]:
    older = _said("reads", said.get("reads"))
    newest = said["version"] - 1
    return {fields.whole("reads", old, VERSIONS[0], newest): _upgrade(step) for old, step in older.items()}


def _isolation(said: Isolation | None) -> Isolation | None:
    if said not in (None, "loop", "thread", "process"):
        raise InvalidInput("isolation", "must be process, thread or loop")
    return said


def _said(field: str, said: Mapping[Any, Any] | None) -> dict[Any, Any]:
    return {} if said is None else fields.members(field, said)


def _whole(field: str, said: Any, least: int, most: int) -> int | None:
    return None if said is None else fields.whole(field, said, least, most)


def _seconds(field: str, said: Any, least: float) -> float | None:
    return None if said is None else fields.duration(field, said, least=least)


def _upgrade(said: Upgrade) -> Upgrade:
    if not callable(said):
        raise InvalidInput("reads", "must give for each version the function that upgrades its payload")
    return said


def _codes(field: str, said: Mapping[type[BaseException], str] | None) -> dict[type[BaseException], str]:
    mapped = _said(field, said)
    for kind in mapped:
        if not (isinstance(kind, type) and issubclass(kind, BaseException)):
            raise InvalidInput(field, f"{kind!r} is no exception class")
    return {kind: fields.code(field, code) for kind, code in mapped.items()}


def _callable(field: str, said: Callable[[Any, Any], Any] | None) -> Callable[[Any, Any], Any] | None:
    if said is not None and not callable(said):
        raise InvalidInput(field, "must be a function of context and result")
    return said
