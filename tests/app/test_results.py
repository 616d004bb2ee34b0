"""`job.result()`: the value, or the reason why there is none."""

import asyncio
import threading
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from tenure import JobCancelled, JobFailed, ResultError, ResultTimeout, Retry, State, Tenure, Terminal
from tenure.app.submitting.handle import JobHandle
from tenure.core.retention import Retention
from tenure.testing import FakeClock, adrain, drain, memory_app


def test_a_result_comes_back_as_plain_values(app: Tenure) -> None:
    job = app.enqueue("sum", {"numbers": [1, 2, 3]})
    drain(app)
    assert job.result(timeout=0) == 6


def test_waiting_for_a_result_ends_when_the_job_does(app: Tenure) -> None:
    job = app.enqueue("sum", {"numbers": [4]})
    working = threading.Thread(target=lambda: drain(app))
    working.start()
    assert job.result(timeout=30) == 4
    working.join()


def test_a_result_that_does_not_come_in_time_says_so(app: Tenure) -> None:
    job = app.enqueue("sum", {"numbers": [4]})
    with pytest.raises(ResultTimeout, match="still ready after 0 s"):
        job.result(timeout=0)


def test_a_failed_job_raises_its_code_and_message(app: Tenure) -> None:
    @app.task(kind="doomed")
    def doomed() -> None:
        raise Terminal("no_stamps", "the drawer is empty")

    job = doomed.enqueue()
    drain(app)
    with pytest.raises(JobFailed, match="no_stamps: the drawer is empty"):
        job.result(timeout=0)


def test_a_cancelled_job_raises_too(app: Tenure) -> None:
    job = app.enqueue("sum", {"numbers": []})
    job.cancel()
    with pytest.raises(JobCancelled, match="cancelled"):
        job.result(timeout=0)


def test_a_job_that_is_not_in_the_database_is_named(app: Tenure) -> None:
    job = JobHandle(app, app.enqueue("sum", {"numbers": []}).row)
    with memory_app(app), pytest.raises(ResultError) as missing:
        job.refresh()
    assert missing.value.code == "job_not_found"


def test_the_async_twins_wait_on_the_loop(app: Tenure) -> None:
    async def produce() -> Any:
        job = await app.tasks["letter"].aenqueue(to="ada", pages=2)
        ran, result = await asyncio.gather(adrain(app), job.aresult(timeout=30))
        return ran, result, await job.arefresh()

    ran, result, job = asyncio.run(produce())
    assert [one.outcome for one in ran] == ["succeeded"]
    assert result == {"to": "ada", "pages": 2}
    assert job.state is State.SUCCEEDED


def test_a_job_between_two_tries_has_no_result_yet(app: Tenure, time: FakeClock) -> None:
    @app.task(kind="shaky")
    def shaky() -> str:
        if time().minute == 0:
            raise Retry("too_early", retry_in=120)
        return "done"

    job = shaky.enqueue()
    assert [ran.code for ran in drain(app)] == ["too_early"]
    with pytest.raises(ResultTimeout, match="still scheduled"):
        job.result(timeout=0)
    time.advance(120)
    drain(app)
    assert job.result(timeout=0) == "done"


def test_a_payload_that_has_expired_says_so(stored: Tenure) -> None:
    job = stored.enqueue("sum", {"numbers": [1]})
    assert job.payload() == {"numbers": [1]}
    drain(stored)
    store = stored.opened()
    store.run(store.verbs.expire_payloads(Retention(payload=timedelta(0)), 10))
    with pytest.raises(ResultError, match=f"the payload of job {job.id} has expired at 20") as raised:
        job.refresh().payload()
    assert raised.value.code == "payload_expired"


def test_a_payload_that_does_not_open_here_says_so(app: Tenure) -> None:
    row = msgspec.structs.replace(app.enqueue("sum", {"numbers": [1]}).row, payload=f"sealed:{'0' * 32}:AAAA")
    with pytest.raises(ResultError, match="which this process lacks") as raised:
        JobHandle(app, row).payload(reveal=True)
    assert raised.value.code == "sealed_key_missing"


@pytest.mark.parametrize("text", ["{", "[1,"])
def test_a_payload_that_is_no_json_any_more_says_so(app: Tenure, text: str) -> None:
    row = msgspec.structs.replace(app.enqueue("sum", {"numbers": [1]}).row, payload=text)
    with pytest.raises(ResultError, match="no JSON any more") as raised:
        JobHandle(app, row).payload()
    assert raised.value.code == "stored_document_damaged"
