"""A payload is judged by its kind's row where the code is not at hand, in the words of the typed check."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec
import pytest

from tenure import InvalidInput, Tenure
from tenure.core import documents, schema
from tenure.core.errors import TenureError


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
SCHEMA = documents.load(TASK.signature.schema() or "")
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


def test_a_schema_that_refers_to_itself_ends() -> None:
    schema.check("payload", {"$ref": "#"}, {"any": "thing"})
    schema.check("payload", {"$ref": "https://elsewhere.invalid/schema"}, {})
