"""A payload is judged by its kind's row where the code is not at hand, in the words of the typed check."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec
import pytest

from tenure import InvalidInput, Tenure
from tenure.core.errors import TenureError
from tenure.core.payloads import schema


@dataclass
class Tree:
    name: str
    children: "list[Tree] | None" = None


def handler(
    n: int,
    text: str | None,
    trees: list[Tree] = [],  # noqa: B006 (left to the function)
    weights: dict[str, float] = {},  # noqa: B006
    colour: Literal["red", "blue"] = "red",
    pair: tuple[int, str] = (1, "a"),
    many: Annotated[int, msgspec.Meta(ge=1, lt=10)] = 1,
    short: Annotated[str, msgspec.Meta(max_length=3)] = "",
    free: Any = None,
    flag: bool = False,
) -> None: ...


TASK = Tenure("memory://").task(kind="k")(handler)
SCHEMA = TASK.signature.schema() or ""
GOOD: dict[str, Any] = {"n": 1, "text": None}

FITTING = [
    {},
    {"text": "x", "trees": [{"name": "a", "children": [{"name": "b"}]}]},
    {"weights": {"a": 1, "b": 0.5}},
    {"colour": "blue", "pair": [2, "b"], "many": 9, "short": "abc", "flag": True},
    {"free": {"anything": [1, None, {"at": "all"}]}},
]
UNFIT = [
    ({"n": "1"}, "payload.n"),
    ({"n": 1.5}, "payload.n"),
    ({"n": True}, "payload.n"),
    ({"text": 1}, "payload.text"),
    ({"trees": [{"name": "a", "children": [{"name": 1}]}]}, "payload.trees[0].children[0].name"),
    ({"trees": [{"children": None}]}, "payload.trees[0].name"),
    ({"weights": {"a": "heavy"}}, "payload.weights.a"),
    ({"colour": "green"}, "payload.colour"),
    ({"pair": [1]}, "payload.pair"),
    ({"pair": [1, 2]}, "payload.pair[1]"),
    ({"many": 0}, "payload.many"),
    ({"many": 10}, "payload.many"),
    ({"short": "abcd"}, "payload.short"),
    ({"flag": 1}, "payload.flag"),
    ({"other": 1}, "payload.other"),
]


def refusal(payload: dict[str, Any]) -> TenureError | None:
    try:
        schema.check("payload", SCHEMA, payload)
    except InvalidInput as error:
        return error
    return None


@pytest.mark.parametrize("members", FITTING)
def test_what_the_handler_takes_fits_its_schema(members: dict[str, Any]) -> None:
    TASK.signature.sent(GOOD | members)
    assert refusal(GOOD | members) is None


@pytest.mark.parametrize(("members", "field"), UNFIT)
def test_what_the_handler_refuses_does_not_fit_and_is_named(members: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as typed:
        TASK.signature.sent(GOOD | members)
    error = refusal(GOOD | members)
    assert isinstance(error, InvalidInput)
    assert error.field == field
    assert typed.value.field.replace("[...]", ".a") == field
    assert error.code == typed.value.code


def test_a_missing_member_is_named() -> None:
    error = refusal({"n": 1})
    assert isinstance(error, InvalidInput)
    assert (error.field, error.code) == ("payload.text", "missing_member")


def refused(said: dict[str, Any]) -> InvalidInput:
    with pytest.raises(InvalidInput) as caught:
        schema.stored("schema", said)
    return caught.value


def judged(said: dict[str, Any], value: Any) -> InvalidInput | None:
    try:
        schema.check("payload", schema.stored("schema", said), value)
    except InvalidInput as error:
        return error
    return None


TREE = {"items": {"$ref": "#"}}
TWICE = {"allOf": [TREE, TREE]}


@pytest.mark.parametrize("reference", ["https://elsewhere.invalid/x", "file:///etc/passwd", "other.json", "#name"])
def test_a_reference_out_of_the_schema_is_refused_and_followed_nowhere(reference: str) -> None:
    assert refused({"properties": {"a": {"$ref": reference}}}).code == "bad_schema"


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({"type": "objekt"}, "bad_schema"),
        ({"pattern": "["}, "bad_schema"),
        ({"pattern": "(a{1000}){1000}"}, "bad_schema"),
        ({"$ref": "#"}, "bad_schema"),
        ({"$ref": "#/$defs/none"}, "bad_schema"),
        ({"properties": {"a": {"$id": "https://x.invalid/y"}}}, "bad_schema"),
        (TWICE, "too_complex"),
        ({"anyOf": [{"const": number} for number in range(1000)]}, "too_complex"),
        ({"enum": [[number] for number in range(1000)]}, "too_complex"),
        ({"description": "x" * 70_000}, "too_large"),
    ],
)
def test_a_schema_that_cannot_be_judged_by_in_bounded_time_is_refused(said: dict[str, Any], code: str) -> None:
    assert refused(said).code == code


def test_a_tree_is_one_look_at_each_of_its_values() -> None:
    tree = {"properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}, "n": {"type": "integer"}}}
    assert judged(tree, {"left": {"right": {"n": 1}}}) is None
    error = judged(tree, {"left": {"right": {"n": "1"}}})
    assert error is not None
    assert error.field == "payload.left.right.n"


@pytest.mark.parametrize("pattern", [r"^(a|a)*\1$", r"(?=a)a", r"(?<!a)b"])
def test_a_regular_expression_that_may_go_back_for_ever_is_refused(pattern: str) -> None:
    error = refused({"properties": {"a": {"pattern": pattern}}})
    assert (error.field, error.code) == ("schema.properties.a.pattern", "bad_schema")


def _doubling(way: Callable[[int], dict[str, Any]]) -> dict[str, Any]:
    """Twelve levels, each of which looks at its value twice by way of the next."""
    return {"$defs": {f"x{level}": way(level + 1) for level in range(12)} | {"x12": {"type": "integer"}}, **way(0)}


@pytest.mark.parametrize(
    "way",
    [
        lambda level: {"allOf": [{"$ref": f"#/$defs/%78{level}"}] * 3},
        lambda level: {"dependencies": {name: {"$ref": f"#/$defs/x{level}"} for name in "abc"}},
        lambda level: {"$id": f"urn:{level}", "allOf": [{"$ref": f"#/$defs/x{level}"}] * 3},
    ],
    ids=["an escaped name", "a keyword of an older draft", "another root on the way"],
)
def test_what_the_library_follows_is_weighed(way: Callable[[int], dict[str, Any]]) -> None:
    assert refused(_doubling(way)).code in ("too_complex", "bad_schema")


@pytest.mark.parametrize("big", [2**53 + 1, 2**64 + 1, 10**307 + 1])
def test_every_digit_of_an_integer_is_compared(big: int) -> None:
    said = {"properties": {"n": {"type": "integer", "const": big}}}
    assert judged(said, {"n": big}) is None
    assert judged(said, {"n": big + 1}) is not None
    assert judged({"properties": {"n": {"maximum": big}}}, {"n": big + 1}) is not None


def test_a_refusal_does_not_repeat_the_value() -> None:
    error = judged({"properties": {"a": {"maxLength": 3}}}, {"a": "my secret"})
    assert error is not None
    assert "secret" not in str(error)


def test_a_kind_whose_schema_cannot_be_used_takes_nothing() -> None:
    with pytest.raises(InvalidInput) as caught:
        schema.check("payload", '{"pattern": "["}', {})
    assert caught.value.code == "unusable_schema"


@pytest.mark.parametrize(
    ("pattern", "pieces"),
    [
        ("abc", 3),
        ("[abc]", 1),
        ("\\d\\{9}", 4),
        ("[ab]{300}c", 301),
        ("a{2,5}b{3,}", 8),
        ("a{2}{3}", 6),
        ("((a{10}){10}){10}", 1220),
        ("[](a{1000}){1000}]", 1_002_002),
        ("[\\]{9}]{2}", 2),
    ],
)
def test_a_pattern_weighs_what_it_is_with_its_counts_written_out(pattern: str, pieces: int) -> None:
    for shape in (
        {"pattern": pattern},
        {"patternProperties": {pattern: {}}},
        {"items": [{"not": {"pattern": pattern}}]},
    ):
        assert schema.weight(json.dumps(shape)).patterns == pieces


def test_a_payload_weighs_by_its_values_its_characters_and_the_looks_at_one_value() -> None:
    plain = schema.weight(json.dumps({"type": "object"}))
    often = schema.weight(json.dumps({"allOf": [{"type": "object"}] * 10}))
    matched = schema.weight(json.dumps({"properties": {"x": {"pattern": "a{100}"}}}))
    few, many, long = '{"x":1}', json.dumps({"x": list(range(1000))}), json.dumps({"x": "y" * 4000})
    assert plain.work(few) < plain.work(many)
    assert plain.work(long) < plain.work(many)
    assert 5 * plain.work(many) < often.work(many)
    assert matched.work(long) > 100 * plain.work(long)


def test_a_schema_that_cannot_be_used_weighs_next_to_nothing() -> None:
    """It refuses every payload."""
    assert schema.weight('{"$ref":"#/nowhere"}').work('{"x":1}') < 1000
