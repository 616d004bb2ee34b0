"""The identity of a submission."""

from typing import Any

import msgspec
import pytest

from tenure.core import dedupe, intake
from tenure.core.errors import IdConflict, KeyConflict
from tenure.core.job import NewJob
from tests.core.making import NOW


def new(**fields: Any) -> NewJob:
    return NewJob(**{"id": "j", "kind": "k", "payload": "1", "args_digest": "d", "idempotency_key": "x"} | fields)


KNOWN = intake.row(new(), 1, NOW)


def test_a_digest_follows_the_value_and_not_its_spelling() -> None:
    assert dedupe.digest(b"s", "k", {"a": 1, "b": 2}) == dedupe.digest(b"s", "k", {"b": 2, "a": 1})


def test_a_digest_differs_with_secret_kind_and_value() -> None:
    made = [
        dedupe.digest(secret, kind, value)
        for secret in (b"s", b"t")
        for kind in ("k", "l")
        for value in (1, 1.0, "1", [1], None, True, {})
    ]
    assert len(set(made)) == len(made)


def test_a_kind_and_a_payload_cannot_be_shifted_into_each_other() -> None:
    assert dedupe.digest(b"s", "k1", 2) != dedupe.digest(b"s", "k", 12)


@pytest.mark.parametrize("facts", [{}, {"queue": "q"}, {"priority": 9}, {"version": 2}, {"delay": 5.0}])
def test_the_same_arguments_clash_with_nothing(facts: dict[str, Any]) -> None:
    assert dedupe.clash(new(**facts), KNOWN) is None
    assert dedupe.clash(new(id="other", **facts), KNOWN) is None


@pytest.mark.parametrize("facts", [{"args_digest": "e"}, {"kind": "l"}, {"tenant": "t"}, {"idempotency_key": "y"}])
def test_an_id_with_anything_else_is_a_clash(facts: dict[str, Any]) -> None:
    error = dedupe.clash(new(**facts), KNOWN)
    assert isinstance(error, IdConflict)
    assert error.job_id == KNOWN.id


def test_a_key_with_other_arguments_is_a_clash_that_names_the_job() -> None:
    error = dedupe.clash(new(id="other", args_digest="e"), KNOWN)
    assert isinstance(error, KeyConflict)
    assert KNOWN.id in str(error)


def test_a_tombstone_still_tells_a_clash() -> None:
    pruned = msgspec.structs.replace(KNOWN, payload=None, pruned_at=NOW)
    assert dedupe.clash(new(id="other"), pruned) is None
    assert isinstance(dedupe.clash(new(id="other", args_digest="e"), pruned), KeyConflict)
