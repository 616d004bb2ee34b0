"""The page on brokers: its publisher and its worker run a job together, and it tells every answer of a hint."""

import threading
from typing import Any

from tenure import State, Tenure, Woken
from tests.docs import pages
from tests.docs.conftest import Play
from tests.engine.living import until

PAGE = pages.how_to("brokers")


def test_the_publisher_and_the_worker_of_the_page_run_a_job(play: Play) -> None:
    app, names, answers = Tenure("sqlite:///shop.db"), {}, []
    wake = app.wake
    app.wake = lambda job_id: answers.append(wake(job_id)) or answers[-1]  # type: ignore[func-returns-value,method-assign]
    task = app.task(kind="letter")(lambda: None)
    job = task.enqueue()

    def run() -> None:
        names.update(play(pages.blocks(PAGE, "python"), app=app))

    running: Any = threading.Thread(target=run)
    running.start()
    until(lambda: job.refresh().state is State.SUCCEEDED)
    until(lambda: answers)
    for worker in list(app.workers):
        worker.stop()
    running.join(20)
    assert Woken.NO_WORKER not in answers
    names["broker"].put(job.id)
    names["consumer"].join(20)
    assert (names["broker"].get(timeout=20), answers[-1]) == (job.id, Woken.NO_WORKER)
    assert names["publishing"].stop()
    app.close()


def test_every_answer_of_a_hint_is_told() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [one.name for one in Woken if f"`Woken.{one.name}`" not in text] == []
