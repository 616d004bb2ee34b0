"""B17: an empty, blank or wrong value is no missing one, over HTTP and in Python. null and missing say nothing; the
rest is refused by its field, and a refused call stores nothing."""

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest

from tenure import Tenure
from tenure.core.errors import InvalidInput
from tenure.stores.memory import MemoryStore
from tenure.testing import FakeClock
from tests.security.gate import Gate, gate_of

MEGABYTE: Final = "k" * 1_000_000
REFUSED: Final = {
    "empty": "", "blank": "   ", "a tab and a line break": "\t\n", "a space without a break": "\u00a0\u2003",
    "zero": 0, "false": False, "a list": [], "an object": {}, "a float": 0.0, "NUL in it": "a\0b", "NUL": "\0",
    "a lone surrogate": "\ud800", "too long": "k" * 513,
}  # fmt: skip
NAMES: Final = ("idempotency_key", "queue", "tenant", "type")


@pytest.fixture
def gate(clock: FakeClock) -> Iterator[Gate]:
    with gate_of(MemoryStore(clock=clock), clock) as made:
        yield made


def nothing_stored(gate: Gate) -> None:
    assert gate.call(gate.key("admin"), "list_jobs").json()["jobs"] == []


@pytest.mark.parametrize("field", NAMES)
@pytest.mark.parametrize("value", REFUSED.values(), ids=REFUSED)
def test_over_http_it_is_refused_by_its_field(gate: Gate, field: str, value: Any) -> None:
    body = {"type": "mail", field: value}
    headers = {"content-type": "application/json"}
    answer = gate.ask(gate.key("admin"), "POST", "/jobs", content=json.dumps(body).encode(), headers=headers)
    assert answer.status_code == 422
    assert answer.json()["field"] == field
    nothing_stored(gate)


def test_over_http_a_key_of_a_megabyte_is_refused(gate: Gate) -> None:
    answer = gate.call(gate.key("admin"), "enqueue", {"type": "mail", "idempotency_key": MEGABYTE})
    assert answer.status_code == 413
    [item] = gate.call(
        gate.key("admin"), "enqueue_many", {"jobs": [{"type": "mail", "idempotency_key": MEGABYTE}]}
    ).json()["jobs"]
    assert (item["status"], item["problem"]["field"]) == (422, "idempotency_key")
    nothing_stored(gate)


def test_over_http_null_and_missing_are_no_key(gate: Gate) -> None:
    """Two calls make two jobs: they share no key `null`."""
    for body in ({"type": "mail"}, {"type": "mail", "idempotency_key": None}):
        for _ in range(2):
            answer = gate.call(gate.key("admin"), "enqueue", body)
            assert (answer.status_code, answer.json()["idempotency_key"]) == (201, None)
    assert len(gate.call(gate.key("admin"), "list_jobs").json()["jobs"]) == 4


@pytest.mark.parametrize("value", ["", "   ", 0, None, False, [], "a\0b"])
def test_over_http_a_claim_id_that_says_nothing_is_none(gate: Gate, value: Any) -> None:
    admin = gate.key("admin")
    for _ in range(2):
        assert gate.call(admin, "enqueue", {"type": "mail"}).status_code == 201
    answers = [gate.call(admin, "claim", {"claim_id": value}) for _ in range(2)]
    if value is None:
        assert len({answer.json()["id"] for answer in answers}) == 2
    else:
        assert {(answer.status_code, answer.json()["field"]) for answer in answers} == {(422, "claim_id")}


@pytest.mark.parametrize("value", ["", "   ", 0, False, "none", "0"])
def test_over_http_a_query_that_is_empty_is_no_missing_one(gate: Gate, value: Any) -> None:
    assert gate.call(gate.key("admin"), "enqueue", {"type": "mail"}).status_code == 201
    for field in ("type", "tenant", "queue", "tag"):
        answer = gate.call(gate.key("admin"), "list_jobs", query={field: value})
        if str(value).strip():
            assert answer.json()["jobs"] == []
        else:
            assert (answer.status_code, answer.json()["field"]) == (422, field)


@pytest.mark.parametrize("zero", [0, 0.0])
def test_zero_is_a_number_where_numbers_are_taken(gate: Gate, zero: float) -> None:
    admin = gate.key("admin")
    made = gate.call(admin, "enqueue", {"type": "mail", "priority": 0, "delay": zero, "max_retries": 0})
    assert (made.status_code, made.json()["max_retries"], made.json()["status"]) == (201, 0, "pending")
    held = gate.call(admin, "claim", {}).json()
    failed = gate.call(admin, "fail", {"lease_token": held["lease_token"], "retry_in": zero}, id=held["id"])
    assert failed.json()["status"] == "failed"


PYTHON: Final = {"idempotency_key": "idempotency_key", "queue": "queue", "tenant": "tenant"}


@pytest.fixture
def app(clock: FakeClock) -> Iterator[Tenure]:
    app = Tenure("memory://")

    @app.task(kind="mail")
    def mail(n: int = 0) -> None: ...

    app.use(MemoryStore(clock=clock))
    yield app
    app.close()


@pytest.mark.parametrize("field", PYTHON)
@pytest.mark.parametrize("value", REFUSED.values(), ids=REFUSED)
def test_in_python_it_is_a_value_error_that_names_the_field(app: Tenure, field: str, value: Any) -> None:
    with pytest.raises(ValueError, match=field) as refused:
        app.enqueue("mail", {}, **{field: value})
    assert isinstance(refused.value, InvalidInput)
    assert refused.value.field == field
    store = app.opened()
    assert sum(count.jobs for count in store.run(store.verbs.counts())) == 0


def test_in_python_none_and_missing_are_no_key(app: Tenure) -> None:
    jobs = [app.enqueue("mail", {}) for _ in range(2)]
    jobs += [app.enqueue("mail", {}, idempotency_key=None) for _ in range(2)]
    assert len({job.id for job in jobs}) == 4
    assert all(job.created for job in jobs)
