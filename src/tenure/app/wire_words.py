"""What is said of a value that a struct of the wire does not take: msgspec's word, in ours, with what is allowed."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final, NamedTuple

from msgspec import inspect

from tenure.core.payloads import json_types, paths

_NOT_CHOSEN: Final = re.compile(r"Invalid (?:enum )?value\b")
_PATTERN: Final = re.compile(r"Expected `str` matching regex\b")
_BOUND: Final = re.compile(r"Expected `(?:int|float)` (?P<sign>[<>]=?) (?P<bound>-?[\d.e+-]+)")
_LENGTH: Final = re.compile(r"Expected `(?P<type>\w+)` of length (?P<sign>[<>]=) (?P<bound>\d+)")
_EXACT_LENGTH: Final = re.compile(r"Expected `array` of length (?P<wanted>\d+), got (?P<got>\d+)")
_TYPE: Final = re.compile(r"Expected `(?P<wanted>[^`]+)`, got `(?P<got>\w+)`")
_IN_JSON: Final = {
    "str": "string", "int": "integer", "float": "number", "bool": "boolean", "datetime": "an instant (RFC 3339)",
    "uuid": "a UUID", "bytes": "a string in base64", "decimal": "a decimal number",
}  # fmt: skip
"""Where JSON has another word for a type, or none, and a string stands for it."""
_SIGNS: Final = {"<=": "at most", ">=": "at least", "<": "less than", ">": "more than"}
_COUNTED: Final = {
    "str": ("character", "characters"),
    "array": ("entry", "entries"),
    "object": ("member", "members"),
}


class Told(NamedTuple):
    """code: of the refusal. words: what stands behind the member's name."""

    code: str
    words: str


def plainly(what: str) -> Told | None:
    """Of a value of another type, whatever it is a member of. None: there is nothing better to say."""
    if length := _EXACT_LENGTH.fullmatch(what):
        return Told("wrong_type", f"must have {length['wanted']} entries, not {length['got']}")
    found = _TYPE.fullmatch(what)
    if found is None:
        return None
    wanted = [_IN_JSON.get(one, one) for one in found["wanted"].split(" | ")]
    return Told("wrong_type", json_types.must_be(wanted, _IN_JSON.get(found["got"], found["got"])))


def told(wanted: type, path: str, what: str) -> Told | None:
    """wanted: the struct; path: of the member in it; what: msgspec's word. None: there is nothing better to say."""
    if _NOT_CHOSEN.match(what):
        allowed = choices(wanted, path)
        return Told("not_one_of", f"must be one of {allowed}") if allowed else None
    if _PATTERN.match(what):
        must = _must(wanted, path)
        return Told("wrong_form", must) if must else None
    if bound := _BOUND.fullmatch(what):
        return Told("out_of_range", f"must be {_SIGNS[bound['sign']]} {bound['bound'].removesuffix('.0')}")
    length = _LENGTH.fullmatch(what)
    if length is None or length["type"] not in _COUNTED:
        return None
    counted = _COUNTED[length["type"]][length["bound"] != "1"]
    return Told("out_of_range", f"must have {_SIGNS[length['sign']]} {length['bound']} {counted}")


def _must(wanted: type, path: str) -> str:
    """What the text of a member must be, in words: its type says so under `must`. Empty where it does not."""
    nodes: list[inspect.Type] = [_info(wanted)]
    for step in paths.steps(path):
        nodes = [inner for node in nodes for part in _choices(node) for inner in _inside(part, step)]
    said = (extra["must"] for node in nodes for extra in _extras(node) if "must" in extra)
    return next(said, "")


def _extras(node: inspect.Type) -> Iterator[dict[str, Any]]:
    if isinstance(node, inspect.Metadata):
        yield node.extra or {}
        yield from _extras(node.type)
    elif isinstance(node, inspect.UnionType):
        for choice in node.types:
            yield from _extras(choice)
    elif isinstance(node, inspect.DictType):
        yield from _extras(node.key_type)


def choices(wanted: type, path: str) -> str:
    """The values that a member takes, separated by commas; empty where they are not few and known."""
    found = list(_choices(_info(wanted)))
    for step in paths.steps(path):
        found = [inner for node in found for part in _inside(node, step) for inner in _choices(part)]
    values = dict.fromkeys(str(value) for node in found for value in _values(node))
    number = ", or a whole number" if values and any(isinstance(node, inspect.IntType) for node in found) else ""
    return ", ".join(values) + number


@cache
def _info(wanted: type) -> inspect.Type:
    return inspect.type_info(wanted)


def _choices(node: inspect.Type) -> Iterator[inspect.Type]:
    """What a node can be, without unions and remarks."""
    if isinstance(node, inspect.Metadata):
        yield from _choices(node.type)
    elif isinstance(node, inspect.UnionType):
        for choice in node.types:
            yield from _choices(choice)
    else:
        yield node


def _inside(node: inspect.Type, step: str | int) -> Iterator[inspect.Type]:
    """The member or entry of a node; the tag by which structs are told apart counts as one of them."""
    if isinstance(node, inspect.StructType):
        if step == node.tag_field:
            yield inspect.LiteralType((node.tag,))
        yield from (member.type for member in node.fields if member.encode_name == step)
    elif isinstance(node, (inspect.ListType, inspect.VarTupleType)):
        yield node.item_type
    elif isinstance(node, inspect.TupleType) and isinstance(step, int) and step < len(node.item_types):
        yield node.item_types[step]


def _values(node: inspect.Type) -> tuple[Any, ...]:
    if isinstance(node, inspect.EnumType):
        return tuple(member.value for member in node.cls)
    return tuple(node.values) if isinstance(node, inspect.LiteralType) else ()
