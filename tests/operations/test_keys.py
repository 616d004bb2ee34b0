"""Creating and revoking API keys, with the line in the audit."""

from datetime import timedelta
from typing import Any

import pytest

from tenure.core.errors import InvalidInput, KeyNameTaken
from tenure.core.principal import Role, Scope
from tenure.core.secrecy.credentials import Key, hash_of, text_of
from tenure.operations.create_key import create_key
from tenure.operations.revoke_key import revoke_key
from tests.conformance.asking import NOBODY, Ask

SECRET = b"s" * 32


def created(ask: Ask, name: str = "web", secret: bytes = SECRET, **said: Any) -> Key:
    said = {"role": Role.PRODUCER, "scope": Scope(), "expires_at": None} | said
    return ask.run(create_key(ask.verbs, name, secret=secret, who="admin", **said))


def test_a_created_key_is_found_by_what_its_owner_was_shown(ask: Ask) -> None:
    made = created(ask, expires_at=ask.clock() + timedelta(days=1))
    assert ask.run(ask.verbs.key_by_hash(hash_of(text_of(SECRET)) or "")) == made
    assert (made.created_at, made.created_by, made.holds(ask.clock())) == (ask.clock(), "admin", True)
    ask.clock.advance(86_400)
    assert not made.holds(ask.clock())


def test_the_secret_is_stored_nowhere(ask: Ask) -> None:
    made = created(ask)
    (line,) = ask.run(ask.verbs.audit_lines(10))
    assert text_of(SECRET) not in repr((made, line))
    assert made.hash not in repr(line)


def test_a_creation_is_audited_with_name_and_role(ask: Ask) -> None:
    made = created(ask, role=Role.WORKER)
    (line,) = ask.run(ask.verbs.audit_lines(10))
    assert (line.who, line.verb, line.subject) == ("admin", "create_key", f"key {made.id}")
    assert line.detail == "name web, role worker"


def test_a_taken_name_is_refused_and_leaves_no_line(ask: Ask) -> None:
    created(ask)
    with pytest.raises(KeyNameTaken) as refused:
        created(ask, secret=b"t" * 32)
    assert (refused.value.code, "'web'" in refused.value.message) == ("key_name_taken", True)
    assert len(ask.run(ask.verbs.audit_lines(10))) == 1


def test_a_creation_whose_answer_was_lost_is_repeated_with_its_secret(ask: Ask) -> None:
    first = created(ask)
    ask.clock.advance(5)
    assert created(ask) == first
    assert len(ask.run(ask.verbs.keys())) == 1
    with pytest.raises(KeyNameTaken):
        created(ask, role=Role.ADMIN)


@pytest.mark.parametrize("name", ["", " ", "a b", "-web", "ä", "x" * 201, "a\n"])
def test_a_name_that_could_be_taken_for_another_is_refused(ask: Ask, name: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        created(ask, name)
    assert refused.value.field == "name"
    assert ask.run(ask.verbs.keys()) == []


def test_a_key_that_would_never_hold_is_refused(ask: Ask) -> None:
    with pytest.raises(InvalidInput) as refused:
        created(ask, expires_at=ask.clock())
    assert (refused.value.field, refused.value.code) == ("expires_at", "already_expired")


@pytest.mark.parametrize("secret", [b"", b"short", b"s" * 33])
def test_a_secret_of_another_length_makes_no_key(ask: Ask, secret: bytes) -> None:
    with pytest.raises(InvalidInput, match="32 bytes"):
        created(ask, secret=secret)


def test_a_revoked_key_lets_nobody_in_and_the_audit_says_why(ask: Ask) -> None:
    made = created(ask)
    revoked = ask.run(revoke_key(ask.verbs, made.id, who="op", why="it leaked"))
    assert revoked is not None
    assert not revoked.holds(ask.clock())
    line = ask.run(ask.verbs.audit_lines(1))[0]
    assert (line.who, line.verb, line.why, line.detail) == ("op", "revoke_key", "it leaked", "name web")


def test_a_repeated_revocation_changes_and_writes_nothing(ask: Ask) -> None:
    made = created(ask)
    first = ask.run(revoke_key(ask.verbs, made.id, who="op", why="it leaked"))
    ask.clock.advance(60)
    assert ask.run(revoke_key(ask.verbs, made.id, who="other", why="again")) == first
    assert [line.verb for line in ask.run(ask.verbs.audit_lines(10))] == ["revoke_key", "create_key"]


@pytest.mark.parametrize("dimension", ["tenant", "kind", "queue"])
@pytest.mark.parametrize(("names", "concerned"), [({"acme"}, "acme"), ({"a", "b"}, None), (None, None)])
def test_the_audit_of_a_key_concerns_the_only_tenant_kind_and_queue_that_it_opens(
    ask: Ask, dimension: str, names: set[str] | None, concerned: str | None
) -> None:
    said = {f"{dimension}s": None if names is None else frozenset(names)}
    made = created(ask, scope=Scope(**{"tenants": None, **said}))
    ask.run(revoke_key(ask.verbs, made.id, who="op"))
    lines = ask.run(ask.verbs.audit_lines(10))
    assert [getattr(line, dimension) for line in lines] == [concerned] * 2
    assert {getattr(line, other) for line in lines for other in {"tenant", "kind", "queue"} - {dimension}} == {None}


def test_revoking_no_key_leaves_no_line(ask: Ask) -> None:
    assert ask.run(revoke_key(ask.verbs, NOBODY, who="op", why="")) is None
    assert ask.run(ask.verbs.audit_lines(10)) == []
