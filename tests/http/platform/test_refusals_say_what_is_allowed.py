"""A value that a member does not take is refused with what it takes, from the struct of the operation."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from msgspec import inspect

from tenure.core.errors import InvalidInput
from tenure.edge import claims, enqueues, job_pages, keys, kinds, reports
from tenure.edge.operations import TABLE
from tenure.http.bodies.converting import converted, of_texts

JOB = {"type": "mail"}


def refusal(wanted: type[msgspec.Struct], said: dict[str, Any], *, strict: bool = True) -> tuple[str, str]:
    with pytest.raises(InvalidInput) as refused:
        converted(wanted, said, strict=strict)
    return refused.value.code, refused.value.message


@pytest.mark.parametrize(
    ("wanted", "said", "words"),
    [
        (job_pages.ListJobs, {"status": "done"}, "status: must be one of pending, running, completed, failed, cancelled"),
        (keys.CreateKey, {"name": "a", "role": "root"}, "role: must be one of producer, worker, viewer, operator, admin"),
        (enqueues.Enqueue, {**JOB, "priority": "x"}, "priority: must be one of critical, high, low, medium, or a whole number"),
        (reports.Reports, {"reports": [{"verb": "x"}]}, "reports[0].verb: must be one of complete, fail, release, snooze"),
    ],
)  # fmt: skip
def test_of_a_few_values_all_are_named(wanted: type[msgspec.Struct], said: dict[str, Any], words: str) -> None:
    code, message = refusal(wanted, said, strict=wanted is not job_pages.ListJobs)
    assert code == "not_one_of"
    assert message.lower().startswith(words.lower())


def test_of_a_report_in_a_list_the_classes_are_named() -> None:
    report = {"verb": "fail", "id": "x", "lease_token": "t", "class": "bad"}
    code, message = refusal(reports.Reports, {"reports": [report]})
    assert code == "not_one_of"
    assert message.startswith("reports[0].class: must be one of ")
    assert "terminal" in message


@pytest.mark.parametrize(
    ("wanted", "said", "words"),
    [
        (claims.Claim, {"wait": 31}, "wait: must be at most 30"),
        (claims.Claim, {"wait": -1}, "wait: must be at least 0"),
        (enqueues.Enqueue, {**JOB, "priority": 10**9}, "priority: must be at most 32767"),
        (kinds.SetKind, {"backoff": [1, -1]}, "backoff[1]: must be at least 0"),
        (enqueues.Enqueue, {"type": ""}, "type: must have at least 1 character"),
        (enqueues.Enqueue, {"type": "a" * 999}, "type: must have at most 200 characters"),
        (enqueues.Enqueue, {**JOB, "tags": ["a"] * 21}, "tags: must have at most 20 entries"),
        (enqueues.EnqueueMany, {"jobs": []}, "jobs: must have at least 1 entry"),
    ],
)
def test_of_a_range_the_end_is_named(wanted: type[msgspec.Struct], said: dict[str, Any], words: str) -> None:
    assert refusal(wanted, said) == ("out_of_range", words)


@pytest.mark.parametrize(
    ("wanted", "said", "field"),
    [
        (enqueues.Enqueue, {"type": " "}, "type"),
        (enqueues.Enqueue, {**JOB, "idempotency_key": "\u3000"}, "idempotency_key"),
        (claims.Claim, {"types": ["a", "\t"]}, "types[1]"),
        (claims.Claim, {"versions": {" ": [1]}}, "versions"),
        (reports.Reports, {"reports": [{"verb": "release", "id": "x", "lease_token": "t", "code": " "}]}, "reports[0].code"),
    ],
)  # fmt: skip
def test_a_blank_text_is_refused_in_words_and_not_by_a_pattern(
    wanted: type[msgspec.Struct], said: dict[str, Any], field: str
) -> None:
    code, message = refusal(wanted, said)
    assert (code, message) == ("wrong_form", f"{field}: must have a character that is not white space")


def test_the_name_of_a_key_is_told_which_characters_it_may_have() -> None:
    code, message = refusal(keys.CreateKey, {"name": "é", "role": "viewer"})
    assert code == "wrong_form"
    assert message.startswith("name: must begin with a letter or digit")


def test_whatever_has_a_pattern_has_words_for_it_too() -> None:
    """So no caller ever gets to read a regular expression."""

    def patterns(node: Any) -> Any:
        if isinstance(node, inspect.Metadata) and isinstance(node.type, inspect.StrType):
            yield from [node] if node.type.pattern else []
            return
        for name in getattr(node, "__struct_fields__", ()):
            inner = getattr(node, name)
            for one in inner if isinstance(inner, tuple) else (inner,):
                if isinstance(one, (inspect.Type, inspect.Field)):
                    yield from patterns(one)
        if isinstance(node, inspect.StrType) and node.pattern:
            yield node

    shapes = [shape for one in TABLE for shape in (one.body, one.query) if shape is not None]
    found = [node for shape in shapes for node in patterns(inspect.type_info(shape))]
    assert len(found) > 50
    assert all(isinstance(node, inspect.Metadata) and (node.extra or {}).get("must") for node in found)


@pytest.mark.parametrize(
    ("wanted", "said", "words"),
    [
        (enqueues.Enqueue, {"type": 3}, "type: must be a string, not an integer"),
        (enqueues.Enqueue, {**JOB, "queue": True}, "queue: must be a string or null, not a boolean"),
        (enqueues.Enqueue, {**JOB, "payload": [1]}, "payload: must be an object, not an array"),
        (enqueues.Enqueue, {**JOB, "run_at": 3}, "run_at: must be an instant (RFC 3339) or null, not an integer"),
        (enqueues.Enqueue, {**JOB, "timeout": "1"}, "timeout: must be a number or null, not a string"),
        (claims.Claim, {"limit": 1.5}, "limit: must be an integer or null, not a number"),
        (kinds.SetKind, {"backoff": [1]}, "backoff: must have 2 entries, not 1"),
        (reports.Heartbeat, {"lease_token": None}, "lease_token: must be a string, not null"),
    ],
)
def test_a_value_of_another_type_is_refused_in_the_words_of_json(
    wanted: type[msgspec.Struct], said: dict[str, Any], words: str
) -> None:
    assert refusal(wanted, said) == ("wrong_type", words)


@pytest.mark.parametrize("text", ["2030-01-01", "tomorrow", "", "2026-02-30T09:00:00Z"])
def test_what_is_no_instant_is_told_how_one_is_written(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        converted(enqueues.Enqueue, {**JOB, "run_at": text})
    assert refused.value.code == "wrong_form"
    assert refused.value.message == "run_at: must be an instant (RFC 3339): a date, a time and a zone"
    assert "2026-01-31T09:00:00Z" in str(refused.value.hint)


INSTANTS_OF_QUERIES = [
    (one.query, member.encode_name)
    for one in TABLE
    if one.query is not None
    for member in msgspec.structs.fields(one.query)
    if "datetime" in str(member.type)
]


@pytest.mark.parametrize(("wanted", "name"), INSTANTS_OF_QUERIES)
@pytest.mark.parametrize("text", ["0.5", "1e3", "1700000000", "-1", "nan", "true", "2026-01-31T09:00:00", "2026-01-31"])
def test_an_instant_of_a_query_is_one_of_a_document(wanted: type[msgspec.Struct], name: str, text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        of_texts(wanted, {name: text})
    assert (refused.value.field, refused.value.code) == (name, "naive_datetime" if ":" in text else "wrong_form")
    assert "2026-01-31T09:00:00Z" in str(refused.value.hint)
    read = getattr(of_texts(wanted, {name: "2026-01-31T10:00:00+01:00"}), name)
    assert read == datetime(2026, 1, 31, 9, tzinfo=UTC)


def test_an_instant_without_a_zone_says_how_it_ends_in_json() -> None:
    with pytest.raises(InvalidInput) as refused:
        converted(enqueues.Enqueue, {**JOB, "run_at": "2026-01-31T09:00:00"})
    assert (refused.value.code, refused.value.field) == ("naive_datetime", "run_at")
    assert refused.value.hint == "End it with Z or an offset, as 2026-01-31T09:00:00Z."
