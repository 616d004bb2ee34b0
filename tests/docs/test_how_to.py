"""The blocks of the how-to pages do what the pages say."""

import ast
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy
from click.testing import CliRunner
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from tenure import Context, Tenure
from tenure.app.settings import Settings
from tenure.cli.commands.worker import worker
from tenure.cli.main import main
from tenure.core.outcomes import HandlerOutcome
from tenure.engine import health
from tenure.engine.barrier import EFFECT_NAMES, NAMES, Barrier
from tenure.engine.health import Health
from tenure.testing import drain, memory_app
from tests.docs import pages
from tests.docs.conftest import Play

FIRST_JOB = pages.blocks(pages.how_to("first-job"), "python")


@pytest.fixture
def app(folder: Path) -> Iterator[Tenure]:
    """On an SQLite file in the folder."""
    app = Tenure("sqlite:///shop.db")
    yield app
    app.close()


def tenure(line: str) -> str:
    """What a command line of a page prints; it must end well."""
    result = CliRunner().invoke(main, shlex.split(line)[1:], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("page", pages.every(), ids=lambda page: str(page.relative_to(pages.ROOT)))
def test_python_on_a_page_is_python_and_imports_what_exists(page: Path) -> None:
    for block in pages.blocks(page, "python"):
        for node in ast.walk(ast.parse(block.text)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tenure"):
                exec(ast.unparse(node), {})


def test_the_first_job_runs_and_is_submitted_once(folder: Path, play: Play) -> None:
    *before, waiting = FIRST_JOB
    names = play(before)
    page = list(pages.lines(pages.how_to("first-job")))
    worker_line = next(line for line in page if line.startswith("tenure worker"))
    process = subprocess.Popen([sys.executable, "-m", *shlex.split(worker_line)])
    try:
        assert play([waiting], **names)["value"] == {"file": "acct_91-2026-05.pdf"}
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()
        names["render_statement"].app.close()
    listing, showing = [line for line in page if line.startswith("tenure jobs")]
    assert names["job"].id in tenure(listing)
    assert "succeeded" in tenure(showing.replace("JOB-ID", names["job"].id))


class Base(DeclarativeBase):
    """The application's own tables."""


class Order(Base):
    __tablename__ = "orders"
    id: Mapped[int] = mapped_column(primary_key=True)
    shipped: Mapped[bool] = mapped_column(default=False)


def test_an_order_and_its_job_commit_together_and_so_do_its_shipping_and_success(app: Tenure, play: Play) -> None:
    sent: list[int] = []

    @app.task()
    def send_confirmation(order_id: int) -> None:
        sent.append(order_id)

    app.open()
    engine = sqlalchemy.create_engine("sqlite:///shop.db")
    Base.metadata.create_all(engine)
    known = {"app": app, "Context": Context, "engine": engine, "Session": Session, "Order": Order}
    blocks = pages.blocks(pages.how_to("enqueue-in-your-transaction"), "python")
    names = play(blocks[:2], order=Order(), send_confirmation=send_confirmation, **known)
    job = names["ship"].enqueue(order_id=1)
    drain(app)
    assert sent == [1]
    assert job.refresh().state == "succeeded"
    with Session(engine) as session:
        order = session.get(Order, 1)
        assert order is not None
        assert order.shipped
    engine.dispose()


def raised() -> list[str]:
    """The lines of the page that show what a handler may raise."""
    return re.findall(r"^raise .*\)", pages.blocks(pages.how_to("errors-and-retries"), "python")[0].text, re.MULTILINE)


ENDS = {
    "Retry": "scheduled", "Throttled": "scheduled", "Snooze": "scheduled",
    "Terminal": "failed", "Uncertain": "failed", "Cancel": "cancelled",
}  # fmt: skip


@pytest.mark.parametrize("line", raised())
def test_each_outcome_of_the_page_leads_where_it_says(line: str) -> None:
    app = Tenure("memory://")
    names: dict[str, Any] = {}
    exec(f"from tenure import *\ndef fails() -> None:\n    {line}", names)
    task = app.task()(names["fails"])
    with memory_app(app):
        job = task.enqueue()
        ran = drain(app, limit=4)[0] if "retry_in=0" not in line else None
        word = line.split()[1].split("(")[0]
        assert issubclass(names[word], HandlerOutcome)
        assert ran is None or job.refresh().state == ENDS[word]


def test_the_page_on_errors_shows_every_outcome() -> None:
    assert {line.split()[1].split("(")[0] for line in raised()} == ENDS.keys()


def test_exceptions_are_mapped_where_the_task_is_declared(play: Play) -> None:
    app = Tenure("memory://")
    pool, order = type("PoolTimeout", (Exception,), {}), type("InvalidOrder", (Exception,), {})
    mapping = pages.blocks(pages.how_to("errors-and-retries"), "python")[1]
    names = play([mapping], app=app, PoolTimeout=pool, InvalidOrder=order)
    codes = {kind.__name__: code for kind, (_, code) in names["charge"].declaration.mapped.items()}
    assert (codes["PoolTimeout"], codes["InvalidOrder"]) == ("pool_timeout", "invalid_order")


def test_a_long_handler_tells_its_progress_and_ends(play: Play) -> None:
    app = Tenure("memory://")
    names = play(pages.blocks(pages.how_to("long-handlers"), "python"), app=app, Context=Context)
    with memory_app(app):
        job = names["export"].enqueue(rows=3)
        drain(app)
        store = app.opened()
        (attempt,) = store.run(store.verbs.attempts([job.id]))[job.id]
    assert (attempt.outcome, attempt.progress) == ("succeeded", '{"done":2,"of":3}')


def test_a_tenant_with_one_job_waits_for_no_more_than_a_turn_and_the_limit_is_on_record(play: Play) -> None:
    app = Tenure("memory://")
    with memory_app(app):
        names = play(pages.blocks(pages.how_to("share-workers"), "python"), app=app)
        task, store = names["import_ledger"], app.opened()
        many = [task.using(tenant="acme", priority="high").enqueue(account=str(n)) for n in range(3)]
        one = task.using(tenant="bolt", priority="high").enqueue(account="1")
        assert many[0].row.queue == "imports"
        assert one.id in [ran.job_id for ran in drain(app)][:2]
        assert store.run(store.verbs.kinds())["import_ledger"].concurrency == 2


def test_kinds_that_share_a_dependency_have_one_limit_and_a_heavy_job_takes_several_slots(play: Play) -> None:
    app = Tenure("memory://")
    with memory_app(app):
        names = play(pages.blocks(pages.how_to("limits"), "python"), app=app)
        assert names["render_film"].declaration.slots == 3
        assert (names["send_invoice"].declaration.uses, names["send_reminder"].declaration.uses) == (
            ("smtp",),
            ("crm", "smtp"),
        )
        assert [(use.limit.place.resource, use.limit.concurrency) for use in app.limits()] == [("smtp", 10)]
        assert app.pauses() == []


def test_a_new_version_runs_the_jobs_of_the_old_one(play: Play) -> None:
    before, after = Tenure("memory://"), Tenure("memory://")

    @before.task()
    def greet(name: str) -> str:
        return name

    play(pages.blocks(pages.how_to("deploy-a-new-version"), "python"), app=after)
    with memory_app(before):
        job = greet.enqueue(name="Ada Lovelace")
        after.use(before.opened())
        newer = after.enqueue("greet", {"first": "Grace", "last": "Hopper"})
        assert [ran.job_id for ran in drain(after)] == [job.id, newer.id]
        assert job.result(timeout=0) == "Good morning, Ada Lovelace."
        after.enqueue("greet", {"first": "Grace", "last": "Hopper"})
        assert drain(before) == []
        after.close()


def test_the_test_of_the_page_on_tests_passes(play: Play) -> None:
    names = play([FIRST_JOB[0], *pages.blocks(pages.how_to("test-your-jobs"), "python")])
    names["test_a_statement_is_rendered"]()


def test_the_barriers_of_the_page_exist_and_it_names_every_point() -> None:
    spans = set(pages.spans(pages.how_to("test-your-jobs")))
    shown = [span for span in spans if span.partition(":")[0] in NAMES and ":" in span]
    assert {Barrier(text).name for text in shown} <= NAMES
    assert len(shown) == 3
    assert spans >= NAMES | EFFECT_NAMES


def test_the_payment_of_the_page_on_effects_happens_once_and_its_import_resumes(
    app: Tenure, play: Play, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    play(pages.blocks(pages.how_to("effects"), "python"))
    import ledger  # type: ignore[import-not-found]
    import shop  # type: ignore[import-not-found]

    with memory_app(shop.app):
        job = shop.pay.enqueue(order=7, cents=500)
        nothing = shop.pay.enqueue(order=8, cents=0)
        lines = shop.app.enqueue("import_ledger", {"partitions": 3})
        monkeypatch.setattr(Context, "raise_if_cancelled", stopping_at(2))
        drain(shop.app, advance=True)
        assert job.result(timeout=0) == {"charge": f"{job.id}:charge"}
        assert shop.bank == {f"{job.id}:charge": 500}
        assert (nothing.refresh().row.end_code, nothing.row.tries) == ("nothing_to_charge", 1)
        assert lines.result(timeout=0) == 3
    assert capsys.readouterr().out.split() == ["partition", "0", "partition", "1", "partition", "2"]
    assert ledger.app is shop.app


def test_a_charge_that_the_bank_did_not_take_is_made_by_the_next_attempt(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(pages.blocks(pages.how_to("effects"), "python")[:1])
    import shop

    send, calls = shop.send, iter([refused])
    monkeypatch.setattr(shop, "send", lambda key, cents: next(calls, send)(key, cents))
    with memory_app(shop.app):
        job = shop.pay.enqueue(order=7, cents=500)
        drain(shop.app, advance=True)
        assert job.result(timeout=0) == {"charge": f"{job.id}:charge"}
        assert job.refresh().row.first_error_code == "bank_is_away"


def refused(key: str, cents: int) -> None:
    raise ConnectionRefusedError


def stopping_at(nth: int) -> Callable[[Context], None]:
    """A safe point that is left with trouble at its nth visit."""
    visits = iter(range(1, 1000))

    def look(ctx: Context) -> None:
        if next(visits) == nth:
            raise ConnectionError

    return look


def test_an_uncertain_effect_is_settled_as_the_page_says(app: Tenure) -> None:
    @app.task(max_attempts=1)
    def pay(ctx: Context) -> Any:
        return ctx.effect("charge", lambda call: 1 / 0)

    job = pay.enqueue()
    drain(app)
    listing, confirming, _absent, redriving = pages.lines(pages.how_to("effects"))
    url = "--database sqlite:///shop.db"
    assert job.id in tenure(f"{listing} {url}")
    for line in (confirming, redriving):
        tenure(f"{line.replace('JOB-ID', job.id)} {url}")
    drain(app)
    assert job.result(timeout=0) == {"charge": "ch_1"}


@pytest.mark.parametrize("well", [True, False])
def test_the_probe_of_the_page_on_workers_tells_a_well_worker_from_one_that_is_not(tmp_path: Path, well: bool) -> None:
    line = next(line for line in pages.lines(pages.how_to("run-workers")) if line.startswith("python"))
    file = str(tmp_path / "health.json")
    health.write(file, Health(well, "running", running=0, slots=10, leaked=0, done=0, blocked_loop=0.0))
    probe = shlex.split(line.replace("/run/tenure.json", file))
    assert subprocess.run([sys.executable, *probe[1:]]).returncode == (0 if well else 1)


def test_the_exit_codes_of_the_page_on_workers_are_those_of_the_engine() -> None:
    from tenure.engine import exit_codes

    rows = re.findall(r"^\| (\d+) \|", pages.how_to("run-workers").read_text("utf-8"), re.MULTILINE)
    assert {int(code) for code in rows} == {value for name, value in vars(exit_codes).items() if name.isupper()}


@pytest.mark.postgres
def test_postgresql_is_migrated_and_its_fencing_counter_raised_as_the_page_says(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.conformance.postgres_server import shared

    server, page = shared(), pages.how_to("postgresql")
    url = server.fresh_database(migrated=False)
    for line in pages.lines(page):
        name, _, _ = line.removeprefix("export ").partition("=")
        if line.startswith("export "):
            monkeypatch.setenv(name, url)
    assert os.environ["TENURE_DATABASE_URL"] == url
    for line in ("tenure migrate --sql", "tenure migrate"):
        assert line in {*pages.lines(page), *pages.spans(page)}
        assert "0001_jobs_and_attempts" in tenure(line)
    watching, raising = pages.blocks(page, "sql")
    assert server.execute(watching.text, url) is not None
    server.execute(raising.text, url)
    ((fencing,),) = server.execute("SELECT nextval('tenure_fencing')", url)
    assert fencing > 1_000_000
    server.drop_database(url)


def test_what_pages_install_are_extras_of_the_package() -> None:
    import tomllib

    project = tomllib.loads((pages.ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = re.findall(r"(?:tenure|\.)\[([\w,]+)\]", "\n".join(page.read_text("utf-8") for page in pages.every()))
    assert named
    assert {extra for text in named for extra in text.split(",")} <= project["optional-dependencies"].keys()


def test_the_settings_file_of_the_reference_is_understood(folder: Path) -> None:
    (block,) = pages.blocks(pages.ROOT / "docs" / "reference" / "settings.md", "toml")
    (folder / "tenure.toml").write_text(block.text, encoding="utf-8")
    said = Settings().file()
    with worker.make_context("worker", [], default_map=dict(said)) as context:
        taken = {name: value for name, value in context.params.items() if name in said}
    assert (taken["slots"], taken["shutdown_grace"]) == (20, 25.0)
    assert "mail" in taken["queues"]
    assert said.keys() - taken.keys() == {"database_url", "app"}
    assert Settings().database() == said["database_url"]
    assert Settings().text("app") == said["app"]
