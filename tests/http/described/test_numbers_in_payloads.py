"""How a number of a payload is stored and shown: the same by HTTP and by the library, on both databases."""

import json

import pytest

from tests.security.conftest import database, either
from tests.security.gate import Gate

__all__ = ["database", "either"]

JSON = {"content-type": "application/json"}

SPELLINGS = [
    ("1.10", "1.1"),
    ("1E5", "100000.0"),
    ("0e5", "0.0"),
    ("-0", "0"),
    ("-0.0", "-0.0"),
    ("0.1234567890123456789", "0.12345678901234568"),
    ("1e-400", "0.0"),
    ("1.0", "1.0"),
    ("1", "1"),
    ("18446744073709551617", "18446744073709551617"),
]
OTHERS = [("1", "1.0"), ("100000", "1E5"), ("0", "-0.0"), ("9007199254740993", "9007199254740992")]


def enqueued(gate: Gate, number: str, key: str) -> tuple[int, str]:
    """The status, and the id where there is one."""
    body = f'{{"type":"mail","idempotency_key":"{key}","payload":{{"n":{number}}}}}'.encode()
    answer = gate.ask(gate.key("admin"), "POST", "/jobs", content=body, headers=JSON)
    return answer.status_code, answer.json().get("id", "")


@pytest.mark.parametrize(("sent", "stored"), SPELLINGS)
def test_a_number_is_stored_and_shown_in_one_spelling_by_either_face(either: Gate, sent: str, stored: str) -> None:
    status, job_id = enqueued(either, sent, "k")
    assert status == 201
    shown = either.call(either.key("admin"), "show_job", id=job_id)
    assert f'"payload":{{"n":{stored}}}' in shown.text
    by_library = either.app.enqueue("mail", {"n": json.loads(sent)})
    for one in (job_id, by_library.id):
        assert either.store.run(either.store.verbs.read([one]))[one].payload == f'{{"n":{stored}}}'


@pytest.mark.parametrize(("sent", "stored"), SPELLINGS)
def test_two_spellings_of_one_number_are_the_same_arguments(either: Gate, sent: str, stored: str) -> None:
    status, job_id = enqueued(either, sent, "k")
    assert status == 201
    assert enqueued(either, stored, "k") == (200, job_id)
    known = either.app.enqueue("mail", {"n": json.loads(stored)}, idempotency_key="k")
    assert (known.id, known.created) == (job_id, False)


@pytest.mark.parametrize(("one", "other"), OTHERS)
def test_an_integer_and_a_double_are_different_arguments(either: Gate, one: str, other: str) -> None:
    assert enqueued(either, one, "k")[0] == 201
    assert enqueued(either, other, "k")[0] == 409
