"""Bad input is refused at the call, by the name of the field, and nothing is stored."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any
from uuid import UUID

import msgspec
import pydantic
import pytest

from tenure import Context, InvalidInput, Misconfigured, Tenure, TooLarge, UnknownKind
from tenure.testing import assert_enqueued, assert_not_enqueued, drain, memory_app


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


REFUSED = [
    ({}, "payload.to", "missing_member"),
    ({"to": 1}, "payload.to", "wrong_type"),
    ({"to": "a", "pages": "2"}, "payload.pages", "wrong_type"),
    ({"to": "a", "pages": True}, "payload.pages", "wrong_type"),
    ({"to": "a", "colour": "red"}, "payload.colour", "unknown_member"),
    ({"to": "a\0"}, "payload.to", "nul_character"),
    ({"to": "\ud800"}, "payload.to", "lone_surrogate"),
    ({"to": "a", "pages": 10**400}, "payload.pages", "number_out_of_range"),
    ({"to": "a", "sent_at": datetime(2026, 1, 1)}, "payload.sent_at", "naive_datetime"),  # noqa: DTZ001
    ({"to": "a", "sent_at": "2026-01-01T00:00:00"}, "payload.sent_at", "naive_datetime"),
    ({"to": object()}, "payload.to", "not_json"),
    ({"to": "a" * 70_000}, "payload", "too_large"),
]


@pytest.mark.parametrize(("payload", "field", "code"), REFUSED)
def test_a_bad_argument_is_refused_by_name_and_nothing_is_stored(
    app: Tenure, payload: dict[str, Any], field: str, code: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        app.tasks["letter"].enqueue(**payload)
    assert (refused.value.field, refused.value.code) == (field, code)
    assert_not_enqueued(app, "letter")


@pytest.mark.parametrize(("payload", "field", "code"), REFUSED)
def test_the_same_words_come_by_the_kinds_name(app: Tenure, payload: dict[str, Any], field: str, code: str) -> None:
    with pytest.raises(InvalidInput) as by_task:
        app.tasks["letter"].enqueue(**payload)
    with pytest.raises(InvalidInput) as by_name:
        app.enqueue("letter", payload)
    assert str(by_task.value) == str(by_name.value)


@dataclass
class Slot:
    begins: datetime


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (datetime(2026, 1, 1), "payload.value"),  # noqa: DTZ001
        ({"rows": [{"at": datetime(2026, 1, 1)}]}, "payload.value.rows[0].at"),  # noqa: DTZ001
        (Slot(datetime(2026, 1, 1)), "payload.value.begins"),  # noqa: DTZ001
    ],
)
def test_a_naive_datetime_is_refused_also_where_no_type_asks_for_a_zone(app: Tenure, value: Any, field: str) -> None:
    @app.task(kind="free")
    def free(value: Any) -> None: ...

    with pytest.raises(InvalidInput, match=r"datetime\.now\(UTC\)") as refused:
        free.enqueue(value=value)
    assert (refused.value.field, refused.value.code) == (field, "naive_datetime")
    assert_not_enqueued(app, "free")
    assert free.enqueue(value=[datetime(2026, 1, 1, tzinfo=UTC)]).row.payload == '{"value":["2026-01-01T00:00:00Z"]}'


def test_a_kind_that_is_no_text_is_refused_by_name(app: Tenure) -> None:
    with pytest.raises(InvalidInput) as refused:
        app.enqueue(["letter"], {})  # type: ignore[arg-type]
    assert refused.value.field == "kind"


OPTIONS = [
    ("idempotency_key", ""),
    ("idempotency_key", "   "),
    ("idempotency_key", "é" * 257),
    ("idempotency_key", "k" * 1_000_000),
    ("idempotency_key", 0),
    ("idempotency_key", "a\0b"),
    ("idempotency_key", "\ud800"),
    ("tenant", "a\0b"),
    ("id", "not-a-uuid"),
    ("tenant", ""),
    ("queue", "q" * 201),
    ("priority", "urgent"),
    ("priority", 40_000),
    ("delay", -1),
    ("delay", math.nan),
    ("run_at", datetime(2026, 1, 1)),  # noqa: DTZ001
    ("deadline", "tomorrow"),
    ("max_attempts", 0),
    ("timeout", 0),
    ("tags", "one"),
    ("tags", ["x"] * 21),
]


@pytest.mark.parametrize(("name", "value"), OPTIONS)
def test_a_bad_option_is_refused_by_name(app: Tenure, name: str, value: Any) -> None:
    with pytest.raises(InvalidInput) as refused:
        app.tasks["letter"].using(**{name: value})  # type: ignore[misc]
    assert refused.value.field.startswith(name)


def test_delay_and_run_at_exclude_each_other(app: Tenure) -> None:
    with pytest.raises(InvalidInput, match="delay: and run_at exclude each other"):
        app.tasks["letter"].using(delay=1, run_at=datetime(2030, 1, 1, tzinfo=UTC))


def test_a_deadline_before_the_job_is_due_is_refused(app: Tenure) -> None:
    with pytest.raises(InvalidInput) as refused:
        app.tasks["letter"].using(delay=60, deadline=datetime(2026, 1, 5, 9, 0, 30, tzinfo=UTC)).enqueue(to="ada")
    assert refused.value.code == "deadline_before_run_at"


def test_deep_and_endless_payloads_are_refused() -> None:
    """B55: a payload of depth 5,000 from Python."""
    app = Tenure("memory://")

    @app.task(kind="free")
    def free(data: Any) -> None: ...

    endless: list[Any] = []
    endless.append(endless)
    for value in (nested(100), nested(5000), endless):
        with pytest.raises(TooLarge) as refused:
            free.enqueue(data=value)
        assert refused.value.code == "too_deep"


def test_an_unknown_kind_is_refused(app: Tenure) -> None:
    with pytest.raises(UnknownKind, match="no task or kind is named 'postcard'"):
        app.enqueue("postcard", {})


def test_who_misspells_a_kind_is_told_which_was_meant(app: Tenure) -> None:
    @app.task()
    def render_statement() -> None: ...

    with pytest.raises(UnknownKind) as refused:
        app.enqueue("render_statment", {})
    assert refused.value.hint.startswith("Did you mean 'render_statement'?")


def test_a_payload_must_be_an_object(app: Tenure) -> None:
    with pytest.raises(InvalidInput, match="payload: must be an object"):
        app.enqueue("letter", ["ada"])  # type: ignore[arg-type]


class Colour(StrEnum):
    RED = "red"


@dataclass
class Point:
    x: int
    y: int


class Line(msgspec.Struct):
    start: Point
    end: Point


class Address(pydantic.BaseModel):
    street: str
    zip_code: int


ROUND_TRIPS: list[tuple[Any, Any]] = [
    (datetime, datetime(2026, 5, 1, 12, tzinfo=UTC)),
    (UUID, UUID(int=7)),
    (Decimal, Decimal("10.10")),
    (bytes, b"\x00\xff"),
    (Colour, Colour.RED),
    (Point, Point(1, 2)),
    (Line, Line(Point(1, 2), Point(3, 4))),
    (Address, Address(street="Main Street", zip_code=12345)),
    (list[Address], [Address(street="Main Street", zip_code=12345)]),
    (dict[int, str], {1: "one"}),
    (tuple[int, str], (1, "a")),
    (int, 10**300),
    (float, 0.1),
    (set[int], {1, 2}),
]


@pytest.mark.parametrize(("wanted", "value"), ROUND_TRIPS, ids=lambda v: getattr(v, "__name__", None))
def test_a_handler_gets_the_type_that_it_asked_for(wanted: Any, value: Any) -> None:
    app, seen = Tenure("memory://"), []

    def handler(value: Any) -> None:
        seen.append(value)

    handler.__annotations__["value"] = wanted
    task = app.task(kind="typed")(handler)
    with memory_app(app):
        task.enqueue(value)
        assert [ran.outcome for ran in drain(app)] == ["succeeded"]
    assert seen == [value]
    assert type(seen[0]) is type(value)


def test_a_model_that_does_not_fit_names_the_path() -> None:
    app = Tenure("memory://")

    @app.task(kind="move")
    def move(to: Address) -> None: ...

    with pytest.raises(InvalidInput) as refused:
        app.enqueue("move", {"to": {"street": "Main Street", "zip_code": "many"}})
    assert refused.value.field == "payload.to"
    assert "zip_code" in refused.value.message


def test_the_stored_payload_is_what_was_sent_and_defaults_are_the_functions_own(app: Tenure) -> None:
    job = app.tasks["letter"].enqueue(to="ada")
    assert job.row.payload == '{"to":"ada"}'
    drain(app)
    assert job.refresh().result(timeout=0) == {"to": "ada", "pages": 1}


def _positional_only(a: int, /) -> None: ...
def _starred(*a: int) -> None: ...
def _double_starred(**a: int) -> None: ...


@pytest.mark.parametrize("function", [_positional_only, _starred, _double_starred])
def test_parameters_that_no_member_can_fill_are_refused_when_declared(function: Callable[..., None]) -> None:
    with pytest.raises(Misconfigured, match="cannot be filled by name"):
        Tenure("memory://").task()(function)


def test_the_context_is_known_by_its_annotation_or_its_name() -> None:
    app = Tenure("memory://")

    @app.task(kind="by_name")
    def by_name(ctx, n: int) -> int:  # type: ignore[no-untyped-def]
        return int(ctx.attempt.number) + n

    @app.task(kind="by_type")
    def by_type(c: Context, n: int) -> int:
        return c.attempt.number + n

    with memory_app(app):
        jobs = [by_name.enqueue(n=1), by_type.enqueue(n=2)]
        drain(app)
        assert [job.result(timeout=0) if job.refresh() else None for job in jobs] == [2, 3]


def test_positions_count_from_the_first_member(app: Tenure) -> None:
    app.tasks["letter"].enqueue("ada", 3)
    assert_enqueued(app, "letter", to="ada", pages=3)
    with pytest.raises(InvalidInput, match=r"payload\.to: is given twice"):
        app.tasks["letter"].enqueue("ada", to="bob")
    with pytest.raises(InvalidInput, match="4 positional values for 3 parameters"):
        app.tasks["letter"].enqueue(1, 2, 3, 4)


def test_calling_a_task_runs_its_handler_here() -> None:
    app = Tenure("memory://")

    @app.task()
    def double(n: int) -> int:
        """Doubles."""
        return 2 * n

    assert double(4) == 8
    assert double.function(5) == 10
    assert (double.kind, double.__name__, double.__doc__) == ("double", "double", "Doubles.")


def test_a_number_past_a_float_is_out_of_range_as_it_is_past_an_integer(app: Tenure) -> None:
    @app.task()
    def weigh(grams: float) -> None: ...

    with pytest.raises(InvalidInput) as refused:
        weigh.enqueue(grams=10**400)
    assert (refused.value.field, refused.value.code) == ("payload.grams", "number_out_of_range")
    assert_not_enqueued(app, "weigh")
