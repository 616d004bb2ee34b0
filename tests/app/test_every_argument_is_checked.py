"""Whatever is said by mistake to any public verb is refused by its name, in the same words on every store, and nothing
is stored."""

import inspect
from contextlib import closing
from enum import StrEnum
from typing import Any, Final

import pytest

from tenure import (
    InvalidInput,
    JobHandle,
    RedriveHandle,
    ScheduleHandle,
    Task,
    TenureError,
    Terminal,
    testing,
)
from tenure import Tenure as Application
from tenure.app.kinds.task import BoundTask
from tenure.stores.protocol import Store
from tenure.testing import drain
from tests.app.python_calls import calls
from tests.app.python_face import Call, answers, parameters

FACES: Final = (Application, Task, BoundTask, JobHandle, ScheduleHandle, RedriveHandle)
ONE_LEVEL_BELOW: Final = {
    "ask", "aask", "submit", "submit_one", "asubmit", "asubmit_one", "asubmit_each", "read", "aread", "secret_of", "keep_elsewhere",
    "schedule_set_by", "aschedule_sent", "akind_named", "new_job",
}  # fmt: skip
"""What tasks, handles and faces call, with what is checked by then."""
FROM_OUTSIDE: Final = {"wake", "awake"}
"""Take whatever a message holds; what is no id is no job."""
OF_THE_HANDLER: Final = {"enqueue", "aenqueue", "item"}
"""Of a task: its arguments are the payload."""


def declared() -> Application:
    app = Application("sqlite:///never-opened.db")

    @app.task(kind="letter")
    def letter(to: str) -> None: ...

    @app.task(kind="broken")
    def broken() -> None:
        raise Terminal("broken")

    return app


def ready(app: Application) -> list[Call]:
    """The calls, once there is what they ask about."""
    app.enqueue("broken")
    drain(app)
    return list(calls(app))


def kept(app: Application) -> list[Any]:
    """All that a call could have written: jobs, kinds, and whatever operators do, which is in the audit."""
    store = app.opened()
    from tenure.core.job_filter import EVERY_JOB

    return [
        store.run(store.verbs.list_jobs(EVERY_JOB, None, 1000)),
        store.run(store.verbs.audit_lines(1000)),
        store.run(store.verbs.kinds()),
    ]


def test_a_mistake_is_refused_by_name_in_the_same_words_on_every_store_and_nothing_is_stored(store: Store) -> None:
    with closing(declared()) as plain, closing(declared()) as app:
        with testing.memory_app(plain):
            words = dict(answers(ready(plain)))
        app.use(store)
        every = ready(app)
        before = kept(app)
        found = dict(answers(every))
        assert {said: told for said, told in found.items() if not told.startswith("refused")} == {}
        assert found == words
        assert kept(app) == before


@pytest.mark.parametrize("face", FACES)
def test_every_public_argument_stands_in_the_table(face: type) -> None:
    covered: dict[str, set[str]] = {}
    with closing(declared()) as app, testing.memory_app(app):
        for call in ready(app):
            covered.setdefault(call.name, set()).update(call.asked)
    left = ONE_LEVEL_BELOW | FROM_OUTSIDE | (OF_THE_HANDLER if face in (Task, BoundTask) else set())
    lacking = {}
    for name, function in inspect.getmembers(face, inspect.isfunction):
        if not name.startswith("_") and name not in left:
            lacking[name] = parameters(function) - covered.get(f"{face.__name__}.{name}", set())
    lacking["__init__"] = parameters(face) - covered.get("Tenure", set()) if face is Application else set()
    assert {name: words for name, words in lacking.items() if words} == {}


def test_a_word_that_there_is_not_is_never_passed_over() -> None:
    """`queu="mail"` would else limit the whole store, and `kind="mail"` cancel every job of a tenant."""
    with closing(declared()) as app, testing.memory_app(app):
        for call in ready(app):
            if "." in call.name and "url" not in call.asked:
                with pytest.raises(TypeError, match="nonsense"):
                    call.with_wrong("nonsense", 1)


def test_an_id_is_taken_in_each_of_its_forms() -> None:
    from uuid import UUID

    with closing(declared()) as app, testing.memory_app(app):
        job = app.enqueue("letter", {"to": "ada"})
        for form in (job.id, job.id.upper(), UUID(job.id)):
            found = app.get(form)
            assert found is not None
            assert found.id == job.id
        assert app.get("0190a000-0000-7000-8000-000000000000") is None


def test_every_error_is_of_the_product() -> None:
    assert issubclass(InvalidInput, TenureError)
    assert issubclass(InvalidInput, ValueError)


class Kinds(StrEnum):
    LETTER = "letter"


def test_a_kind_may_be_the_member_of_an_enumeration_wherever_one_is_said() -> None:
    with closing(declared()) as app, testing.memory_app(app):
        job = app.read(app.enqueue(Kinds.LETTER, {"to": "ada"}).id)
        assert job is not None
        assert (type(job.kind), job.kind) == (str, "letter")
        app.set_schedule("daily", Kinds.LETTER, {"to": "ada"}, every=60)
        assert app.get_schedule("daily") is not None
        assert app.kind_named(Kinds.LETTER).name == "letter"
        testing.assert_enqueued(app, Kinds.LETTER)


def test_names_may_come_from_a_generator() -> None:
    with closing(declared()) as app, testing.memory_app(app):
        job = app.enqueue("letter", {"to": "ada"})
        assert app.cancel_many(ids=(one for one in [job.id]), kinds=iter(["letter"])) is not None  # type: ignore[arg-type]
        found = app.get(job.id)
        assert found is not None
        assert found.state == "cancelled"
