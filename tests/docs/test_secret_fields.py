"""The page on secret fields: its task runs, and what it says is hidden is hidden."""

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tenure import JobFailed, Tenure
from tenure.app.databases.knowledge import FRESH
from tenure.cli.main import main
from tenure.core.secrecy.secret_values import MOST, NESTED
from tenure.testing import drain
from tests.docs import pages
from tests.docs.conftest import Play

PAGE = pages.how_to("secret-fields")


@pytest.fixture
def names(play: Play, folder: Path) -> Iterator[dict[str, Any]]:
    """What the blocks of the page leave behind."""
    declared, marked, enqueued = pages.blocks(PAGE, "python")
    play([declared])
    names = play([marked, enqueued], app=importlib.import_module("paying").app)
    yield names
    names["app"].close()


def test_its_task_hides_what_it_declares_and_runs_with_all_of_it(names: dict[str, Any]) -> None:
    app, job = names["app"], names["job"]
    assert job.payload() == {"card": {"number": "•••", "owner": "ada"}, "items": []}
    assert job.payload(reveal=True)["card"]["number"] == "4111-1111"
    text = PAGE.read_text(encoding="utf-8")
    assert str(job.payload()) in text
    paid = app.enqueue("pay", {"card": {"number": "41111111"}, "items": []})
    drain(app)
    with pytest.raises(JobFailed, match="the bank does not take •••"):
        job.refresh().result()
    assert paid.result() == {"paid": True, "receipt": {"code": "R-7731"}}
    assert paid.row.result == '{"paid":true,"receipt":{"code":"•••"}}'


def test_a_type_marks_a_field(names: dict[str, Any]) -> None:
    app: Tenure = names["app"]

    def login(pin: Any) -> None: ...

    login.__annotations__["pin"] = names["Pin"]
    assert app.task()(login).kind_row().secret == ("pin",)


def test_its_commands_declare_and_take_away(names: dict[str, Any]) -> None:
    names["app"].close()
    run = CliRunner()
    for line in ("kinds set --name pay --secret card.number", "kinds set --name pay --without secret --why w"):
        assert line.partition(" --why")[0] in PAGE.read_text(encoding="utf-8")
        assert run.invoke(main, [*line.split(), "--database", "sqlite:///paying.db"]).exit_code == 0
    store = names["app"].opened()
    row = store.run(store.verbs.kinds())["pay"]
    assert (row.secret, row.secret_result) == ((), ("receipt.code",))


def test_its_figures_are_those_of_the_code() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert f"more than {MOST} secret values" in text
    assert f"at most {NESTED} secret values" in text
    assert FRESH == 5.0
    assert "after five seconds at the most" in text
    assert re.findall(r"^\| (\d|fewer)", text, re.MULTILINE) == ["4", "3", "fewer"]
