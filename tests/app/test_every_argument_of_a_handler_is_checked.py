"""Whatever a handler says by mistake is refused by its name before anything outside can have happened: an effect whose
call is no function is no uncertain one."""

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tenure import Context, Tenure
from tenure.testing import drain, memory_app
from tests.app import wrong_values as wrong
from tests.app.python_face import Call, answers, parameters, twins, verb

NO_JSON = (wrong.Thing(), float("nan"))
TEXT = tuple(value for value in wrong.TEXT if value != "x" * 100_000)
OUTSIDE = {"name": wrong.TEXT, "timeout": wrong.SECONDS}
EFFECT = OUTSIDE | {
    "call": wrong.FUNCTION,
    "reconcile": wrong.FUNCTION,
    "key": wrong.TEXT,
    "idempotent": wrong.FLAG,
    "absent_on": wrong.NAMES,
    "args": NO_JSON,
}
REQUEST = OUTSIDE | {
    "method": TEXT,
    "url": wrong.TEXT,
    "json": NO_JSON,
    "content": (5, [], {}, wrong.Thing()),
    "headers": (*wrong.MEMBERS, {"a": 5}, {5: "a"}, {"": "a"}),
    "idempotent": wrong.FLAG,
    "reconcile": wrong.FUNCTION,
    "retries": wrong.WHOLE,
    "wait": wrong.SECONDS,
    "key": wrong.TEXT,
    "key_header": wrong.TEXT,
    "expect": (*wrong.NAMES, [True], [1000]),
    "scope": wrong.ONE_OF,
    "keep": wrong.NAMES,
    "keep_body": wrong.WHOLE,
}
TRANSACTION = OUTSIDE | {
    "opening": wrong.FUNCTION,
    "write": wrong.FUNCTION,
    "inbox": wrong.FLAG,
    "args": NO_JSON,
    "key": wrong.TEXT,
}
ARTIFACT = OUTSIDE | {
    "content": wrong.FUNCTION,
    "to": TEXT,
    "sha256": wrong.TEXT,
    "metadata": NO_JSON,
}
LEFT = {"connection", "value", "result", "default"}
"""A connection is looked at inside its own transaction; the others are JSON, or anything."""


def calls(ctx: Context, folder: Path) -> Iterator[Call]:
    yield verb(ctx, "wait_stop", {"seconds": wrong.SECONDS})
    yield from twins(ctx, "effect", EFFECT, name="send", call=print)
    yield from twins(ctx, "checkpoint", {"name": wrong.TEXT}, name="place", value=1)
    yield from twins(ctx, "checkpoint", {"value": NO_JSON}, name="place")
    yield from twins(ctx, "checkpoint", {"connection": wrong.CONNECTION}, name="place", value=1)
    yield from twins(ctx, "checkpoint_value", {"name": wrong.TEXT})
    yield from twins(ctx, "artifact", ARTIFACT, name="file", content=b"x", to=folder / "file")
    yield from twins(ctx, "request", REQUEST, name="ask", method="GET", url="http://127.0.0.1:9/")
    yield from twins(ctx, "transaction", TRANSACTION, name="write", opening=print, write=print)
    yield from twins(ctx, "complete", {"connection": wrong.CONNECTION})
    yield from twins(ctx, "secret", {"ref": (*wrong.NO_TEXTS, *wrong.BAD_TEXTS)})


def test_a_mistake_of_a_handler_is_refused_by_name_before_anything_has_happened(tmp_path: Path) -> None:
    app = Tenure("memory://")
    found: dict[str, str] = {}
    lacking: dict[str, set[str]] = {}

    @app.task(kind="act")
    def act(ctx: Context) -> None:
        every = list(calls(ctx, tmp_path))
        found.update(answers(every))
        lacking.update(uncovered(every))

    with memory_app(app):
        job = app.enqueue("act")
        assert [ran.outcome for ran in drain(app)] == ["succeeded"]
        assert {said: told for said, told in found.items() if not told.startswith("refused")} == {}
        store = app.opened()
        assert store.run(store.verbs.effects([job.id])) == {job.id: []}
        assert store.run(store.verbs.checkpoints(job.id)) == []
    assert lacking == {}
    assert list(tmp_path.iterdir()) == []


def uncovered(every: list[Call]) -> dict[str, set[str]]:
    covered: dict[str, set[str]] = {}
    for call in every:
        covered.setdefault(call.name, set()).update(call.asked)
    found: dict[str, Any] = {}
    for name, function in inspect.getmembers(Context, inspect.isfunction):
        if not name.startswith("_"):
            found[name] = parameters(function) - covered.get(f"Context.{name}", set()) - LEFT
    return {name: words for name, words in found.items() if words}
