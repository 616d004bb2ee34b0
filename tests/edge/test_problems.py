"""Every error of the product is a problem with a stable code; what is none of the caller's business is not told."""

import msgspec
import pytest
from msgspec import UNSET

from tenure.core import errors
from tenure.edge import enqueues, kinds, problems, reports


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.InvalidInput("a", "b"), 422),
        (errors.TooLarge("a", "b"), 422),
        (errors.UnknownKind("k"), 422),
        (errors.KeyConflict("a", "id"), 409),
        (errors.KeyNameTaken("n"), 409),
        (errors.StaleLease("a"), 409),
        (errors.Unauthenticated("a"), 401),
        (errors.Forbidden("a", "b"), 403),
        (errors.NotFound("a"), 404),
        (errors.TooMany("a", 2.0), 429),
        (errors.StoreUnavailable("a"), 503),
        (errors.StoreBusy("a"), 503),
        (errors.RetryTransaction("a"), 503),
        (errors.SchemaTooOld("a"), 503),
        (errors.StoreError("a"), 500),
        (errors.Misconfigured("a"), 500),
    ],
)
def test_each_error_has_its_status(error: errors.TenureError, status: int) -> None:
    problem = problems.problem_of(error, "r")
    assert (problem.status, problem.request_id) == (status, "r")
    assert problem.code == (error.code if status < 500 or status == 503 else "internal_error")


@pytest.mark.parametrize(
    "error", [errors.StoreUnavailable("db-7.internal refused"), errors.StoreError("db-7.internal")]
)
def test_the_databases_own_words_are_not_told(error: errors.TenureError) -> None:
    assert "db-7" not in str(problems.problem_of(error, "r"))


def test_a_database_that_is_away_says_when_to_come_again() -> None:
    assert problems.problem_of(errors.StoreUnavailable("x")).retry_after == problems.RETRY_AFTER
    assert problems.problem_of(errors.TooMany("x", 7.0)).retry_after == 7.0


def test_a_clash_names_its_job_only_where_one_is_named() -> None:
    assert problems.problem_of(errors.KeyConflict("x", "id")).job_id == "id"
    assert problems.problem_of(errors.KeyConflict("x", "")).job_id is UNSET
    assert problems.problem_of(errors.KeyNameTaken("x")).job_id is UNSET


@pytest.mark.parametrize(
    ("field", "pointer"),
    [
        ("priority", "/priority"),
        ("payload.items[3].name", "/payload/items/3/name"),
        ("payload.a/b~c", "/payload/a~1b~0c"),
        ('payload["a.b"]["c[0]"]', "/payload/a.b/c[0]"),
        ('payload["say \\"x\\""]', '/payload/say "x"'),
        ("reports[0].progress", "/reports/0/progress"),
    ],
)
def test_a_field_is_a_pointer_into_the_body(field: str, pointer: str) -> None:
    assert problems.pointer_of(field) == pointer


def test_a_pointer_leads_into_the_body_and_nowhere_else() -> None:
    def pointer(field: str, body: type[msgspec.Struct] | None) -> object:
        return problems.problem_of(errors.Forbidden(field, "x"), "r", body).pointer

    assert pointer("queue", enqueues.Enqueue) == "/queue"
    assert pointer("payload.x[1]", enqueues.Enqueue) == "/payload/x/1"
    assert pointer("class", reports.Fail) == "/class"
    assert pointer("name", kinds.SetKind) is UNSET
    assert pointer("tenant", None) is UNSET
