"""API keys: their text, their hash, when they hold."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.core.errors import InvalidInput
from tenure.core.principal import Role, Scope
from tenure.core.secrecy import credentials
from tenure.core.secrecy.credentials import Key, hash_of, id_of, text_of
from tests.core.making import NOW, at

SECRETS = st.binary(min_size=32, max_size=32)


def key(**fields: Any) -> Key:
    plain = {"name": "web", "role": Role.WORKER, "scope": Scope(), "hash": "h", "created_at": NOW, "created_by": "op"}
    return Key(id="1", **plain | fields)


@given(SECRETS)
def test_every_secret_makes_a_key_that_can_be_sent_and_looked_up(secret: bytes) -> None:
    text = text_of(secret)
    assert text.startswith("tenure_")
    assert text.isascii()
    assert (len(text), len(hash_of(text) or "")) == (50, 64)
    assert text.removeprefix("tenure_") not in (hash_of(text) or "")


@given(st.lists(SECRETS, min_size=2, max_size=2, unique=True))
def test_two_secrets_share_neither_key_nor_hash_nor_id(pair: list[bytes]) -> None:
    assert len({text_of(secret) for secret in pair}) == 2
    assert len({hash_of(text_of(secret)) for secret in pair}) == 2
    assert len({id_of(secret) for secret in pair}) == 2


def test_the_id_of_a_key_is_a_uuid_and_tells_nothing_of_its_hash() -> None:
    found = id_of(b"s" * 32)
    assert str(UUID(found)) == found == id_of(b"s" * 32)
    assert found.replace("-", "")[:8] not in (hash_of(text_of(b"s" * 32)) or "")


@pytest.mark.parametrize(
    "text", ["", "tenure_", "x" * 50, "tenure_" + "A" * 42, "tenure_" + "A" * 44, "tenure_" + "é" * 43,
             "tenure_" + "A" * 43 + "\n", " tenure_" + "A" * 43, "TENURE_" + "A" * 43],
)  # fmt: skip
def test_what_has_not_the_shape_of_a_key_has_no_hash(text: str) -> None:
    assert hash_of(text) is None


def test_a_key_holds_until_it_ends_or_is_revoked() -> None:
    assert key().holds(NOW)
    assert key(expires_at=at(10)).holds(at(9.999))
    assert not key(expires_at=at(10)).holds(at(10))
    assert not key(revoked_at=NOW).holds(NOW - timedelta(days=1))


def test_a_key_makes_the_principal_that_its_row_describes() -> None:
    made = key(scope=Scope(tenants=None)).principal
    assert (made.id, made.name, made.role, made.scope.tenants) == ("1", "web", Role.WORKER, None)


@pytest.mark.parametrize("name", ["web", "w-1", "a.b_c", "9", "x" * 200])
def test_a_name_of_plain_letters_is_taken(name: str) -> None:
    assert credentials.name("name", name) == name


@pytest.mark.parametrize("name", ["", ".web", "a b", "a/b", "é", "a\n", "x" * 201, None, 7])
def test_any_other_name_is_refused(name: Any) -> None:
    with pytest.raises(InvalidInput) as refused:
        credentials.name("name", name)
    assert refused.value.field == "name"
