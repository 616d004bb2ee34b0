"""Error texts: no secret, address or path is stored, nothing that a store cannot hold, nothing too long."""

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.core import fields
from tenure.core.attempt import ErrorClass
from tenure.core.errors import InvalidInput
from tenure.core.payloads import documents
from tenure.core.reports import failure
from tenure.core.secrecy import cleaning


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("could not connect to postgresql://bob:hunter2@db.internal:5432/x", "hunter2"),
        ("GET https://api.example/v1?token=abcdef123456 failed", "abcdef123456"),
        ("password=hunter2 rejected", "hunter2"),
        ("{'api_key': 'sk-live-123'}", "sk-live-123"),
        ('{"Authorization": "Bearer abc.def.ghi"}', "abc.def.ghi"),
        ("Authorization: Basic Ym9iOmh1bnRlcjI=", "Ym9iOmh1bnRlcjI="),
        ("bad token eyJhbGciOi.eyJzdWIiOi.c2lnbmF0dXJl", "eyJzdWIiOi"),
        ("No such file: '/home/bob/secrets/key.pem'", "bob"),
        (r"No such file: C:\Users\bob\key.pem", "bob"),
    ],
)
def test_secrets_addresses_and_paths_are_taken_out(text: str, secret: str) -> None:
    cleaned = cleaning.message(text)
    assert secret not in cleaned
    assert "…" in cleaned


@pytest.mark.parametrize("text", ["account acct_91 has no balance", "3/4 done", "expected 1 and/or 2", "ratio 1.5 / 2"])
def test_plain_sentences_are_left_alone(text: str) -> None:
    assert cleaning.message(text) == text


@given(st.text(st.characters(), max_size=3000), st.sampled_from(["", "𝒳" * 3000]))
def test_every_text_becomes_one_that_can_be_stored(text: str, more: str) -> None:
    for cleaned, most in ((cleaning.message(text + more), 4096), (cleaning.traceback(more * 2 + text), 16_384)):
        assert len(cleaned.encode()) <= most
        assert "\0" not in cleaned


def test_a_tracebacks_end_is_kept() -> None:
    assert cleaning.traceback("x" * 20_000 + "ValueError: the cause").endswith("ValueError: the cause")


def test_a_message_is_cut_at_its_end_between_characters() -> None:
    assert cleaning.cut("é" * 10, 20) == "é" * 10
    assert cleaning.cut("é" * 10 + "x", 20) == "é" * 8 + "…"


@pytest.mark.parametrize("piece", ["abcdefg+", "eyJ-", "a/", "token=", "a.b-", "password : ", "C:\\"])
def test_a_message_of_megabytes_is_cleaned_without_searching_all_of_it(piece: str) -> None:
    """A search that backs up from every place would take hours for these, with the interpreter's lock held."""
    cleaned = cleaning.message("pwd=hunter2 " + piece * (4_000_000 // len(piece)))
    assert "hunter2" not in cleaned
    assert len(cleaned.encode()) <= 4096


def test_a_secret_that_the_end_of_what_is_looked_at_cuts_in_two_does_not_come_into_sight() -> None:
    text = "token=" + "x" * 20_000 + " " + "p " * 6_300 + "eyJhbGciOi.eyJzdWIiOi" + "s" * 20_000 + ".c2lnbmF0dXJl"
    assert "eyJ" not in cleaning.message(text)


any_text = st.text(st.characters(exclude_categories=()), max_size=5) | st.sampled_from(["\0", "a\ud800"])


@given(st.recursive(st.integers() | any_text, lambda one: st.lists(one) | st.dictionaries(any_text, one), max_leaves=9))
def test_texts_of_a_document_are_made_storable_and_nothing_else_of_it_is_touched(value: Any) -> None:
    mended = cleaning.storable_texts(value)
    assert documents.load(documents.dump("note", mended)) == mended
    with contextlib.suppress(InvalidInput):
        documents.dump("note", value)
        assert mended == value


@pytest.mark.parametrize("code", ["x" * 100, "𝒳" * 100, "e\u0301" * 50])
def test_a_code_that_faces_take_is_stored_whole(code: str) -> None:
    assert fields.code("code", code) == code
    assert failure("id", "token", ErrorClass.UNKNOWN, code, "").code == code


def test_a_code_of_somebody_elses_making_is_cut_by_the_same_measure() -> None:
    stored = failure("id", "token", ErrorClass.UNKNOWN, "𝒳" * 101, "").code
    assert fields.code("code", stored) == "𝒳" * 99 + "…"
