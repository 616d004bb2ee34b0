"""Paths of secret members: which are taken, what they hide, and where a schema leads them."""

from typing import Any, Final

import pytest

from tenure.core.errors import InvalidInput, TooLarge
from tenure.core.secrecy.schema_secrets import check_places, marked
from tenure.core.secrecy.secret_paths import MASK, MOST, checked, split

PAYLOAD: Final[dict[str, Any]] = {
    "card": {"number": "4111", "owner": "ada"},
    "items": [{"token": "t1", "no": 1}, {"token": "t2"}],
    "by": {"a": {"key": 1}, "b": {"key": 2}},
    "a.b": "dotted",
    "nothing": None,
}

HIDDEN: Final[dict[str, tuple[dict[str, Any], list[Any]]]] = {
    "card.number": ({"card": {"number": MASK, "owner": "ada"}}, ["4111"]),
    "card": ({"card": MASK}, [PAYLOAD["card"]]),
    "items.*.token": ({"items": [{"token": MASK, "no": 1}, {"token": MASK}]}, ["t1", "t2"]),
    "items.*": ({"items": [MASK, MASK]}, PAYLOAD["items"]),
    "by.*.key": ({"by": {"a": {"key": MASK}, "b": {"key": MASK}}}, [1, 2]),
    '["a.b"]': ({"a.b": MASK}, ["dotted"]),
    "nothing": ({"nothing": MASK}, [None]),
    "nothing.deep": ({}, []),
    "missing": ({}, []),
    "card.number.deep": ({"card": {"number": MASK, "owner": "ada"}}, ["4111"]),
    "items.token": ({"items": MASK}, [PAYLOAD["items"]]),
}


@pytest.mark.parametrize("path", HIDDEN)
def test_a_path_hides_what_it_leads_to_and_what_stands_in_its_way(path: str) -> None:
    changed, values = HIDDEN[path]
    assert split(PAYLOAD, checked("secret", [path])) == (PAYLOAD | changed, values)


def test_several_paths_hide_what_any_of_them_names() -> None:
    masked, values = split(PAYLOAD, checked("secret", ["items.*.no", "items.*.token", "card.owner", "card"]))
    assert masked["card"] == MASK
    assert masked["items"] == [{"token": MASK, "no": MASK}, {"token": MASK}]
    assert values == [PAYLOAD["card"], "t1", 1, "t2"]


@pytest.mark.parametrize("other", ["text", 3, [1, 2], True])
def test_a_payload_of_another_shape_is_hidden_whole(other: Any) -> None:
    assert split(other, ("card.number",))[0] == MASK


@pytest.mark.parametrize("said", [["a..b"], [""], [".a"], ["a."], ["a[0]"], ["a b"], "card", 7, [None], ["x" * 1001]])
def test_what_is_no_list_of_paths_is_refused(said: Any) -> None:
    with pytest.raises(InvalidInput, match=r"^secret:"):
        checked("secret", said)


def test_too_many_and_too_deep_paths_are_refused() -> None:
    with pytest.raises(TooLarge):
        checked("secret", [f"p{n}" for n in range(MOST + 1)])
    with pytest.raises(TooLarge):
        checked("secret", [".".join("a" * 65)])


SCHEMA: Final[dict[str, Any]] = {
    "$ref": "#/$defs/Payload",
    "$defs": {
        "Payload": {
            "type": "object",
            "properties": {
                "card": {"anyOf": [{"$ref": "#/$defs/Card"}, {"type": "null"}]},
                "items": {"type": "array", "items": {"type": "object", "additionalProperties": {"type": "string"}}},
                "free": {"type": "object"},
                "any": {},
            },
            "additionalProperties": False,
        },
        "Card": {
            "type": "object",
            "properties": {"number": {"type": "string", "writeOnly": True}, "of": {"$ref": "#/$defs/Card"}},
        },
    },
}


@pytest.mark.parametrize("path", ["card.number", "card.of.of.number", "items.*.t", "items", "free.x.y", "any.*.z"])
def test_a_path_that_leads_somewhere_in_the_schema_is_taken(path: str) -> None:
    check_places("secret", SCHEMA, [path], are_all_named=True)


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("crad", "Its members are any, card, free, items."),
        ("card.nmber", "Its members are number, of."),
        ("items.t", "Write * before t."),
        ("card.number.x", "It has no members."),
    ],
)
def test_a_path_that_leads_nowhere_is_refused_with_what_there_is(path: str, hint: str) -> None:
    with pytest.raises(InvalidInput, match="leads nowhere") as refused:
        check_places("secret", SCHEMA, [path], are_all_named=True)
    assert refused.value.hint == hint


def test_an_open_object_of_a_schema_may_have_members_that_it_does_not_name() -> None:
    check_places("secret", SCHEMA, ["card.cvv"])


def test_a_schema_marks_what_is_write_only_also_where_it_refers_to_itself() -> None:
    found = marked(SCHEMA)
    assert {"card.number", "card.of.number"} <= {*found}
    assert len(found) <= MOST
    assert marked({"type": "object", "properties": {"a b": {"writeOnly": True}}}) == ('["a b"]',)
    assert marked(None) == marked({"$ref": "#/nowhere"}) == ()
