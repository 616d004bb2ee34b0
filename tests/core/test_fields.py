"""Single arguments: empty, blank, wrong types, NUL, surrogates, sizes; falsy is not missing."""

import uuid
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from enum import Enum, IntEnum, StrEnum
from typing import Any

import pytest

from tenure.app.kinds.options import Options
from tenure.core import fields, intake, kind
from tenure.core.errors import InvalidInput, TooLarge
from tenure.core.job import NewJob
from tenure.core.kind import Kind
from tests.core.making import NOW, at

TEXTS: dict[str, Callable[[str, Any], Any]] = {
    "name": fields.name,
    "key": fields.key,
    "code": fields.code,
    "job_id": fields.job_id,
    "tag": lambda field, value: fields.tags(field, [value]),
}
WIDE = "𝒳"


@pytest.mark.parametrize("rule", TEXTS)
@pytest.mark.parametrize(
    "value", ["", " ", "\t\n", "\u2003", 0, False, b"x", ["x"], 1.5, "a\0", "\ud800", "x" * 1_000_000]
)
def test_what_is_no_text_is_refused_naming_the_field(rule: str, value: Any) -> None:
    with pytest.raises(InvalidInput) as refused:
        TEXTS[rule]("idempotency_key", value)
    assert refused.value.field.startswith("idempotency_key")
    assert isinstance(refused.value, ValueError)


def test_only_none_means_that_nothing_was_said() -> None:
    assert fields.key("idempotency_key", None) is None
    assert fields.instant("run_at", None) is None


def test_names_have_200_characters_of_any_width_and_keys_512_bytes() -> None:
    assert fields.name("queue", WIDE * 200) == WIDE * 200
    assert fields.key("key", WIDE * 128) == WIDE * 128
    assert fields.code("code", WIDE * 100) == WIDE * 100
    for refuse in (
        lambda: fields.name("queue", "x" * 201),
        lambda: fields.key("key", WIDE * 128 + "x"),
        lambda: fields.code("code", "x" * 101),
    ):
        with pytest.raises(TooLarge):
            refuse()


def test_an_id_is_a_uuid_in_any_spelling_and_comes_out_in_one() -> None:
    made = uuid.uuid4()
    assert (
        fields.job_id("id", made)
        == fields.job_id("id", str(made).upper())
        == fields.job_id("id", f"{{{made}}}")
        == str(made)
    )
    with pytest.raises(InvalidInput, match="not a UUID"):
        fields.job_id("id", "job-1")


@pytest.mark.parametrize(
    ("value", "number"), [("low", 0), ("medium", 10), ("high", 20), ("critical", 30), (-32_768, -32_768), (7, 7)]
)
def test_priorities_are_labels_or_numbers(value: Any, number: int) -> None:
    assert fields.priority("priority", value) == number
    assert (
        fields.priority("priority", fields.priority_label(number)) == number
        if number in fields.PRIORITIES.values()
        else True
    )


@pytest.mark.parametrize("value", ["urgent", "", "LOW", 32_768, -32_769, True, 1.0, None, "10"])
def test_other_priorities_are_refused(value: Any) -> None:
    with pytest.raises(InvalidInput, match="priority"):
        fields.priority("priority", value)


@pytest.mark.parametrize("value", [True, 1.0, "1", None, 0, 10_001])
def test_a_count_is_a_whole_number_within_its_range(value: Any) -> None:
    with pytest.raises(InvalidInput):
        fields.whole("max_attempts", value, *fields.ATTEMPTS_RANGE)


def test_a_naive_datetime_is_refused_with_what_to_write_instead() -> None:
    with pytest.raises(InvalidInput, match=r"datetime\.now\(UTC\)") as refused:
        fields.instant("run_at", datetime(2026, 1, 1))  # noqa: DTZ001
    assert (refused.value.code, refused.value.field) == ("naive_datetime", "run_at")


@pytest.mark.parametrize("value", ["2026-01-01", date(2026, 1, 1), 0, "", datetime(1969, 12, 31, tzinfo=UTC)])
def test_what_is_no_instant_since_1970_is_refused(value: Any) -> None:
    with pytest.raises(InvalidInput, match="run_at"):
        fields.instant("run_at", value)


def test_instants_come_out_in_utc() -> None:
    there = timezone(timedelta(hours=-9))
    assert fields.instant("run_at", datetime(2026, 1, 1, tzinfo=there)) == datetime(2026, 1, 1, 9, tzinfo=UTC)


