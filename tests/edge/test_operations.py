"""The table of operations holds together."""

import re
from collections import Counter

import msgspec

from tenure.edge.operations import BY_NAME, TABLE


def test_no_two_operations_share_a_name_or_a_route() -> None:
    assert len(BY_NAME) == len(TABLE)
    routes = Counter((one.method, re.sub(r"\{\w+\}", "{}", one.path)) for one in TABLE)
    assert max(routes.values()) == 1


def test_bodies_and_queries_refuse_what_they_do_not_know() -> None:
    for one in TABLE:
        for shape in filter(None, (one.body, one.query)):
            assert shape.__struct_config__.forbid_unknown_fields, shape
            assert shape.__struct_config__.frozen, shape


def test_a_read_has_no_body_and_only_reads_have_none_by_nature() -> None:
    assert all(one.body is None for one in TABLE if one.method in ("GET", "DELETE"))
    assert all(one.body is not None for one in TABLE if one.method in ("POST", "PUT"))


def test_every_answer_and_body_can_be_described() -> None:
    shapes = {shape for one in TABLE for found in one.answers.values() for shape in found}
    shapes |= {shape for one in TABLE for shape in (one.body, one.query) if shape is not None}
    _, components = msgspec.json.schema_components(list(shapes))
    assert {shape.__name__ for shape in shapes} <= {name.rsplit(".")[-1] for name in components}


def test_only_health_is_open_to_everyone() -> None:
    assert [one.name for one in TABLE if one.action is None] == ["healthz", "readyz"]
