"""The older words of the routes stand for the newer ones, both ways."""

import pytest

from tenure.core.errors import InvalidInput, TooLarge, UnknownKind
from tenure.core.states import State
from tenure.edge import words


def test_every_state_has_one_status() -> None:
    named = [state for states in words.STATES.values() for state in states]
    assert sorted(named) == sorted(State)
    assert all(state in words.STATES[words.status_of(state)] for state in State)


def test_retries_are_attempts_less_the_first() -> None:
    assert words.max_attempts(0) == 1
    assert words.max_attempts(None) is None
    assert words.max_retries(4) == 3
    with pytest.raises(InvalidInput) as caught:
        words.max_attempts(-1)
    assert caught.value.field == "max_retries"


@pytest.mark.parametrize(
    ("inside", "outside"), [("kind", "type"), ("max_attempts", "max_retries"), ("payload.x", "payload.x")]
)
def test_a_refusal_names_the_field_as_the_edge_does(inside: str, outside: str) -> None:
    told = words.spoken(TooLarge(inside, "is too much", code="c", hint="h"))
    assert isinstance(told, TooLarge)
    assert (told.field, told.code, told.hint) == (outside, "c", "h")
    assert told.message == f"{outside}: is too much"


def test_an_unknown_kind_can_be_declared_over_http_and_no_other_is_named_to_a_key_that_may_not_know_it() -> None:
    told = words.spoken(UnknownKind("mail", ["mails"]))
    assert (told.field, told.code) == ("type", "unknown_kind")
    assert told.hint == "Declare it with @app.task, `tenure kinds set`, or `PUT /kinds/{name}`."


def test_a_priority_is_answered_as_a_request_may_say_it() -> None:
    assert [words.priority_of(value) for value in (0, 10, 20, 30, 5, -3)] == [
        "low",
        "medium",
        "high",
        "critical",
        5,
        -3,
    ]
