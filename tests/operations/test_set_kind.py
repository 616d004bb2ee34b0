"""Declaring a kind as data."""

import json
from typing import Any

import msgspec
import pytest

from tenure.core.errors import InvalidInput
from tenure.core.job import Policy
from tenure.core.kind import Kind
from tenure.operations.set_kind import set_kind
from tests.conformance.asking import Ask

SCHEMA = '{"type":"object","properties":{"to":{"type":"string"}},"required":["to"]}'


def put(ask: Ask, kind: Kind, why: str = "") -> Kind:
    return ask.run(set_kind(ask.verbs, kind, who="op", why=why))


def test_a_kind_is_declared_whole_and_audited(ask: Ask) -> None:
    kind = Kind(name="letter", versions=(3, 1, 3), schema=SCHEMA, queue="post", max_attempts=1, concurrency=2)
    stands = put(ask, kind, "from the Node worker")
    assert stands.versions == (1, 3)
    assert ask.run(ask.verbs.kinds()) == {"letter": stands}
    (line,) = ask.run(ask.verbs.audit_lines(10))
    assert (line.verb, line.subject, line.why, line.detail) == (
        "set_kind", "kind letter", "from the Node worker", "declared",
    )  # fmt: skip


def test_a_second_declaration_replaces_all_but_the_versions(ask: Ask) -> None:
    put(ask, Kind(name="letter", versions=(1,), schema=SCHEMA, queue="post"))
    stands = put(ask, Kind(name="letter", versions=(2,), queue="mail"))
    assert stands == Kind(name="letter", versions=(1, 2), queue="mail")
    assert ask.run(ask.verbs.kinds()) == {"letter": stands}
    assert ask.run(ask.verbs.audit_lines(1))[0].detail == "replaced: versions, schema, queue"


def test_what_is_so_already_leaves_no_line(ask: Ask) -> None:
    first = put(ask, Kind(name="letter", versions=(1, 2), schema=SCHEMA))
    assert put(ask, Kind(name="letter", versions=(1,), schema=f" {SCHEMA} ")) == first
    assert len(ask.run(ask.verbs.audit_lines(10))) == 1


@pytest.mark.parametrize("schema", ["[]", "7", "null", "{", '{"a":1,"a":2}', '{"type":"strin"}', '{"required":"to"}'])
def test_a_schema_that_is_none_is_refused_by_name(ask: Ask, schema: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        put(ask, Kind(name="letter", schema=schema))
    assert refused.value.field.startswith("schema")
    assert ask.run(ask.verbs.kinds()) == {}


@pytest.mark.parametrize(
    ("member", "value", "field"),
    [
        ("name", " ", "name"), ("versions", (), "versions"), ("versions", (0,), "versions"), ("queue", "", "queue"),
        ("max_attempts", 0, "max_attempts"), ("run_time_limit", 0.0, "timeout"),
        ("run_time_limit", float("nan"), "timeout"), ("concurrency", 0, "concurrency"), ("priority", 40_000, "priority"),
        ("policy", Policy(backoff_base=-1.0), "backoff"), ("policy", Policy(backoff_cap=1e12), "backoff"),
        ("policy", Policy(progress_timeout=0.0), "progress_timeout"), ("policy", Policy(effects=(" ",)), "effects"),
    ],
)  # fmt: skip
def test_a_member_out_of_range_is_refused_by_name(ask: Ask, member: str, value: Any, field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        put(ask, msgspec.structs.replace(Kind(name="letter"), **{member: value}))
    assert refused.value.field == field
    assert ask.run(ask.verbs.kinds()) == {}


def test_a_stored_schema_means_what_was_said(ask: Ask) -> None:
    stands = put(ask, Kind(name="letter", schema=json.dumps(json.loads(SCHEMA), indent=4)))
    assert json.loads(stands.schema or "") == json.loads(SCHEMA)
