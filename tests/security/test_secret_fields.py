"""What a kind keeps secret is told by no face, to no role, and stands in no text; only the handler sees it."""

import importlib
import logging
import re
import sqlite3
import sys
import textwrap
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import click
import pytest
from click.testing import CliRunner

from tenure import JobFailed, Tenure
from tenure.cli.main import main
from tenure.core.job import Job
from tenure.core.principal import Role
from tenure.core.states import TERMINAL
from tenure.edge.operations import TABLE
from tests.databases import sqlite_store
from tests.engine.living import running, until
from tests.security.gate import Gate, gate_of

MARK: Final = "planted71c0ffee"
"""In the middle of the secret text, in every spelling of it."""

SECRET: Final = f'4111 "{MARK}" 5/6\\ü'
PIN: Final = 90817263
TRACES: Final = re.compile(rf"{MARK}|{PIN}")

APPLICATION: Final = """
    from tenure import Context, Tenure, Terminal

    app = Tenure(THE_DATABASE)
    KEEPS = {"secret": ["card.number", "pins.*"], "secret_result": ["receipt"], "max_attempts": 1}

    def used(ctx: Context, card: dict, pins: list[int], how: str) -> None:
        ctx.checkpoint("seen", card)
        ctx.progress({"with": card["number"], "pin": pins[0]})
        ctx.log.warning("paying with %s", card["number"])
        ctx.effect("charge", lambda call: {"echo": card["number"]})
        print("printed", card["number"])

    def end(ctx: Context, card: dict, pins: list[int], how: str) -> dict:
        used(ctx, card, pins, how)
        number = card["number"]
        if how == "raise":
            try:
                raise ValueError(f"no such card: {number!r} with {pins[0]}")
            except ValueError as error:
                ctx.log.exception("it went wrong")
                raise RuntimeError("cannot pay: %s" % number) from error
        if how == "code":
            raise Terminal(f"declined_{number}", f"declined {number}")
        if how == "effect":
            def broken(call):
                raise ConnectionError(f"POST /charge?card={number} was cut")
            ctx.effect("mail", broken)
        return {"paid": number, "receipt": {"no": 7}, "pin": pins[0]}

    @app.task(**KEEPS)
    def pay(ctx: Context, card: dict, pins: list[int], how: str) -> dict:
        return end(ctx, card, pins, how)

    @app.task(**KEEPS)
    async def pay_on_the_loop(ctx: Context, card: dict, pins: list[int], how: str) -> dict:
        raise RuntimeError(f"cannot pay with {card['number']}")

    @app.task(isolation="process", **KEEPS)
    def pay_apart(ctx: Context, card: dict, pins: list[int], how: str) -> dict:
        return end(ctx, card, pins, how)
"""
HOW: Final = ("raise", "code", "effect", "well")


class Shop:
    """Jobs that have run in every way, and one that waits. app: the declared tasks. logged: what was, meanwhile."""

    def __init__(self, app: Tenure, url: str, logged: list[str]) -> None:
        self.app, self.url, self.logged = app, url, logged
        payload = {"card": {"number": SECRET, "owner": "ada"}, "pins": [PIN]}
        kinds = [(kind, how) for kind in ("pay", "pay_apart") for how in HOW] + [("pay_on_the_loop", "raise")]
        self.jobs = [app.enqueue(kind, payload | {"how": how}) for kind, how in kinds]
        self.waiting = app.enqueue("pay", payload | {"how": "well"}, delay=3600)
        app.set_schedule("paying", "pay", payload | {"how": "well"}, cron="0 0 1 1 *")

    @property
    def ids(self) -> list[str]:
        return [job.id for job in (*self.jobs, self.waiting)]

    def stored(self) -> list[Job]:
        store = self.app.opened()
        return list(store.run(store.verbs.read(self.ids)).values())


