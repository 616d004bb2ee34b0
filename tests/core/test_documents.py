"""What is accepted as a JSON document, at its very borders; the same above every store."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.core.errors import InvalidInput, TooLarge
from tenure.core.payloads import documents

WIDE = "𝒳"


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


storable = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**308) + 1, 10**308 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | storable,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(storable, inner, max_size=4),
    max_leaves=12,
)


@given(values)
def test_what_is_dumped_is_loaded_and_parsed_back_equal_to_the_last_digit(value: Any) -> None:
    text = documents.dump("payload", value)
    assert documents.load(text) == value
    assert documents.parse("payload", text) == value
    assert documents.parse("payload", text.encode()) == value


@given(values)
def test_a_value_has_one_canonical_spelling(value: Any) -> None:
    again = json.loads(json.dumps(value))
    assert documents.canonical(value) == documents.canonical(again)


def test_one_and_one_point_nought_are_different_documents() -> None:
    assert documents.canonical({"n": 1}) != documents.canonical({"n": 1.0})
    assert type(documents.load("1.0")) is float
    assert type(documents.load("1")) is int


def test_the_order_of_members_makes_no_difference_to_the_canonical_form() -> None:
    big = 10**300
    assert documents.canonical({"b": 1, "a": 2}) == documents.canonical({"a": 2, "b": 1})
    assert documents.canonical({"b": big, "a": 2}) == documents.canonical({"a": 2, "b": big})


@pytest.mark.parametrize("sign", [1, -1])
def test_integers_of_308_digits_are_exact_and_of_309_refused(sign: int) -> None:
    most = sign * (10**308 - 1)
    assert documents.load(documents.dump("payload", most)) == most
    assert documents.parse("payload", str(most)) == most
    for refuse in (
        lambda: documents.dump("payload", sign * 10**308),
        lambda: documents.parse("payload", str(sign * 10**308)),
    ):
        with pytest.raises(InvalidInput) as refused:
            refuse()
        assert refused.value.code == "number_out_of_range"


@pytest.mark.parametrize("number", ["1e400", "-1e400", "NaN", "Infinity", "-Infinity", "1" * 5000, '{"a":[1e309]}'])
def test_numbers_that_no_store_can_hold_are_refused_in_text(number: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        documents.parse("payload", number)
    assert refused.value.code == "number_out_of_range"


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 10**400])
def test_numbers_that_no_store_can_hold_are_refused_in_values_naming_the_place(number: float) -> None:
    with pytest.raises(InvalidInput) as refused:
        documents.dump("payload", {"rows": [0, {"sum": number}]})
    assert (refused.value.code, refused.value.field) == ("number_out_of_range", "payload.rows[1].sum")


@pytest.mark.parametrize("value", ["a\0b", {"k": ["\0"]}, {"\0": 1}])
def test_nul_is_refused_as_a_character_and_kept_as_written_out_text(value: Any) -> None:
    with pytest.raises(InvalidInput) as refused:
        documents.dump("payload", value)
    assert refused.value.code == "nul_character"
    written_out = "\\u0000"
    assert documents.load(documents.dump("payload", written_out)) == written_out


def test_nul_in_the_escaped_spelling_is_refused_in_text() -> None:
    with pytest.raises(InvalidInput) as refused:
        documents.parse("payload", '{"a":"\\u0000"}')
    assert refused.value.code == "nul_character"
    assert documents.parse("payload", '"\\\\u0000"') == "\\u0000"


@pytest.mark.parametrize("length", [1, 10_000])
@given(start=st.text(st.characters() | st.characters(categories=["Cs"]) | st.just("\0"), max_size=5))
def test_a_text_is_stored_unless_it_has_nul_or_half_a_surrogate_pair(length: int, start: str) -> None:
    text = start + "x" * length
    if documents.UNSTORABLE.search(text):
        with pytest.raises(InvalidInput, match=r"NUL|surrogate"):
            documents.dump("payload", [text])
    else:
        assert documents.load(documents.dump("payload", [text])) == [text]


@pytest.mark.parametrize("text", ['"\\ud800"', '{"\\udfff":1}', '["\\ude00\\ud83d"]'])
def test_lone_surrogates_are_refused(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        documents.parse("payload", text)
    assert refused.value.code == "lone_surrogate"
    with pytest.raises(InvalidInput):
        documents.dump("payload", json.loads(text))


def test_a_surrogate_pair_is_one_character() -> None:
    assert documents.parse("payload", '"\\ud83d\\ude00"') == "😀"


@pytest.mark.parametrize("text", ['{"a":1,"a":1}', '[{"b":{"a":1,"\\u0061":2}}]'])
def test_duplicate_keys_are_refused(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        documents.parse("payload", text)
    assert refused.value.code == "duplicate_key"


@pytest.mark.parametrize(
    ("text", "field", "code"),
    [
        ('{"a":1,"b":[0,{"c":1,"c":2}]}', "payload.b[1].c", "duplicate_key"),
        ('{"a":1,"a":2}', "payload.a", "duplicate_key"),
        ('{"a b":{"x.y":1,"x.y":1}}', 'payload["a b"]["x.y"]', "duplicate_key"),
        ('{"a":[1,NaN]}', "payload.a[1]", "number_out_of_range"),
        ('{"a":{"b":-Infinity}}', "payload.a.b", "number_out_of_range"),
        ('{"a":[0,' + "7" * 5000 + "]}", "payload.a[1]", "number_out_of_range"),
        ('{"a":' + "7" * 400 + ',"b":' + "7" * 5000 + "}", "payload.a", "number_out_of_range"),
    ],
)
def test_a_refusal_names_where_in_the_text_it_stands(text: str, field: str, code: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        documents.parse("payload", text)
    assert (refused.value.field, refused.value.code) == (field, code)


@pytest.mark.parametrize("text", ['{"a":1,"a":2', '{"a":NaN,}', "[" + "7" * 5000 + ",]"])
def test_what_is_no_json_is_refused_as_that_whatever_else_stands_in_it(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        documents.parse("payload", text)
    assert refused.value.code == "invalid_json"


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ("1.10", "1.1"),
        ("1E5", "100000.0"),
        ("100000000000000000000.0", "1e20"),
        ("-0", "0"),
        ("-0.0", "-0.0"),
        ("0.1234567890123456789", "0.12345678901234568"),
        ("1e-400", "0.0"),
        ("18446744073709551617", "18446744073709551617"),
    ],
)
def test_a_number_is_stored_in_one_spelling_and_integers_digit_by_digit(sent: str, stored: str) -> None:
    """A number with a point or an exponent is the nearest double, spelled as short as it can be read back."""
    assert documents.dump("payload", documents.parse("payload", sent)) == stored


@pytest.mark.parametrize("text", [b"\xff\xfe", b'"\xc3("', b"\xed\xa0\x80", b'"\xf4\x90\x80\x80"'])
def test_broken_utf_8_is_refused(text: bytes) -> None:
    with pytest.raises(InvalidInput) as refused:
        documents.parse("payload", text)
    assert refused.value.code == "invalid_json"


@pytest.mark.parametrize("text", ["", " ", "{", "[1,]", "{'a':1}", "1 2", "nul", "\ufeff1", "01", "+1", ".5"])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        documents.parse("payload", text)
    assert refused.value.code == "invalid_json"


def test_64_levels_are_accepted_and_65_refused() -> None:
    assert documents.load(documents.dump("payload", nested(64))) == nested(64)
    assert documents.parse("payload", "[" * 64 + "]" * 64) == json.loads("[" * 64 + "]" * 64)
    for refuse in (
        lambda: documents.dump("payload", nested(65)),
        lambda: documents.parse("payload", "[" * 65 + "]" * 65),
        lambda: documents.dump("payload", nested(900)),
    ):
        with pytest.raises(TooLarge) as refused:
            refuse()
        assert refused.value.code == "too_deep"


@pytest.mark.parametrize("text", ["[" * 100_000, "[" * 30_000 + "]" * 30_000, '{"a":' * 10_000])
def test_a_hundred_thousand_brackets_are_refused_at_once(text: str) -> None:
    """B55: the depth of data is bounded by a rule, not by the interpreter's stack."""
    with pytest.raises(TooLarge):
        documents.parse("payload", text)


