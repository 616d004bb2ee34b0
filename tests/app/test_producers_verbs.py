"""What a producer can do, on every store."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tenure import IdConflict, InvalidInput, JobHandle, KeyConflict, Misconfigured, State, Tenure, UnknownKind
from tenure.core.kind import Kind
from tenure.operations.cancel import Happened
from tenure.testing import FakeClock

ID = "01890a5d-ac96-774b-bcce-b302099a8057"


def letter(app: Tenure) -> Any:
    return app.tasks["letter"]


def test_a_job_carries_the_declaration_and_what_the_producer_says(stored: Tenure, clock: FakeClock) -> None:
    deadline = clock() + timedelta(hours=1)
    bound = letter(stored).using(
        id=ID,
        idempotency_key="k",
        tenant="acme",
        priority="high",
        delay=60,
        deadline=deadline,
        tags=["a", "b"],
        trace="t",
    )
    row = bound.enqueue(to="ada").refresh().row
    assert (row.id, row.idempotency_key, row.tenant, row.priority, row.tags, row.trace) == (
        ID, "k", "acme", 20, ("a", "b"), "t",
    )  # fmt: skip
    assert (row.kind, row.version, row.queue, row.max_attempts, row.run_time_limit) == ("letter", 3, "post", 6, 60.0)
    assert (row.state, row.run_at, row.deadline) == (State.SCHEDULED, clock() + timedelta(seconds=60), deadline)


def test_using_changes_nothing_but_its_copy(stored: Tenure) -> None:
    high = letter(stored).using(priority="high")
    both = high.using(queue="fast")
    rows = [task.enqueue(to="ada").row for task in (letter(stored), high, both)]
    assert [(row.priority, row.queue) for row in rows] == [(10, "post"), (20, "post"), (20, "fast")]


def test_a_known_key_answers_with_its_job(stored: Tenure) -> None:
    keyed = letter(stored).using(idempotency_key="k")
    first, second = keyed.enqueue(to="ada"), keyed.enqueue(to="ada")
    assert (first.created, second.created) == (True, False)
    assert first.id == second.id


def test_a_key_with_other_arguments_is_refused_naming_the_job(stored: Tenure) -> None:
    keyed = letter(stored).using(idempotency_key="k")
    first = keyed.enqueue(to="ada")
    with pytest.raises(KeyConflict) as refused:
        keyed.enqueue(to="bob")
    assert refused.value.job_id == first.id


def test_the_digest_is_of_the_payload_as_sent_before_defaults(stored: Tenure) -> None:
    keyed = letter(stored).using(idempotency_key="k")
    keyed.enqueue(to="ada")
    with pytest.raises(KeyConflict):
        keyed.enqueue(to="ada", pages=1)
    again = stored.enqueue("letter", {"to": "ada"}, idempotency_key="k", priority="low", delay=9)
    assert not again.created


def test_the_order_of_members_makes_no_other_payload(stored: Tenure) -> None:
    keyed = letter(stored).using(idempotency_key="k")
    keyed.enqueue(to="ada", pages=2)
    assert not keyed.enqueue(pages=2, to="ada").created


def test_the_same_id_repeats_a_lost_answer(stored: Tenure) -> None:
    task = letter(stored).using(id=ID)
    assert task.enqueue(to="ada").created
    assert not task.enqueue(to="ada").created
    with pytest.raises(IdConflict):
        task.enqueue(to="bob")


def test_many_are_stored_together_or_not_at_all(stored: Tenure) -> None:
    task = letter(stored)
    task.using(idempotency_key="b").enqueue(to="bob")
    items = [task.using(idempotency_key=key).item(to="ada") for key in ("a", "b", "c")]
    with pytest.raises(KeyConflict):
        stored.enqueue_many(items)
    assert stored.get(items[0].id) is None
    jobs = stored.enqueue_many([items[0], items[2], stored.item("sum", {"numbers": [1]})])
    assert [job.row.kind for job in jobs] == ["letter", "letter", "sum"]


def test_a_key_twice_in_a_batch_gives_one_job(stored: Tenure) -> None:
    keyed = letter(stored).using(idempotency_key="k")
    first, second = stored.enqueue_many([keyed.item(to="ada"), keyed.item(to="ada")])
    assert first.id == second.id
    assert [first.created, second.created] == [True, False]


def test_nothing_to_enqueue_is_no_error(stored: Tenure) -> None:
    assert stored.enqueue_many([]) == []


@pytest.mark.parametrize(
    ("given", "field"), [([{"to": "ada"}], "items[0]"), ("letters", "items"), ({"to": "ada"}, "items"), (5, "items")]
)
def test_what_is_no_item_is_refused_by_its_place_with_a_word_on_how_to_make_one(
    stored: Tenure, given: Any, field: str
) -> None:
    with pytest.raises(InvalidInput, match=r"Make each by `task\.item") as refused:
        stored.enqueue_many(given)
    assert refused.value.field == field


def test_the_async_twins_do_the_same(stored: Tenure) -> None:
    async def produce() -> tuple[JobHandle, JobHandle, list[JobHandle], Happened]:
        one = await letter(stored).using(idempotency_key="k").aenqueue(to="ada")
        two = await stored.aenqueue("letter", {"to": "ada"}, idempotency_key="k")
        many = await stored.aenqueue_many([letter(stored).item(to="bob")])
        found = await stored.aget(one.id)
        assert found is not None
        return one, two, many, (await found.acancel()).happened

    one, two, many, happened = asyncio.run(produce())
    assert (one.id, one.created, two.created) == (two.id, True, False)
    assert many[0].created
    assert happened is Happened.CANCELLED
    assert one.refresh().state is State.CANCELLED


def test_a_kind_without_a_task_here_is_enqueued_by_its_row(stored: Tenure) -> None:
    store = stored.opened()
    kind = Kind(name="elsewhere", versions=(1, 2), queue="far", max_attempts=9, run_time_limit=5.0, priority=20)
    store.run(store.verbs.put_kinds([kind], replace=True))
    row = stored.enqueue("elsewhere", {"anything": [1]}).row
    assert (row.version, row.queue, row.max_attempts, row.run_time_limit, row.priority) == (2, "far", 9, 5.0, 20)
    with pytest.raises(UnknownKind):
        stored.enqueue("nowhere", {})


def test_a_payload_is_judged_by_the_row_where_the_code_is_not_at_hand(stored: Tenure) -> None:
    letter(stored).enqueue(to="ada")
    elsewhere = Tenure("memory://")
    elsewhere.use(stored.opened())
    with pytest.raises(InvalidInput, match=r"payload\.to: must be a string, not an integer"):
        elsewhere.enqueue("letter", {"to": 1})
    assert elsewhere.enqueue("letter", {"to": "bob"}).created


def test_the_row_of_a_kind_holds_the_priority_that_its_task_declares(stored: Tenure) -> None:
    stored.task(kind="urgent", priority="high")(lambda: None)
    stored.declare_kinds()
    elsewhere = Tenure("memory://")
    elsewhere.use(stored.opened())
    assert elsewhere.enqueue("urgent", {}).row.priority == 20
    assert elsewhere.enqueue("urgent", {}, priority="low").row.priority == 0


def test_the_first_enqueue_writes_the_kinds_row(stored: Tenure) -> None:
    store = stored.opened()
    assert store.run(store.verbs.kinds()) == {}
    letter(stored).enqueue(to="ada")
    row = store.run(store.verbs.kinds())["letter"]
    assert (row.versions, row.queue, row.max_attempts) == ((3,), "post", 6)
    assert row.schema is not None
    assert '"pages"' in row.schema


def test_an_unknown_id_is_nobodys_job(stored: Tenure) -> None:
    assert stored.get(ID) is None


def test_cancelling_says_what_happened_and_is_seen_in_the_handle(stored: Tenure) -> None:
    job = letter(stored).enqueue(to="ada")
    assert job.cancel(why="no stamps").happened is Happened.CANCELLED
    assert job.state is State.CANCELLED
    assert job.cancel().happened is Happened.ALREADY_ENDED


def test_a_run_at_of_another_zone_is_the_same_instant(stored: Tenure, clock: FakeClock) -> None:
    from zoneinfo import ZoneInfo

    at = datetime(2027, 7, 1, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))
    assert letter(stored).using(run_at=at).enqueue(to="ada").row.run_at == datetime(2027, 7, 1, 7, 0, tzinfo=UTC)


def test_a_kind_cannot_be_declared_twice(stored: Tenure) -> None:
    with pytest.raises(Misconfigured, match=r"'letter' is declared twice .*kind=…"):
        stored.task(kind="letter")(lambda: None)


@pytest.mark.parametrize(
    "said",
    [
        {"kind": ""},
        {"version": 0},
        {"queue": " "},
        {"max_attempts": 0},
        {"timeout": -1},
        {"concurrency": 0},
        {"backoff": (-1, 5)},
        {"backoff": 5},
        {"isolation": "container"},
        {"reads": {9: lambda payload: payload}},
        {"retry_on": {"ConnectionError": "code"}},
        {"memory": 12},
    ],
)
def test_a_declaration_that_cannot_work_is_refused(said: dict[str, Any]) -> None:
    with pytest.raises(Misconfigured):
        Tenure("memory://").task(**said)(lambda: None)


@pytest.mark.parametrize("kind", [None, "twice"])
def test_a_task_is_made_of_a_function_and_of_nothing_else(kind: str | None) -> None:
    app = Tenure("memory://")

    @app.task()
    def letter(to: str) -> None: ...

    not_functions: list[Any] = [letter, 5]
    for given in not_functions:
        with pytest.raises(Misconfigured, match="made of a function"):
            app.task(kind=kind)(given)
