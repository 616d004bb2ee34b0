"""What an operator asks of an application from Python."""

import asyncio

import pytest

from tenure import InvalidInput, NotFound, RedrivesForbidden, Tenure, Terminal
from tenure.core.redriving.redrive import FrozenState, RedriveState
from tenure.engine.upkeep.redriver import Redriver
from tenure.testing import drain, memory_app


@pytest.fixture
def app():  # type: ignore[no-untyped-def]
    app = Tenure("memory://")

    @app.task(kind="mail", remedies={"smtp_down": "look at the relay"})
    def mail(n: int) -> None:
        if app.broken:  # type: ignore[attr-defined]
            raise Terminal("smtp_down")

    app.broken = True  # type: ignore[attr-defined]
    with memory_app(app):
        app.declare_kinds()
        app.enqueue_many([mail.item(n=n) for n in range(4)])
        drain(app)
        yield app


def test_failures_and_a_redrive_from_preview_to_end(app: Tenure) -> None:
    (group,) = app.failures(kinds=["mail"]).groups
    assert (group.jobs, group.remedy) == (4, "look at the relay")
    assert app.preview_redrive(code="smtp_down").sendable == 4
    redrive = app.redrive(code="smtp_down", canary=2, why="mended")
    assert repr(redrive) == f"<Redrive {redrive.id} running>"
    assert redrive.pause()
    assert not redrive.pause()
    assert redrive.resume()
    app.broken = False  # type: ignore[attr-defined]
    redriver = Redriver(app.opened())
    for _ in range(3):
        redriver.tick()
        drain(app)
    assert redrive.refresh().state is RedriveState.FINISHED
    assert len(list(redrive.jobs(FrozenState.SUCCEEDED))) == 4
    assert [one.id for one in app.redrives(page=1)] == [redrive.id]
    assert app.get_redrive(redrive.id) is not None
    assert app.get_redrive("0190a000-0000-7000-8000-000000000000") is None


def test_a_cancelled_redrive_leaves_its_jobs_and_the_switch_lets_none_start(app: Tenure) -> None:
    redrive = app.redrive(kinds=["mail"])
    assert redrive.cancel("no")
    assert redrive.row.left_out == 4
    assert app.forbid_redrives("silence")
    with pytest.raises(RedrivesForbidden):
        app.redrive(kinds=["mail"])
    assert app.allow_redrives()
    redrive.id = "0190a000-0000-7000-8000-000000000000"
    with pytest.raises(NotFound):
        redrive.refresh()


def test_the_async_twins_do_the_same(app: Tenure) -> None:
    async def ask() -> tuple[int, int, RedriveState]:
        found, preview = await app.afailures(), await app.apreview_redrive()
        return found.read, preview.total, (await app.aredrive()).state

    assert asyncio.run(ask()) == (4, 4, RedriveState.RUNNING)


def test_many_are_cancelled_and_one_is_superseded(app: Tenure) -> None:
    older, newer = (app.enqueue("mail", {"n": n}) for n in range(2))
    assert app.supersede(older.id, newer.id).happened == "superseded"
    assert [count.jobs for count in app.preview_cancel(kinds=["mail"])] == [1]
    done = app.cancel_many(kinds=["mail"], why="closed")
    assert (done.cancelled, done.requested, done.next) == (1, 0, None)
    third, fourth = (app.enqueue("mail", {"n": n}) for n in range(2))
    assert asyncio.run(app.asupersede(third.id, fourth.id)).happened == "superseded"


@pytest.mark.parametrize(
    ("said", "field"),
    [({"kinds": "mail"}, "kinds"), ({"ids": ["x"]}, "ids"), ({"code": " "}, "code"), ({"version": 0}, "version")],
)
def test_a_bad_selection_is_refused_by_the_name_of_its_member(app: Tenure, said: dict[str, object], field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        app.failures(**said)  # type: ignore[arg-type]
    assert refused.value.field == field


@pytest.mark.parametrize("remedies", [{"": "x"}, {"a": " "}, {"a": "x" * 1001}, {f"c{n}": "x" for n in range(101)}])
def test_remedies_are_words_by_code_within_bounds(remedies: dict[str, str]) -> None:
    from tenure import Misconfigured

    with pytest.raises(Misconfigured):
        Tenure("memory://").task(remedies=remedies)(lambda: None)


def test_exactly_one_of_queue_kind_and_tenant_is_paused(app: Tenure) -> None:
    for what in ({}, {"queue": "a", "kind": "b"}):
        with pytest.raises(InvalidInput):
            app.pause("both", **what)  # type: ignore[arg-type]

    async def work() -> list[str]:
        assert await app.apause("night", tenant="acme")
        held = [pause.why for pause in await app.apauses()]
        assert await app.aresume(tenant="acme")
        assert not await app.aresume(queue="mail")
        return held

    assert asyncio.run(work()) == ["night"]


def test_weights_and_limits_are_set_and_shown_from_async_python(app: Tenure) -> None:
    async def ask() -> tuple[list[bool], dict[str, int | None], list[str]]:
        changed = [
            await app.aset_weight("acme", 3),
            await app.aset_weight("acme", 3),
            await app.aset_limit(kind="mail", concurrency=2),
            await app.aset_limit(resource="smtp", rate="10/s"),
        ]
        limits, resources = await app.alimits(), await app.aresources()
        return (
            changed,
            {use.limit.place.kind or use.limit.place.resource: use.limit.concurrency for use in limits},
            [one.name for one in resources],
        )

    assert asyncio.run(ask()) == ([True, False, True, True], {"mail": 2, "smtp": None}, ["smtp"])


def test_an_option_of_a_task_that_there_is_not_is_told_with_the_one_that_was_meant(app: Tenure) -> None:
    with pytest.raises(TypeError, match=r"no option 'knd'\. Did you mean 'kind'\?"):
        app.task(knd="letter")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"no option 'max_attempt'\. Did you mean 'max_attempts'\?"):
        app.task(max_attempt=3)  # type: ignore[call-arg]
    assert set(app.tasks) == {"mail"}
