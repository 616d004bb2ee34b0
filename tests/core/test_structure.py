"""Values are counted in the bytes of a text, before anything is made of them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.core.errors import TooLarge
from tenure.core.payloads.structure import check_values, pruned

texts = st.text(st.sampled_from('a",[{\\:]}é😀'), max_size=8)
documents = st.recursive(
    st.none() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(texts, inner, max_size=5),
    max_leaves=20,
)


def marks(value: Any) -> int:
    """Commas and opening brackets of its JSON."""
    if not isinstance(value, (list, dict)):
        return 0
    inner = value.values() if isinstance(value, dict) else value
    return 1 + max(0, len(value) - 1) + sum(map(marks, inner))


@given(document=documents, ascii_only=st.booleans())
def test_what_stands_in_quotes_is_no_value(document: Any, *, ascii_only: bool) -> None:
    text = json.dumps(document, ensure_ascii=ascii_only).encode()
    most = 1 + marks(document)
    check_values("body", text, most)
    with pytest.raises(TooLarge) as refused:
        check_values("body", text, most - 1)
    assert refused.value.code == "too_many_values"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (b"[]", 2),
        (b"[" + b"[]," * 1000 + b"0]", 2002),
        (b'{"a":{},"b":[1,2]}', 6),
        (b'"' + b'\\",' * 50_000 + b'"', 1),
        (b'"' + b"," * 50_000, 1),
        (b'"\\', 1),
        (b',,"', 3),
        (b"", 1),
    ],
)
def test_a_text_is_taken_with_as_many_values_as_it_has_and_refused_with_one_less(text: bytes, count: int) -> None:
    check_values("body", text, count)
    if count > 1:
        with pytest.raises(TooLarge):
            check_values("body", text, count - 1)


def cut(value: Any, depth: int) -> Any:
    """The value with nothing in what lies in more than `depth` lists and objects."""
    if isinstance(value, list):
        return [cut(item, depth - 1) for item in value] if depth else []
    if isinstance(value, dict):
        return {key: cut(item, depth - 1) for key, item in value.items()} if depth else {}
    return value


@given(document=documents, depth=st.integers(0, 4), ascii_only=st.booleans())
def test_a_pruned_text_is_that_of_the_pruned_value(document: Any, depth: int, *, ascii_only: bool) -> None:
    text = json.dumps(document, ensure_ascii=ascii_only).encode()
    assert json.loads(pruned(text, depth)) == cut(document, depth)


@pytest.mark.parametrize("text", [b"[[[", b"]]]", b'["[', b"", b"[[{]]}"])
def test_what_is_no_json_is_none_when_it_is_pruned(text: bytes) -> None:
    with pytest.raises(ValueError, match=r"Exp|Unterm|Extra"):
        json.loads(pruned(text, 2))