def test_a_list_that_holds_itself_is_refused() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(TooLarge):
        documents.dump("payload", loop)


@pytest.mark.parametrize("character", ["x", "é", "€", WIDE])
@pytest.mark.parametrize(("over", "fits"), [(-1, True), (0, True), (1, False)])
def test_limits_are_counted_in_utf_8_bytes_and_inclusive(character: str, over: int, fits: bool) -> None:
    size = len(character.encode())
    count, rest = divmod(65_536 - 2 + over, size)
    text = character * count + "x" * rest
    assert len(documents.canonical(text)) == 65_536 + over
    for attempt in (lambda: documents.dump("payload", text), lambda: documents.parse("payload", f'"{text}"')):
        if fits:
            attempt()
        else:
            with pytest.raises(TooLarge, match="65,537 bytes, more than the 65,536"):
                attempt()


def test_nine_kilobytes_are_accepted_and_nine_hundred_refused() -> None:
    documents.dump("payload", "x" * 9_000)
    with pytest.raises(TooLarge):
        documents.dump("payload", "x" * 900_000)


@pytest.mark.parametrize("value", [object(), b"bytes", {1: 2}, {"a": {3}}, {None: 1}, 1j])
def test_what_is_no_json_type_is_refused(value: Any) -> None:
    with pytest.raises(InvalidInput):
        documents.dump("payload", value)


def test_tuples_are_arrays() -> None:
    assert documents.dump("payload", {"pair": (1, 2)}) == '{"pair":[1,2]}'
