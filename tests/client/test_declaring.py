"""The kinds of an application's tasks, told to the service by its worker."""

from tenure import Tenure
from tenure.client.declaring import declare
from tests.client.serving import Served


def application() -> Tenure:
    app = Tenure("memory://")

    @app.task(kind="letter", version=3, queue="post", max_attempts=2, timeout=60, concurrency=4, priority="medium")
    def letter(to: str, pages: int = 1) -> None: ...

    @app.task(kind="secret")
    def secret() -> None: ...

    return app


def test_a_worker_declares_the_kinds_that_its_key_names_and_hears_of_the_others(served: Served) -> None:
    worker = served.client("worker", "w1", kinds=["letter"])
    rows = [task.kind_row() for task in application().tasks.values()]
    assert declare(worker, rows) == ["secret"]
    chief = served.client()
    (kind,) = chief.kinds()
    assert (kind.name, kind.versions, kind.queue, kind.priority) == ("letter", [3], "post", "medium")
    assert (kind.max_retries, kind.timeout, kind.concurrency) == (1, 60.0, 4)
    assert kind.schema is not None
    assert kind.schema


def test_declaring_again_changes_nothing(served: Served) -> None:
    worker = served.client("worker", "w1", kinds=["letter", "secret"])
    rows = [task.kind_row() for task in application().tasks.values()]
    assert declare(worker, rows) == declare(worker, rows) == []
    assert [kind.name for kind in served.client().kinds()] == ["letter", "secret"]
