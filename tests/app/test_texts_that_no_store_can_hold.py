"""NUL and lone surrogates in what a handler leaves behind: the job ends the same way on every store."""

import pytest

from tenure import Context, InvalidInput, Tenure
from tenure.core.job_filter import JobFilter
from tenure.core.states import State
from tests.engine.living import running, until

UNSTORABLE = ["a\0b", "\ud800"]
WRITTEN_OUT = "\\u0000"


def end_of(app: Tenure, kind: str) -> tuple[State, str | None, str | None]:
    """How the one job of `kind` ended: its state, code and error."""
    job = app.enqueue(kind, {})
    with running(app.worker(poll=0.02)):
        until(lambda: job.refresh().state in (State.SUCCEEDED, State.FAILED))
    row = job.refresh().row
    return row.state, row.end_code, row.error


@pytest.mark.parametrize("text", [*UNSTORABLE, WRITTEN_OUT])
def test_a_job_whose_error_holds_such_a_text_fails_with_the_rest_of_it(stored: Tenure, text: str) -> None:
    """B51 · A value that can be computed but not stored blocks the transition: an error text."""

    @stored.task(max_attempts=1)
    def raises() -> None:
        raise ValueError(f"before {text} after")

    state, code, error = end_of(stored, "raises")
    assert (state, code) == (State.FAILED, "value_error")
    assert error is not None
    assert "before " in error
    assert " after" in error
    assert (text in error) == (text == WRITTEN_OUT)


@pytest.mark.parametrize(("text", "code"), [("a\0b", "nul_character"), ("\ud800", "lone_surrogate")])
def test_a_job_whose_result_is_such_a_text_fails_at_once(stored: Tenure, text: str, code: str) -> None:
    """B51 · The work was done, storing it failed: ten tries, then stuck."""

    @stored.task()
    def answers() -> str:
        return text

    assert end_of(stored, "answers")[:2] == (State.FAILED, f"result_{code}")


def test_such_a_text_written_out_is_a_result_like_any_other(stored: Tenure) -> None:
    """B51 · Literal backslash text is untouched."""

    @stored.task()
    def answers() -> str:
        return WRITTEN_OUT

    assert end_of(stored, "answers")[0] is State.SUCCEEDED
    (job,) = stored.store.run(stored.store.verbs.list_jobs(JobFilter(), None, 2))
    assert job.result == '"\\\\u0000"'


@pytest.mark.parametrize("text", UNSTORABLE)
def test_a_progress_note_of_such_a_text_is_refused_where_it_is_made(stored: Tenure, text: str) -> None:
    """B51 · Progress text."""
    refused: list[str] = []

    @stored.task()
    def notes(ctx: Context) -> None:
        try:
            ctx.progress(text)
        except InvalidInput as error:
            refused.append(error.field)

    assert end_of(stored, "notes")[0] is State.SUCCEEDED
    assert refused == ["progress"]
