"""A call of the public Python face: arguments that it takes, and what each argument is asked to be."""

import asyncio
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from tenure import InvalidInput, Misconfigured
from tests.app import wrong_values as wrong
from tests.app.wrong_values import Wrong

OPTIONS: dict[str, Wrong] = {
    "idempotency_key": wrong.TEXT,
    "id": wrong.ID,
    "tenant": wrong.TEXT,
    "queue": wrong.TEXT,
    "priority": wrong.PRIORITY,
    "delay": wrong.SECONDS,
    "run_at": wrong.INSTANT,
    "deadline": wrong.INSTANT,
    "max_attempts": wrong.WHOLE,
    "timeout": wrong.SECONDS,
    "tags": wrong.NAMES,
    "trace": wrong.TEXT,
    "when_full": wrong.ONE_OF,
    "order_key": wrong.TEXT,
    "on_failure": wrong.ONE_OF,
    "supersede": wrong.ONE_OF,
    "supersession_key": wrong.TEXT,
    "debounce": wrong.SECONDS,
    "max_wait": wrong.SECONDS,
}
SELECTION: dict[str, Wrong] = {
    "states": wrong.NAMES,
    "tenants": wrong.NAMES,
    "kinds": wrong.NAMES,
    "queues": wrong.NAMES,
    "code": wrong.TEXT,
    "tag": wrong.TEXT,
    "version": wrong.WHOLE,
    "ids": wrong.NAMES,
    "since": wrong.INSTANT,
    "until": wrong.INSTANT,
    "order_key": wrong.TEXT,
}
GUARD: dict[str, Wrong] = {
    "canary": wrong.WHOLE,
    "pace": wrong.NUMBER,
    "stop_share": wrong.NUMBER,
    "stop_window": wrong.WHOLE,
    "single_attempts": wrong.FLAG,
}
RULE: dict[str, Wrong] = {
    "cron": wrong.TEXT,
    "every": wrong.SECONDS,
    "rrule": wrong.TEXT,
    "dates": wrong.NAMES,
    "tz": wrong.TEXT,
    "starts_at": wrong.INSTANT,
}
TIMING: dict[str, Wrong] = RULE | {
    "queue": wrong.TEXT,
    "priority": wrong.PRIORITY,
    "occurrence_as": wrong.TEXT,
    "misfire": wrong.ONE_OF,
    "misfire_cap": wrong.WHOLE,
    "grace": wrong.SECONDS,
    "overlap": wrong.ONE_OF,
}
SUBJECT: dict[str, Wrong] = dict.fromkeys(("queue", "kind", "tenant", "resource"), wrong.TEXT)
DECLARATION: dict[str, Wrong] = {
    "kind": wrong.TEXT,
    "version": wrong.WHOLE,
    "queue": wrong.TEXT,
    "priority": wrong.PRIORITY,
    "max_attempts": wrong.WHOLE,
    "timeout": wrong.SECONDS,
    "reads": (*wrong.MEMBERS, {1: 5}, {"one": print}),
    "isolation": wrong.ONE_OF,
    "concurrency": wrong.WHOLE,
    "progress_timeout": wrong.SECONDS,
    "payload_retention": wrong.SECONDS,
    "effects": wrong.NAMES,
    "on_failure": wrong.ONE_OF,
    "backoff": (*wrong.SECONDS, (1,), ("1", 2), (1, True)),
    "retry_on": (*wrong.MEMBERS, {"x": "code"}, {ValueError: 5}),
    "terminal_on": (*wrong.MEMBERS, {"x": "code"}, {ValueError: 5}),
    "remedies": (*wrong.MEMBERS, {"code": 5}),
    "secret": wrong.NAMES,
    "secret_result": wrong.NAMES,
    "memory": wrong.WHOLE,
    "cpu": wrong.SECONDS,
    "verify": wrong.FUNCTION,
    "retry_share": wrong.NUMBER,
    "circuit": wrong.WHOLE,
    "when_full": wrong.ONE_OF,
    "slots": wrong.WHOLE,
    "uses": wrong.NAMES,
    "supersede": wrong.ONE_OF,
    "supersede_by": wrong.NAMES,
    "debounce": wrong.SECONDS,
    "max_wait": wrong.SECONDS,
}
WORKER: dict[str, Wrong] = {
    "slots": wrong.WHOLE,
    "queues": wrong.NAMES,
    "lease": wrong.SECONDS,
    "heartbeat": wrong.SECONDS,
    "poll": wrong.SECONDS,
    "sweep": wrong.SECONDS,
    "prune": wrong.SECONDS,
    "gather": wrong.SECONDS,
    "shutdown_grace": wrong.SECONDS,
    "leak_limit": wrong.WHOLE,
    "recycle_jobs": wrong.WHOLE,
    "recycle_age": wrong.SECONDS,
    "recycle_memory": wrong.WHOLE,
    "name": wrong.TEXT,
    "code_version": tuple(value for value in wrong.TEXT if value != ""),
    "health_file": (*wrong.NO_TEXTS, *wrong.BAD_TEXTS),
    "processes": wrong.WHOLE,
    "retention": wrong.FUNCTION,
}