def test_durations_are_seconds_or_timedeltas() -> None:
    assert fields.duration("delay", timedelta(minutes=1)) == fields.duration("delay", 60) == 60.0


@pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), True, "60", None, 1e12, 10**400])
def test_other_durations_are_refused(value: Any) -> None:
    with pytest.raises(InvalidInput, match="delay"):
        fields.duration("delay", value)


def test_tags_are_at_most_twenty_names() -> None:
    assert fields.tags("tags", ["a"] * 20) == ("a",) * 20
    for refused in ("abc", ["a"] * 21, [""], {"a"}, None):
        with pytest.raises(InvalidInput, match="tags"):
            fields.tags("tags", refused)


@pytest.mark.parametrize(
    "facts",
    [
        {"run_at": at(10), "deadline": at(9)},
        {"delay": 10.0, "deadline": at(9)},
        {"deadline": NOW},
        {"deadline": at(-1)},
    ],
)
def test_a_deadline_that_cannot_be_met_is_refused(facts: dict[str, Any]) -> None:
    new = NewJob(id="j", kind="k", payload="1", args_digest="d", **facts)
    with pytest.raises(InvalidInput) as refused:
        intake.check_deadline(new, NOW)
    assert (refused.value.field, refused.value.code) == ("deadline", "deadline_before_run_at")


def test_a_deadline_at_the_very_run_at_is_accepted() -> None:
    intake.check_deadline(NewJob(id="j", kind="k", payload="1", args_digest="d", delay=9.0, deadline=at(9)), NOW)


def test_the_least_time_to_run_is_the_same_for_everything_that_has_one() -> None:
    least, most = fields.RUN_TIME_RANGE
    assert (fields.run_time("timeout", least), fields.run_time("timeout", most)) == fields.RUN_TIME_RANGE
    assert Options().using(timeout=least).timeout == kind.checked(Kind(name="k", run_time_limit=least)).run_time_limit
    for refuse in (
        lambda: fields.run_time("timeout", least / 2),
        lambda: fields.run_time("timeout", most + 1),
        lambda: Options().using(timeout=least / 2),
        lambda: kind.checked(Kind(name="k", run_time_limit=least / 2)),
    ):
        with pytest.raises(InvalidInput, match=r"timeout: must be from 0\.001 to"):
            refuse()


class Shade(StrEnum):
    RED = "red"


class Tint(str, Enum):  # noqa: UP042 (the older form, which is about)
    """Its `str()` is another text than it is."""

    RED = "red"


class Level(IntEnum):
    FIVE = 5


class Seconds(float):
    """As the numbers of libraries are that inherit from Python's."""


def test_members_of_enumerations_and_other_heirs_of_plain_values_become_plain() -> None:
    for text in (
        *(rule("field", said) for rule in (fields.text, fields.name, fields.code) for said in (Shade.RED, Tint.RED)),
    ):
        assert (type(text), text) == (str, "red")
    assert type(fields.key("key", Tint.RED)) is str
    for whole in (fields.whole("slots", Level.FIVE, 1, 10), fields.priority("priority", Level.FIVE)):
        assert (type(whole), whole) == (int, 5)
    for seconds in (
        fields.duration("delay", Seconds(5)),
        fields.number("pace", Seconds(5), 0, 10),
        fields.duration("delay", Level.FIVE),
    ):
        assert (type(seconds), seconds) == (float, 5.0)


def test_a_list_may_be_anything_that_gives_one_thing_after_the_other() -> None:
    for said in (["a", "b"], ("a", "b"), {"a": 1, "b": 2}, (name for name in "ab"), iter("ab"), map(str.lower, "AB")):
        assert fields.several("kinds", said) == ("a", "b")


def test_an_instant_is_within_the_year_9999_in_every_zone() -> None:
    """A session of PostgreSQL shows what it keeps in a zone of its own, and no datetime holds the year after."""
    for hours in (-9, 0, 9):
        said = datetime.max.replace(tzinfo=timezone(timedelta(hours=hours)))
        assert fields.instant("deadline", said) == fields.LATEST
    last = fields.LATEST
    assert last.astimezone(timezone(timedelta(hours=23, minutes=59))).year == 9999


def test_an_instant_before_the_first_year_of_utc_is_before_1970_like_any_other() -> None:
    with pytest.raises(InvalidInput, match="before 1970"):
        fields.instant("deadline", datetime.min.replace(tzinfo=timezone(timedelta(hours=9))))
