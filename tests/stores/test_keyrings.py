"""The keys: what the setting may say, and what opens what."""

import base64

import pytest

from tenure.core.errors import Misconfigured
from tenure.core.secrecy import sealed
from tenure.stores.sealing.keyring import Keyring
from tests.sealing_keys import keyring, said

PLACE = ("0190",)


def opened(ring: Keyring, text: str, place: sealed.RowKey = PLACE, column: sealed.Column = "payload") -> str:
    return ring.open(text, column, place)


def test_a_sealed_text_names_its_key_and_shows_nothing_else() -> None:
    text = keyring("2026b", "2026a").seal('{"card":"4111"}', "payload", PLACE)
    assert text.startswith("sealed:2026b:")
    assert "4111" not in text
    assert (sealed.key_id_of(text), sealed.key_id_of(text[: sealed.HEAD_LENGTH])) == ("2026b", "2026b")


def test_the_same_document_is_never_sealed_alike_twice() -> None:
    ring = keyring("a")
    texts = {ring.seal('"é"', "payload", PLACE) for _ in range(50)}
    assert len(texts) == 50
    assert {opened(ring, text) for text in texts} == {'"é"'}


def test_every_key_opens_what_it_has_sealed() -> None:
    text = keyring("old").seal("1", "payload", PLACE)
    assert opened(keyring("new", "old"), text) == "1"


def test_a_text_whose_key_is_missing_stays_as_it_is() -> None:
    text = keyring("old").seal("1", "payload", PLACE)
    found = opened(keyring("new"), text)
    assert (found, sealed.code_of(found), sealed.readable(found)) == (text, "sealed_key_missing", None)


@pytest.mark.parametrize(
    ("column", "place"), [("payload", ("0191",)), ("result", PLACE), ("effect", PLACE), ("checkpoint", (*PLACE, "n"))]
)
def test_a_text_of_another_place_does_not_open(column: sealed.Column, place: sealed.RowKey) -> None:
    ring = keyring("a")
    found = opened(ring, ring.seal("1", "payload", PLACE), place, column)
    assert (sealed.is_sealed(found), sealed.code_of(found)) == (True, "sealed_document_damaged")


def test_a_text_that_was_changed_does_not_open_and_is_written_back_as_it_was() -> None:
    ring = keyring("a")
    text = ring.seal('{"a":1}', "payload", PLACE)
    swapped = "B" if text[30] != "B" else "C"
    for broken in (text[:30] + swapped + text[31:], text[:-4], "sealed:a:", "sealed:a:?", "sealed:a", text + "AAAA"):
        found = opened(ring, broken)
        assert sealed.is_sealed(found)
        assert ring.seal(found, "payload", PLACE) == broken


def test_the_same_id_with_another_key_does_not_open() -> None:
    text = keyring("a").seal("1", "payload", PLACE)
    other = Keyring(f"a:{base64.b64encode(bytes(32)).decode()}")
    assert sealed.code_of(opened(other, text)) == "sealed_document_damaged"


def test_plain_text_is_read_as_it_is() -> None:
    assert opened(keyring("a"), '"sealed:a:"') == '"sealed:a:"'


KEY = base64.b64encode(b"k" * 32).decode()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (KEY, "key 1 has no id"),
        (f"a:{KEY},{KEY}", "key 2 has no id"),
        (f"a:{KEY},", "key 2 has no id"),
        (f":{KEY}", "key 1 has no id"),
        (f"a b:{KEY}", "key 1 has no id"),
        (f"{'a' * 33}:{KEY}", "key 1 has no id"),
        (f"é:{KEY}", "key 1 has no id"),
        ("a:", "is 0 bytes long, not 32"),
        (f"a:{base64.b64encode(b'k' * 16).decode()}", "is 16 bytes long, not 32"),
        (f"a:{KEY[:-1]}", "key 1 ('a') is not base64"),
        (f"a:{KEY[:10]} {KEY[10:]}", "key 1 ('a') is not base64"),
        (f"a:{KEY},b:{KEY},a:{KEY}", "key 3 has the id 'a' of an earlier one"),
    ],
)
def test_a_bad_setting_is_one_clear_error_that_shows_no_key(text: str, why: str) -> None:
    with pytest.raises(Misconfigured) as refused:
        Keyring(text)
    assert refused.value.code == "bad_encryption_keys"
    assert why in refused.value.message
    assert refused.value.message.startswith("encryption_keys: ")
    assert KEY[:8] not in str(refused.value)


def test_keys_are_shown_by_their_ids_alone() -> None:
    ring = keyring("b", "a")
    assert repr(ring) == "<Keyring b, a>"
    assert ring.ids == ("b", "a")
    assert Keyring(f" {said('b')} , {said('a')} ").ids == ("b", "a")