@dataclass(frozen=True)
class Call:
    """function: what is called. right: arguments that it takes beside the wrong one. asked: what an argument is asked
    to be, as values that it is not."""

    name: str
    function: Callable[..., Any]
    asked: dict[str, Wrong]
    right: dict[str, Any] = field(default_factory=dict)

    def with_wrong(self, argument: str, value: Any) -> Any:
        """Without those that the wrong one excludes: of two rules of a schedule the first would be refused."""
        rest = {name: said for name, said in self.right.items() if argument not in RULE_FORMS or name not in RULE_FORMS}
        answer = self.function(**(rest | {argument: value}))
        if inspect.isawaitable(answer):
            answer = asyncio.run(_awaited(answer))
        return list(answer) if isinstance(answer, Iterator) else answer


OTHER_WORDS: Final = {"Tenure.kind_named": "kind", "Settings.text": "app"}
"""What an argument is called in its refusal, where that is not its name."""

RULE_FORMS: Final = ("cron", "every", "rrule", "dates")


async def _awaited(answer: Any) -> Any:
    return await answer


def twins(owner: Any, name: str, asked: dict[str, Wrong], /, **right: Any) -> Iterator[Call]:
    """The sync verb and the async one."""
    for verb in (name, f"a{name}"):
        yield Call(f"{type(owner).__name__}.{verb}", getattr(owner, verb), asked, right)


def verb(owner: Any, name: str, asked: dict[str, Wrong], /, **right: Any) -> Call:
    return Call(f"{type(owner).__name__}.{name}", getattr(owner, name), asked, right)


def answers(every: list[Call]) -> Iterator[tuple[str, str]]:
    """Each mistake, and what became of it."""
    for call in every:
        for argument, wrongs in call.asked.items():
            for value in wrongs:
                yield f"{call.name}({argument}={value!r:.60})", answer(call, argument, value)


def answer(call: Call, argument: str, value: Any) -> str:
    word = OTHER_WORDS.get(call.name, argument)
    try:
        taken = call.with_wrong(argument, value)
    except InvalidInput as refused:
        is_named = refused.field.partition("[")[0].partition(".")[0] == word
        return f"{'refused' if is_named else 'misnamed'}: {refused}"
    except Misconfigured as refused:
        return f"{'refused' if word in refused.message.lower() else 'misnamed'}: {refused}"
    except Exception as error:
        return f"raw: {type(error).__name__}: {error}"
    return f"taken: {taken!r:.60}"


def parameters(function: Any) -> set[str]:
    """Names by which something can be said, those of a TypedDict behind `**` too."""
    named = set()
    for one in inspect.signature(function).parameters.values():
        if one.kind is one.VAR_KEYWORD:
            named |= set(inspect.get_annotations(next(iter(getattr(one.annotation, "__args__", ())), object)))
        elif one.kind is not one.VAR_POSITIONAL:
            named.add(one.name)
    return named - {"self"}