class Heard(logging.Handler):
    """Every line, as a log file would have it."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shop")


@pytest.fixture(scope="module")
def shop(folder: Path) -> Iterator[Shop]:
    url = f"sqlite:///{folder}/tenure.db"
    text = textwrap.dedent(APPLICATION).replace("THE_DATABASE", repr(url))
    (folder / "kept_shop.py").write_text(text, encoding="utf-8")
    heard, root = Heard(), logging.getLogger()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.syspath_prepend(str(folder))
        app: Tenure = importlib.import_module("kept_shop").app
        before = root.level
        root.setLevel(logging.DEBUG)  # by its method: loggers remember what they were asked before
        root.addHandler(heard)
        made = Shop(app, url, heard.lines)
        with running(app.worker(poll=0.02)):
            until(lambda: all(job.refresh().state in TERMINAL for job in made.jobs))
        yield made
        root.removeHandler(heard)
        root.setLevel(before)
        app.close()
        sys.modules.pop("kept_shop", None)


def untold(where: str, text: str) -> None:
    found = TRACES.search(text)
    assert found is None, f"{where}: …{text[max(0, found.start() - 200) : found.end() + 50]}…"


def test_the_handler_sees_it_and_the_jobs_end_as_they_would(shop: Shop) -> None:
    ends = {(job.row.kind, job.payload()["how"]): job.row.end_code for job in shop.jobs}
    assert {how: ends["pay", how] for how in HOW} == {how: ends["pay_apart", how] for how in HOW}
    assert ends["pay", "raise"] == ends["pay_on_the_loop", "raise"] == "runtime_error"
    assert ends["pay", "code"] == "declined_•••"
    assert ends["pay", "effect"] == "effect_uncertain"
    assert shop.jobs[HOW.index("well")].result() == {"paid": SECRET, "receipt": {"no": 7}, "pin": PIN}
    assert shop.waiting.payload(reveal=True)["card"] == {"number": SECRET, "owner": "ada"}
    assert shop.waiting.payload()["card"] == {"number": "•••", "owner": "ada"}
    assert shop.waiting.payload()["pins"] == ["•••"]


def test_no_log_line_tells_it(shop: Shop) -> None:
    text = "\n".join(shop.logged)
    for expected in ("paying with •••", "it went wrong", "printed •••", "cannot pay: •••", "ValueError: no such card"):
        assert expected in text
    untold("log", text)


def test_no_column_holds_it_but_those_that_the_work_needs(shop: Shop, folder: Path) -> None:
    needed = {
        ("tenure_jobs", "payload"), ("tenure_jobs", "result"), ("tenure_checkpoints", "value"),
        ("tenure_effects", "result"), ("tenure_schedules", "payload"),
    }  # fmt: skip
    shop.app.close()
    connection = sqlite3.connect(folder / "tenure.db")
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    held = set()
    for table in tables:
        rows = connection.execute(f"SELECT * FROM {table}")
        columns = [column for column, *_ in rows.description]
        held |= {(table, columns[at]) for row in rows for at, value in enumerate(row) if TRACES.search(f"{value}")}
    connection.close()
    assert held == needed


def test_python_shows_it_nowhere_unasked(shop: Shop) -> None:
    store = shop.app.opened()
    for job in (*shop.jobs, shop.waiting):
        untold("handle", f"{job!r} {job.row!r} {job.payload()} {job.row.payload} {job.row.result} {job.row.progress}")
    for row in shop.stored():
        untold("a row that is printed", repr(row))
    untold("failures", repr(shop.app.failures()))
    untold("preview", repr(shop.app.preview_redrive()))
    item = shop.app.item("pay", {"card": {"number": SECRET}, "pins": [PIN], "how": "well"})
    untold("item", f"{item!r} {item.new_job(store.run(store.verbs.digest_key()))!r}")
    with pytest.raises(JobFailed) as failed:
        shop.jobs[0].result()
    untold("the error of a failed job", str(failed.value))


def leaves(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if not isinstance(command, click.Group):
        yield path
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        if found is not None and name != "remote":
            yield from leaves(found, (*path, name))


TELLING: Final = {("failures",), ("audit",), ("stats",), ("doctor",), ("kinds", "slowdowns")}
"""Commands that only tell something, besides every `list` and `show`."""


def test_no_command_that_tells_something_tells_it(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENURE_DATABASE_URL", shop.url)
    commands = [path for path in leaves(main) if path in TELLING or path[-1] in ("list", "show")]
    assert {*commands} > TELLING
    redrive = CliRunner().invoke(main, ["jobs", "redrive", "--all", "--single-attempts", "--yes", "--json"])
    untold("redrive", redrive.output)
    named: dict[tuple[str, ...], list[str]] = {("jobs", "show"): shop.ids, ("effects", "list"): [*shop.ids, ""]}
    redrives = re.findall(r'"id": "([0-9a-f-]{36})"', CliRunner().invoke(main, ["redrives", "list", "--json"]).output)
    assert redrives
    named["redrives", "show"] = redrives
    named["schedules", "show"] = ["paying"]
    named["queues", "show"] = named["tenants", "show"] = ["default"]
    named["resources", "show"] = ["card"]
    assert CliRunner().invoke(main, ["resources", "set", "card", "--concurrency", "9"]).exit_code == 0
    for path in (*commands, ("jobs", "redrive", "--all", "--preview")):
        for subject in named.get(path, [""]):
            for form in ([], ["--json"]):
                said = [*path, *([subject] if subject else []), *form]
                answer = CliRunner().invoke(main, said)
                assert answer.exit_code in (0, 1), f"{said}: {answer.output}"
                untold(" ".join(said), answer.output)


def test_a_refused_submission_does_not_quote_it(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENURE_DATABASE_URL", shop.url)
    bad: dict[str, Any] = {"card": {"number": SECRET}, "pins": SECRET, "how": 1}
    for payload in (bad, bad | {"pins": [PIN, object()]}, bad | {"how": datetime(2026, 1, 1), "pins": [PIN]}):  # noqa: DTZ001
        with pytest.raises(ValueError) as refused:
            shop.app.enqueue("pay", payload)
        untold("refusal", f"{refused.value} {refused.value.__cause__} {refused.value.__context__}")


@pytest.fixture
def kept_gate(shop: Shop, folder: Path) -> Iterator[Gate]:
    shop.app.opened()
    for store in sqlite_store(folder / "tenure.db"):
        with gate_of(store, lambda: datetime.now(UTC)) as made:
            yield made


def paths_of(operation: Any, shop: Shop, gate: Gate) -> list[dict[str, str]]:
    """What may stand in its path; a route to something new has to be given an example here."""
    if "{" not in operation.path:
        return [{}]
    root = operation.path.split("/")[1]
    admin = gate.key("admin")
    match root:
        case "jobs":
            return [{"id": job_id} for job_id in shop.ids]
        case "kinds":
            return [{"name": name} for name in shop.app.tasks]
        case "schedules":
            return [{"name": "paying"}]
        case "queues" | "tenants":
            return [{"name": "default"}]
        case "redrives":
            return [{"id": row["id"]} for row in gate.call(admin, "list_redrives").json()["redrives"]]
        case "keys":
            return [{"id": row["id"]} for row in gate.call(admin, "list_keys").json()["keys"]][:2]
    raise AssertionError(f"{operation.name}: what stands in {operation.path}?")


@pytest.mark.parametrize("operation", [one for one in TABLE if one.method == "GET"], ids=lambda one: one.name)
def test_no_answer_of_the_service_tells_it_to_any_role(kept_gate: Gate, shop: Shop, operation: Any) -> None:
    gate = kept_gate
    admin = gate.key("admin")
    assert gate.call(admin, "start_redrive", {"type": "pay", "single_attempts": True}).status_code == 201
    told = []
    for role in Role:
        key = gate.key(role)
        for path in paths_of(operation, shop, gate):
            answer = gate.call(key, operation.name, **path)
            untold(f"{operation.name} for {role}", answer.text)
            told.append(answer.status_code)
    assert 200 in told
