"""The kinds of an application's tasks, told to the service by its worker."""

import pytest

from tenure import Tenure
from tenure.client.declaring import declare
from tenure.client.elsewhere import service
from tenure.core.errors import Unauthenticated
from tests.client.serving import Served


def application() -> Tenure:
    app = Tenure("memory://")

    @app.task(
        kind="letter", version=3, queue="post", max_attempts=2, timeout=60, concurrency=4, priority="medium",
        backoff=(0.5, 90), progress_timeout=20, effects=["stamp", "send"],
    )  # fmt: skip
    def letter(to: str, pages: int = 1) -> None: ...

    @app.task(kind="secret")
    def secret() -> None: ...

    return app


def test_a_worker_declares_the_kinds_that_its_key_names_and_is_given_no_others(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    worker = served.client("worker", "w1", kinds=["letter"])
    rows = [task.kind_row() for task in application().tasks.values()]
    assert declare(worker, rows) == {"letter"}
    assert "no job of kind secret comes to this worker" in caplog.text
    assert [kind.name for kind in served.client().kinds()] == ["letter"]


def test_a_declared_kind_stands_in_the_database_as_its_task_would_write_it_there(served: Served) -> None:
    rows = [task.kind_row() for task in application().tasks.values()]
    declare(served.client(), rows)
    store = served.app.opened()
    stored = store.run(store.verbs.kinds())
    store.run(store.verbs.put_kinds(rows, replace=True))
    assert stored == store.run(store.verbs.kinds())


def test_a_key_that_declares_nothing_is_given_the_kinds_that_are_there(served: Served) -> None:
    rows = [task.kind_row() for task in application().tasks.values()]
    assert declare(served.client("worker", "w1"), rows) == set()
    served.client().set_kind("letter")
    assert declare(served.client("worker", "w2"), rows) == {"letter"}


def test_declaring_again_changes_nothing(served: Served) -> None:
    worker = served.client("worker", "w1", kinds=["letter", "secret"])
    rows = [task.kind_row() for task in application().tasks.values()]
    assert declare(worker, rows) == declare(worker, rows) == {"letter", "secret"}
    lines = [line.detail for line in served.client().audit_page().lines if line.verb == "set_kind"]
    assert lines == ["declared", "declared"]


def test_a_worker_without_a_key_is_told_how_to_say_one(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TENURE_KEY", raising=False)
    with pytest.raises(Unauthenticated) as refused:
        service(served.url, None).declare([])
    assert str(refused.value).startswith("the request has no credential (unauthenticated). Set TENURE_KEY, or --key")
