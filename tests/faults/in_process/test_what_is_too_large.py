"""FAULTS.md section 7: payloads, results and notes over their limits."""

from collections.abc import Iterator

import pytest

from tenure import Context, Tenure
from tenure.core import defaults
from tenure.core.errors import TooLarge
from tenure.core.states import State
from tests.engine.living import running, until
from tests.engine.troubled import WAIT, Troubled


@pytest.fixture
def app(live_store: Troubled) -> Iterator[Tenure]:
    one = Tenure("memory://")
    one.use(live_store)
    yield one
    one.close()


ENVELOPE = len('{"text":""}')


@pytest.mark.parametrize("character", ["x", "é", "😀"])
def test_a_payload_is_measured_in_bytes_of_utf_8(app: Tenure, character: str) -> None:
    """B56 · A payload exactly at, one under and one over the limit, with multi-byte text."""

    @app.task()
    def take(text: str) -> None: ...

    size = len(character.encode())
    room = defaults.PAYLOAD_BYTES - ENVELOPE
    text = character * (room // size)
    text += "x" * (room - len(text.encode()))
    for fits in (text[:-1], text):
        assert take.enqueue(text=fits).created
    with pytest.raises(TooLarge, match="65,536") as caught:
        take.enqueue(text=text + "x")
    assert caught.value.field == "payload"


def test_a_result_over_the_limit_ends_the_job_and_is_not_computed_again(app: Tenure) -> None:
    """B56 · A permanent refusal filed as transient."""
    ledger: list[int] = []

    @app.task()
    def answer(size: int) -> str:
        ledger.append(size)
        return "x" * (size - 2)

    with running(app.worker(poll=0.02, sweep=0.05)):
        fits = answer.enqueue(size=defaults.RESULT_BYTES)
        over = answer.enqueue(size=defaults.RESULT_BYTES + 1)
        assert len(fits.result(timeout=WAIT)) == defaults.RESULT_BYTES - 2
        until(lambda: over.refresh().state is State.FAILED)
    job = app.read(over.id)
    assert job is not None
    assert (job.end_code, job.attempt) == ("result_too_large", 1)
    assert "65,537" in (job.error or "")
    assert ledger.count(defaults.RESULT_BYTES + 1) == 1


def test_a_progress_note_over_the_limit_is_an_error_of_the_handler_that_made_it(app: Tenure) -> None:
    """B56 · Limit for progress; the attempt is not held up by a note."""
    noted: list[str] = []

    @app.task()
    def note(ctx: Context) -> None:
        try:
            ctx.progress("x" * defaults.PROGRESS_BYTES)
        except TooLarge as error:
            noted.append(error.field)

    with running(app.worker(poll=0.02)):
        note.enqueue().result(timeout=WAIT)
    assert noted == ["progress"]
