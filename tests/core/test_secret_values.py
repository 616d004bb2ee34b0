"""Secret values in texts: in every spelling, by their length, and in bounded work."""

import base64
import json
import re
import urllib.parse
from collections.abc import Callable
from typing import Any, Final

import pytest

from tenure.core.secrecy.secret_paths import MASK
from tenure.core.secrecy.secret_values import LOOKED_AT, MOST, SecretValues

VALUE: Final = 'pa55 "w\\örd"/7'
NAMED: Final = f"user:{VALUE}".encode()

SPELLINGS: Final = {
    "itself": VALUE,
    "json": json.dumps(VALUE),
    "json with its own letters": json.dumps(VALUE, ensure_ascii=False),
    "python": repr(VALUE),
    "bytes of python": repr(VALUE.encode()),
    "part of a URL": urllib.parse.quote(VALUE),
    "query": urllib.parse.quote(VALUE, safe=""),
    "form": urllib.parse.quote_plus(VALUE),
    "base64": base64.b64encode(VALUE.encode()).decode(),
    "base64 of something longer": base64.b64encode(NAMED).decode(),
    "base64 one further": base64.b64encode(b"x" + NAMED + b"xyz").decode(),
    "base64 for URLs": base64.urlsafe_b64encode(b"xx" + NAMED).decode(),
}


ODD: Final = 'it\'s "é😀"\t\\/z'
"""Every character that JSON or Python may write otherwise."""

WRITERS: Final[dict[str, Callable[[str], str]]] = {
    "json": json.dumps,
    "json with its own letters": lambda text: json.dumps(text, ensure_ascii=False),
    "json in capitals": lambda text: re.sub(r"(?<=\\u)[0-9a-f]{4}", lambda found: found[0].upper(), json.dumps(text)),
    "json with escaped slashes": lambda text: json.dumps(text).replace("/", "\\/"),
    "python": repr,
    "python beside another quote": lambda text: repr(f'"{text}'),
    "python in ascii": ascii,
    "an ascii stream": lambda text: text.encode("ascii", "backslashreplace").decode(),
    "bytes": lambda text: repr(text.encode()),
}


@pytest.mark.parametrize("value", [ODD, ODD.replace('"', "")], ids=["two quotes", "one quote"])
@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
@pytest.mark.parametrize("outer", [str, json.dumps, repr, ascii], ids=["itself", "json", "python", "ascii"])
def test_a_value_is_found_however_its_characters_are_escaped(
    value: str, write: Callable[[str], str], outer: Callable[[str], str]
) -> None:
    found, text = SecretValues([value]), outer(f"told {write(value)}")
    hidden = found.hidden(text)
    assert MASK in hidden
    assert "z" not in hidden
    assert found.within({"said": [text], text: 1}) == {"said": [hidden], hidden: 1}


def test_a_short_value_is_found_behind_what_a_document_escapes() -> None:
    assert SecretValues(["123"]).within({"said": "cvv:\n123"}) == {"said": f"cvv:\n{MASK}"}


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS)
def test_a_value_is_found_in_the_spellings_of_programs(spelling: str) -> None:
    hidden = SecretValues([VALUE]).hidden(f"before {spelling} after")
    assert MASK in hidden
    assert hidden.startswith("before ")
    assert hidden.endswith(" after")
    for part in ("pa55", "w\\örd", spelling[3:-4]):
        assert part not in hidden


@pytest.mark.parametrize(
    ("value", "text", "told"),
    [
        ("1234", "no 51234x", f"no 5{MASK}x"),
        (1234, "no 51234x", f"no 5{MASK}x"),
        ("123", "cvv 123, not 1234 nor a123", f"cvv {MASK}, not 1234 nor a123"),
        (123, "(123)", f"({MASK})"),
        ("12", "12 of 12", "12 of 12"),
        ("", "nothing", "nothing"),
        ("a", "a cat", "a cat"),
        (True, "true True", "true True"),
        (None, "null None", "null None"),
        (12.5, "12.5 and 112.50", f"{MASK} and 1{MASK}0"),
        ({"number": ["4111222"]}, "number 4111222", f"number {MASK}"),
        ("  padded  ", "a padded one", f"a {MASK} one"),
        ("-----BEGIN-----\nMIIEvAIBADANBgkqhkiG9w0B\nshort\n", "at MIIEvAIBADANBgkqhkiG9w0B", f"at {MASK}"),
    ],
)
def test_the_rule_of_lengths_keeps_messages_readable(value: Any, text: str, told: str) -> None:
    assert SecretValues([value]).hidden(text) == told


def test_the_longest_value_is_taken_first() -> None:
    assert SecretValues(["secret", "secret-of-mine"]).hidden("secret-of-mine, secret") == f"{MASK}, {MASK}"


def test_of_a_job_with_too_many_values_nothing_is_told() -> None:
    many = SecretValues([f"value{n}" for n in range(MOST + 1)])
    assert (many.hidden("words"), many.within({"a": 1})) == (MASK, MASK)
    assert SecretValues([f"value{n}" for n in range(MOST)]).hidden("words") == "words"


@pytest.mark.parametrize("shown", range(1, 20))
def test_a_value_that_a_cut_goes_through_leaves_no_part(shown: int) -> None:
    value = "0123456789abcdefghij"
    found = SecretValues([value])
    head = "x" * (LOOKED_AT - shown) + value + "y" * 10
    tail = head[::-1].replace(value[::-1], value)
    assert value[:4] not in found.hidden(head)
    assert value[-4:] not in found.hidden(tail, keeps_end=True)
    assert value[:4] not in found.hidden(f"said {value[:shown]}", is_cut=True)
    assert value[-4:] not in found.hidden(f"{value[-shown:]} said", is_cut=True, keeps_end=True)


def test_a_value_is_found_in_the_texts_numbers_and_names_of_a_document() -> None:
    found = SecretValues(["4111222", 7788])
    document = {"said": ["4111222!", 7788, 1.0, None, True], "k4111222": {"n": 17788}}
    assert found.within(document) == {"said": [f"{MASK}!", MASK, 1.0, None, True], f"k{MASK}": {"n": f"1{MASK}"}}
    other = {"said": ["nothing"]}
    assert found.within(other) is other


def test_a_document_in_which_looking_would_take_long_is_hidden_whole() -> None:
    found = SecretValues([f"value-{n}" for n in range(MOST)])
    assert found.within(["value-1", *range(10_000)]) == MASK
    assert found.within(["none", *range(10_000)]) != MASK
