"""A problem becomes the product's own error, with code, field and hint."""

import pytest
from msgspec import UNSET

from tenure.client import Client
from tenure.client.refusals import error_of, of_problem
from tenure.core import errors
from tenure.core.errors import TenureError
from tenure.edge.problems import problem_of
from tests.client.bodies import ID
from tests.client.stub import Told, problem, stub

ERRORS: list[TenureError] = [
    errors.InvalidInput("payload.items[3]", "must be text", code="wrong_type", hint="Write text."),
    errors.TooLarge("payload", "is 70,000 bytes, more than the 65,536 allowed"),
    errors.UnknownKind("grete"),
    errors.KeyConflict("the key 'k' belongs to another job", ID),
    errors.IdConflict("the id belongs to another job", ID),
    errors.StaleLease("the lease token is not the current one"),
    errors.Unauthenticated("no credential"),
    errors.Forbidden("tenant", "'acme' is outside the scope of this credential", code="tenant_forbidden"),
    errors.Forbidden(None, "the role viewer may not enqueue", code="role_forbidden"),
    errors.NotFound("there is no such job"),
    errors.TooMany("too many long polls", 3.0),
    errors.QueueFull("it is full", 3.0, queue="q", tenant=None, waiting=5, capacity=4, drain_seconds=30.0),
    errors.QueueFull("it is full", 3.0, queue=None, tenant="a", waiting=None, capacity=None, drain_seconds=None),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: f"{type(error).__name__}-{error.code}")
def test_an_error_of_the_service_is_the_same_error_at_the_client(error: TenureError) -> None:
    """Through the wire and back: class, text, code, hint, and what else it names."""
    found = of_problem(problem_of(error))
    assert type(found) is type(error)
    assert (found.message, found.code, found.hint) == (error.message, error.code, error.hint)
    for name in ("field", "job_id", "retry_after", "queue", "tenant", "waiting", "capacity", "drain_seconds"):
        assert getattr(found, name, UNSET) == getattr(error, name, UNSET)
    assert str(found) == str(error)


@pytest.mark.parametrize(
    "error", [errors.StoreUnavailable("x"), errors.StoreBusy("x"), errors.SchemaTooOld("x"), errors.SchemaTooNew("x")]
)
def test_a_database_that_is_away_is_told_by_its_class(error: TenureError) -> None:
    found = of_problem(problem_of(error))
    assert type(found) is type(error)
    assert found.code == error.code


def test_a_code_that_the_client_does_not_know_is_kept() -> None:
    for status, kind in ((409, TenureError), (422, errors.InvalidInput), (500, TenureError), (418, TenureError)):
        with stub(problem(status, "from_the_future")) as run, Client(run.url) as client, pytest.raises(kind) as caught:
            client.job(ID)
        assert caught.value.code == "from_the_future"


@pytest.mark.parametrize("content", [b"", b"<html>", b"[]", b'{"status":"no"}', b"\xff"])
def test_a_refusal_that_is_no_problem_document_is_told_by_its_status(content: bytes) -> None:
    error = error_of(503, {}, content)
    assert isinstance(error, errors.StoreUnavailable)
    assert error.code == "http_503"
    assert error_of(799, {}, content).code == "http_799"


def test_retry_after_is_read_from_the_header() -> None:
    error = error_of(429, {"retry-after": "17"}, b"")
    assert isinstance(error, errors.TooMany)
    assert error.retry_after == 17.0
    assert error_of(429, {"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}, b"").retry_after > 0  # type: ignore[attr-defined]


def test_a_redirect_is_not_followed_and_the_key_goes_nowhere_else() -> None:
    with stub() as elsewhere:
        told = Told(307, {}, {"Location": f"{elsewhere.url}/jobs/{ID}"})
        with stub(told) as run, Client(run.url, "secret") as client, pytest.raises(TenureError) as caught:
            client.job(ID)
        assert elsewhere.asked == []
    assert caught.value.code == "redirected"
