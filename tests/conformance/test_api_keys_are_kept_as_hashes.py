"""API keys: all stores keep them alike, one live key a name."""

from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

import msgspec
import pytest

from tenure.core.principal import Role, Scope
from tenure.core.secrecy.credentials import Key, hash_of, text_of
from tenure.stores.script import Script
from tests.conformance.asking import NOBODY, Ask
from tests.conformance.racing import race


def key(ask: Ask, number: int, name: str = "web", **fields: Any) -> Key:
    secret = hash_of(text_of(bytes([number]) * 32))
    assert secret is not None
    fields.setdefault("role", Role.PRODUCER)
    fields.setdefault("scope", Scope())
    return Key(id=str(UUID(int=number)), name=name, hash=secret, created_at=ask.clock(), created_by="test", **fields)


def put(ask: Ask, key: Key) -> bool:
    return ask.run(ask.verbs.put_key(key))


def test_a_key_is_found_by_its_hash_as_it_was_put(ask: Ask) -> None:
    scope = Scope(tenants=None, kinds=frozenset({"ç", "a"}), queues=frozenset({"mail"}), max_priority=30)
    whole = key(ask, 1, role=Role.ADMIN, scope=scope, expires_at=ask.clock() + timedelta(microseconds=1))
    assert put(ask, whole)
    assert ask.run(ask.verbs.key_by_hash(whole.hash)) == whole
    assert ask.run(ask.verbs.key_by_hash("0" * 64)) is None


def test_keys_are_listed_newest_first(ask: Ask) -> None:
    made = []
    for number, name in enumerate(("b", "a", "c"), 1):
        made.append(key(ask, number, name))
        put(ask, made[-1])
        ask.clock.advance(1)
    assert ask.run(ask.verbs.keys()) == made[::-1]


def test_the_name_of_a_live_key_is_taken_and_a_revoked_one_frees_it(ask: Ask) -> None:
    first, second = key(ask, 1), key(ask, 2)
    assert put(ask, first)
    assert not put(ask, second)
    assert ask.run(ask.verbs.keys()) == [first]
    ask.run(ask.verbs.revoke_key(first.id))
    assert put(ask, second)
    assert {each.id for each in ask.run(ask.verbs.keys())} == {first.id, second.id}


def test_an_expired_key_still_holds_its_name(ask: Ask) -> None:
    put(ask, key(ask, 1, expires_at=ask.clock() + timedelta(seconds=1)))
    ask.clock.advance(60)
    assert not put(ask, key(ask, 2))


@pytest.mark.parametrize("shared", ["id", "hash"])
def test_no_two_keys_share_an_id_or_a_hash(ask: Ask, shared: str) -> None:
    first = key(ask, 1)
    put(ask, first)
    other = msgspec.structs.replace(key(ask, 2, "other"), **{shared: getattr(first, shared)})
    assert not put(ask, other)
    assert ask.run(ask.verbs.keys()) == [first]


def test_a_revoked_key_keeps_its_first_instant(ask: Ask) -> None:
    live = key(ask, 1)
    put(ask, live)
    first = ask.run(ask.verbs.revoke_key(live.id))
    assert first == msgspec.structs.replace(live, revoked_at=ask.clock())
    ask.clock.advance(60)
    assert ask.run(ask.verbs.revoke_key(live.id)) is None
    assert ask.run(ask.verbs.key_by_hash(live.hash)) == first


def test_revoking_what_is_no_key_answers_nothing(ask: Ask) -> None:
    assert ask.run(ask.verbs.revoke_key(NOBODY)) is None
    assert ask.run(ask.verbs.revoke_key("no id at all")) is None


def test_of_many_that_revoke_one_key_at_once_one_does_it(ask: Ask) -> None:
    put(ask, key(ask, 1))
    revoked = race([lambda: ask.run(ask.verbs.revoke_key(str(UUID(int=1))))] * 8)
    assert sum(one is not None for one in revoked) == 1


def test_of_many_that_put_one_name_at_once_one_gets_it(ask: Ask) -> None:
    rivals = [key(ask, number) for number in range(1, 9)]
    assert sorted(race([partial(put, ask, rival) for rival in rivals])) == [False] * 7 + [True]


def test_a_key_of_a_script_that_fails_is_not_kept(ask: Ask) -> None:
    def script() -> Script[None]:
        yield from ask.verbs.put_key(key(ask, 1))
        raise LookupError("the caller changes its mind")

    with pytest.raises(LookupError):
        ask.run(script())
    assert ask.run(ask.verbs.keys()) == []
