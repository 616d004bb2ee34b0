"""What is seen at a glance is what the strict parser sees."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.core import defaults
from tenure.core.errors import InvalidInput
from tenure.core.payloads import documents, plain_documents

NUMBERS = (
    "0", "-0", "-0.0", "1.50", "1e5", "1E-400", "1e400", "01", "1.", ".5", "-", "NaN", "-Infinity",
    "9223372036854775808", "18446744073709551616", "-9223372036854775809", "1" * 308, "1" * 309, "0." + "3" * 400,
)  # fmt: skip
KEYS = ('"a"', '"b"', '""', '"a b"', '"\\u0061"', '"ä"', '"{"', "a")
STRINGS = ('""', '"x"', '"\\n"', '"\n"', '"\x7f"', '"\\ud800"', '"\\u0000"', '"\0"', '"𝒳"', '"a:b,[{"', '"\x0b"')


def _object(pairs: list[tuple[str, str]]) -> str:
    return "{" + ",".join(f"{key}: {value}" for key, value in pairs) + "}"


texts = st.recursive(
    st.sampled_from(("null", "true", "false", *NUMBERS, *STRINGS)),
    lambda inner: (
        st.lists(inner, max_size=4).map(lambda items: f"[{', '.join(items)}]")
        | st.lists(st.tuples(st.sampled_from(KEYS), inner), max_size=4).map(_object)
    ),
    max_leaves=8,
)
around = st.sampled_from(("", " ", "\n\t", "\ufeff", "\x0c", "}", "1"))


@given(texts, around, around, st.sampled_from((1, 3, defaults.DEPTH)))
def test_a_glance_takes_only_what_the_strict_parser_takes_and_takes_it_alike(
    text: str, before: str, after: str, depth: int
) -> None:
    said = f"{before}{text}{after}"
    value = plain_documents.parsed(said.encode(), depth)
    if value is not None:
        assert repr(value) == repr(documents.parse("payload", said, depth=depth))


@given(st.binary(max_size=12))
def test_a_glance_takes_no_text_that_is_no_utf_8(some: bytes) -> None:
    text = b'{"a": "' + some + b'"}'
    value = plain_documents.parsed(text, defaults.DEPTH)
    if value is not None:
        assert value == documents.parse("payload", text.decode())


@pytest.mark.parametrize("value", [{"a": [1, 2.5, None, "ä"], "b": {"a": True}}, [], "text", 10**307])
def test_a_plain_document_needs_no_second_look(value: Any) -> None:
    assert plain_documents.parsed(json.dumps(value, ensure_ascii=False).encode(), defaults.DEPTH) == value


@pytest.mark.parametrize("text", [b'{"a":1,"a":2}', b'{"a":1,"a":1}', b'[{"":"x","":"x"}]'])
def test_a_key_that_is_there_twice_is_refused_after_a_glance_too(text: bytes) -> None:
    assert plain_documents.parsed(text, defaults.DEPTH) is None
    with pytest.raises(InvalidInput) as refused:
        documents.parse("payload", text)
    assert refused.value.code == "duplicate_key"


@pytest.mark.parametrize("text", [b"[" * 100_000, b"[" * 64 + b"1" + b"]" * 64])
def test_what_may_be_nested_too_deeply_is_looked_at_closely(text: bytes) -> None:
    assert plain_documents.parsed(text, defaults.DEPTH - 1) is None
