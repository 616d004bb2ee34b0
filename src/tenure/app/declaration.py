"""What `@app.task` says about a kind, checked."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from tenure.app import binding
from tenure.app.options import Options
from tenure.core import defaults, fields
from tenure.core.attempt import ErrorClass
from tenure.core.errors import InvalidInput, Misconfigured
from tenure.core.flow.demand import checked_slots, checked_uses
from tenure.core.flow.limits import CONCURRENCY
from tenure.core.flow.order import OnFailure
from tenure.core.flow.supersession_policy import checked_latest, checked_supersession, missing_members
from tenure.core.job import Policy, WhenFull
from tenure.core.kind import VERSIONS, checked_policy, checked_remedies
from tenure.core.secrecy import secret_paths
from tenure.core.secrecy.secret_fields import SecretFields
from tenure.engine.handler import Isolation

Upgrade = Callable[[Any], Any]
"""Makes a payload of this version (plain JSON values) of one of an older version."""


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
    slots: int = 1
    uses: tuple[str, ...] = ()
    verify: Callable[[Any, Any], Any] | None = None
    retry_share: float = defaults.RETRY_SHARE
    circuit: int | None = None


def check_function(function: object) -> None:
    """Raises Misconfigured: what `app.task()` stands over is none, such as a task that is made already."""
    if not (inspect.isroutine(function) or inspect.isclass(function)):
        raise Misconfigured(
            f"a task is made of a function, not of a {type(function).__name__}",
            hint="Write @app.task() once, over a `def` or `async def`.",
        )


def declare(
    *,
    kind: str,
    version: int = defaults.HANDLER_VERSION,
    queue: str | None = None,
    priority: str | int | None = None,
    max_attempts: int | None = None,
    timeout: Any = None,
    reads: Mapping[int, Upgrade] | None = None,
    isolation: Isolation | None = None,
    concurrency: int | None = None,
    progress_timeout: Any = None,
    payload_retention: Any = None,
    effects: Sequence[str] = (),
    on_failure: OnFailure | str = OnFailure.STOP,
    backoff: tuple[Any, Any] = (defaults.BACKOFF_BASE, defaults.BACKOFF_CAP),
    retry_on: Mapping[type[BaseException], str] | None = None,
    terminal_on: Mapping[type[BaseException], str] | None = None,
    remedies: Mapping[str, str] | None = None,
    secret: Sequence[str] = (),
    secret_result: Sequence[str] = (),
    memory: int | None = None,
    cpu: float | None = None,
    verify: Callable[[Any, Any], Any] | None = None,
    retry_share: float = defaults.RETRY_SHARE,
    circuit: int | None = None,
    when_full: WhenFull = "refuse",
    slots: int = 1,
    uses: Sequence[str] = (),
    supersede: str | None = None,
    supersede_by: Sequence[str] | None = None,
    debounce: Any = None,
    max_wait: Any = None,
) -> Declaration:
    """Raises Misconfigured naming the argument."""
    try:
        return Declaration(
            kind=fields.name("kind", kind),
            version=fields.whole("version", version, *VERSIONS),
            options=Options().using(queue=queue, priority=priority, max_attempts=max_attempts, timeout=timeout),
            policy=_superseding(
                _policy(backoff, progress_timeout, effects, payload_retention, when_full, on_failure),
                supersede,
                supersede_by,
                debounce,
                max_wait,
            ),
            reads={
                fields.whole("reads", old, VERSIONS[0], version - 1): _upgrade(step)
                for old, step in _said("reads", reads).items()
            },
            isolation=_isolation(isolation),
            concurrency=None if concurrency is None else fields.whole("concurrency", concurrency, *CONCURRENCY),
            mapped=binding.mapping(_codes("retry_on", retry_on), _codes("terminal_on", terminal_on)),
            remedies=checked_remedies(_said("remedies", remedies)),
            secret=SecretFields(
                secret_paths.checked("secret", secret), secret_paths.checked("secret_result", secret_result)
            ),
            memory=None if memory is None else fields.whole("memory", memory, 1 << 20, 1 << 50),
            cpu=None if cpu is None else fields.duration("cpu", cpu, least=0.1),
            verify=_callable("verify", verify),
            retry_share=_share("retry_share", retry_share),
            circuit=None if circuit is None else fields.whole("circuit", circuit, 1, 1_000_000),
            slots=checked_slots(slots),
            uses=checked_uses(uses),
        )
    except InvalidInput as error:
        raise Misconfigured(f"task {kind!r}: {error.message}", hint=error.hint) from error


def _policy(
    backoff: tuple[Any, Any],
    progress_timeout: Any,
    effects: Sequence[str],
    payload_retention: Any,
    when_full: WhenFull,
    on_failure: Any,
) -> Policy:
    if not isinstance(backoff, (tuple, list)) or len(backoff) != 2:
        raise InvalidInput("backoff", "must be the first wait and the longest", hint="Write for instance (2, 3600).")
    base, cap = backoff
    said = Policy(base, cap, progress_timeout, effects, payload_retention)  # type: ignore[arg-type]
    return checked_policy(msgspec.structs.replace(said, when_full=when_full, on_failure=on_failure))


def _superseding(
    policy: Policy, supersede: str | None, supersede_by: Sequence[str] | None, debounce: Any, max_wait: Any
) -> Policy:
    if supersede is not None:
        checked_latest("supersede", supersede)
        if supersede_by is None:
            raise missing_members("supersede")
    said = Policy(supersede_by=supersede_by, debounce=debounce, max_wait=max_wait)  # type: ignore[arg-type]
    return checked_supersession(said, policy)


def _isolation(said: Isolation | None) -> Isolation | None:
    if said not in (None, "loop", "thread", "process"):
        raise InvalidInput("isolation", "must be process, thread or loop")
    return said


def _said(field: str, said: Mapping[Any, Any] | None) -> dict[Any, Any]:
    return {} if said is None else fields.members(field, said)


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


def _share(field: str, said: Any) -> float:
    if type(said) not in (int, float) or not 0 <= said <= 1:
        raise InvalidInput(field, "must be a number from 0 to 1")
    return float(said)
