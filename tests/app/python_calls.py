"""The public Python face as a table of calls."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from tenure import RedriveHandle, ScheduleHandle, Tenure
from tenure.app.settings import Settings
from tenure.testing import FakeClock, adrain, assert_enqueued, assert_not_enqueued, drain, memory_app
from tests.app import wrong_values as wrong
from tests.app.python_face import (
    DECLARATION,
    GUARD,
    OPTIONS,
    RULE,
    SELECTION,
    SUBJECT,
    TIMING,
    WORKER,
    Call,
    twins,
    verb,
)

NOW = datetime(2030, 1, 1, tzinfo=UTC)
WHY = {"why": wrong.WORDS}


def calls(app: Tenure) -> Iterator[Call]:
    """Of an application with the tasks `letter(to: str)` and `broken()`, where a job of `broken` has failed."""
    yield from of_an_application()
    yield from of_a_producer(app)
    yield from of_a_job(app)
    yield from of_an_operator(app)
    yield from of_flow(app)
    yield from of_schedules(app)
    yield from of_tests(app)


def of_an_application() -> Iterator[Call]:
    other = Tenure("memory://")

    def url(url: Any) -> None:
        other.url = url

    def task(**said: Any) -> None:
        Tenure("memory://").task(**{"kind": "declared"} | said)(lambda: None)

    def periodic(**said: Any) -> None:
        Tenure("memory://").periodic(**said)(lambda: None)

    yield Call(
        "Tenure",
        Tenure,
        {
            "url": (*wrong.NO_TEXTS, "", "  "),
            "secrets": wrong.FUNCTION,
            "encryption_keys": wrong.TEXT,
            "database_connections": wrong.WHOLE,
        },
        {"url": "memory://"},
    )
    yield Call("Tenure.url", url, {"url": (*wrong.NO_TEXTS, "", "  ")})
    yield Call("Tenure.task", task, DECLARATION)
    yield Call(
        "Tenure.periodic",
        periodic,
        TIMING | {"name": wrong.TEXT, "payload": wrong.MEMBERS, "tenant": wrong.TEXT},
        {"every": 60},
    )
    yield verb(other, "worker", WORKER)
    yield verb(other, "use", {"store": wrong.FUNCTION})
    yield verb(Settings({}), "text", {"flag": (*wrong.NO_TEXTS, "", " ")}, name="app")


def of_a_producer(app: Tenure) -> Iterator[Call]:
    letter = app.tasks["letter"]
    named = OPTIONS | {"kind": wrong.TEXT, "payload": wrong.MEMBERS}
    yield from twins(app, "enqueue", named | {"connection": wrong.CONNECTION}, kind="letter", payload={"to": "ada"})
    yield from twins(app, "item", named, kind="letter", payload={"to": "ada"})
    yield from twins(app, "enqueue_many", {"items": (5, "x", {}, [5], [None], wrong.Thing())})
    yield from twins(
        app, "enqueue_many", {"connection": wrong.CONNECTION}, items=[letter.item("ada"), letter.item("bob")]
    )
    yield verb(letter, "using", OPTIONS)
    yield verb(letter.using(), "using", OPTIONS)
    for task in (letter, letter.using()):
        yield Call(
            f"{type(task).__name__}.using",
            lambda connection, task=task: task.using(connection=connection).enqueue("ada"),
            {"connection": wrong.CONNECTION},
        )
    yield from twins(app, "get", {"job_id": wrong.ID})
    yield verb(app, "kind_named", {"name": wrong.TEXT})
    yield verb(
        app,
        "publish_hints",
        {
            "publish": wrong.FUNCTION,
            "batch": wrong.WHOLE,
            "hold": wrong.SECONDS,
            "repeat": wrong.SECONDS,
        },
        publish=print,
    )


def of_a_job(app: Tenure) -> Iterator[Call]:
    job = next(iter(app.enqueue_many([app.tasks["letter"].item("ada")])))
    yield from twins(job, "result", {"timeout": wrong.SECONDS})
    yield from twins(job, "cancel", {"wait": wrong.SECONDS} | WHY)
    yield verb(job, "payload", {"reveal": wrong.FLAG})


def of_an_operator(app: Tenure) -> Iterator[Call]:
    failed = {"kinds": ["broken"]}
    job = app.enqueue("letter", {"to": "ada"})
    newer = app.enqueue("letter", {"to": "ada"})
    redrive: RedriveHandle = app.redrive(**failed)  # type: ignore[arg-type]
    yield from twins(app, "failures", SELECTION)
    yield from twins(app, "preview_redrive", SELECTION | GUARD, **failed)
    yield from twins(app, "redrive", SELECTION | GUARD | WHY | {"id": wrong.ID}, **failed)
    yield verb(app, "redrives", {"page": wrong.WHOLE})
    yield verb(app, "get_redrive", {"redrive_id": wrong.ID})
    yield verb(app, "forbid_redrives", WHY)
    yield verb(app, "allow_redrives", WHY)
    yield verb(app, "preview_cancel", SELECTION, **failed)
    yield verb(app, "cancel_many", SELECTION | WHY, **failed)
    yield from twins(
        app, "supersede", {"job_id": wrong.ID, "newer_id": wrong.ID} | WHY, job_id=job.id, newer_id=newer.id
    )
    for name in ("pause", "resume", "cancel"):
        yield verb(redrive, name, WHY)
    yield verb(redrive, "jobs", {"state": wrong.ONE_OF})


def of_flow(app: Tenure) -> Iterator[Call]:
    for name in ("pause", "resume"):
        yield from twins(app, name, SUBJECT)
        yield from twins(app, name, WHY, queue="post")
    for name in ("show_queue", "show_tenant"):
        yield from twins(app, name, {"name": wrong.TEXT})
    for name in ("list_queues", "list_tenants"):
        yield from twins(app, name, {"after": wrong.TEXT, "limit": wrong.WHOLE})
    yield from twins(app, "set_weight", {"tenant": wrong.TEXT, "weight": wrong.WHOLE} | WHY, tenant="acme", weight=2)
    relief = {"queue": wrong.TEXT, "aging": wrong.NUMBER, "reserve": wrong.TEXT} | WHY
    yield from twins(app, "set_relief", relief, queue="post", aging=5)
    limit = SUBJECT | {"concurrency": wrong.WHOLE, "rate": wrong.TEXT, "burst": wrong.WHOLE} | WHY
    yield from twins(app, "set_limit", {name: limit[name] for name in SUBJECT}, concurrency=5)
    yield from twins(
        app, "set_limit", {name: limit[name] for name in limit.keys() - SUBJECT.keys()}, queue="post", rate="10/s"
    )
    capacity = {"jobs": wrong.WHOLE, "queue": wrong.TEXT, "tenant": wrong.TEXT} | WHY
    yield from twins(app, "set_capacity", capacity, jobs=5, queue="post")
    objective = {"queue": wrong.TEXT, "within": wrong.SECONDS, "share": wrong.NUMBER} | WHY
    yield from twins(app, "set_objective", objective, queue="post", within=5)
    yield from twins(app, "lateness", {"queues": wrong.NAMES})


def of_schedules(app: Tenure) -> Iterator[Call]:
    schedule: ScheduleHandle = app.set_schedule("monthly", "letter", {"to": "ada"}, every=3600)
    named = {"name": wrong.TEXT, "tenant": wrong.TEXT}
    yield verb(
        app,
        "set_schedule",
        TIMING | named | WHY | {"kind": wrong.TEXT, "payload": wrong.MEMBERS},
        name="daily",
        kind="letter",
        payload={"to": "ada"},
        every=60,
    )
    yield verb(app, "get_schedule", named, name="monthly")
    wanted = {name: SELECTION[name] for name in ("tenants", "kinds", "queues")}
    yield verb(app, "schedules", wanted | {"page": wrong.WHOLE})
    yield verb(app, "preview_schedule", RULE | {"count": wrong.WHOLE}, every=60)
    for name in ("pause", "resume", "run_now"):
        yield verb(schedule, name, WHY)
    yield verb(schedule, "preview", {"count": wrong.WHOLE})
    yield verb(schedule, "backfill", {"since": wrong.INSTANT, "until": wrong.INSTANT} | WHY, since=NOW, until=NOW)
    yield verb(schedule, "delete", WHY)


def of_tests(app: Tenure) -> Iterator[Call]:
    clock = FakeClock()
    no_app = (5, "x", None, {})

    def puts_in_memory(app: Any, clock: Any = None) -> None:
        with memory_app(app, clock):
            pass

    yield Call("FakeClock", FakeClock, {"start": wrong.INSTANT})
    yield verb(clock, "advance", {"seconds": wrong.MOVES})
    yield verb(clock, "to", {"instant": (*wrong.INSTANT, None)})
    drained = {"app": no_app, "advance": wrong.FLAG, "limit": wrong.WHOLE}
    yield Call("drain", drain, drained, {"app": app})
    yield Call("adrain", adrain, drained, {"app": app})
    looked = {"app": no_app, "kind": wrong.TEXT}
    yield Call("assert_enqueued", assert_enqueued, looked, {"app": app, "kind": "letter"})
    yield Call("assert_not_enqueued", assert_not_enqueued, looked, {"app": app, "kind": "letter"})
    yield Call("memory_app", puts_in_memory, {"app": no_app, "clock": (5, "x", {})}, {"app": Tenure("memory://")})
