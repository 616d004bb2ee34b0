"""The command line in this process, on a fresh SQLite file in a folder of its own."""

import os
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tenure import Retry, Tenure, Terminal
from tenure.cli.main import main

Run = Callable[..., Result]

APPLICATION = """
    import os, pathlib, time
    from tenure import Context, Retry, Tenure

    app = Tenure()

    @app.task(kind="letter", version=3, queue="post", backoff=(0.01, 0.01))
    def letter(ctx: Context, to: str, pages: int = 1) -> dict:
        if ctx.attempt.number <= pages - 1:
            raise Retry("no_stamps", "the drawer is empty")
        return {"to": to}

    @app.task(kind="slow")
    def slow(seconds: float) -> None:
        pathlib.Path("begun").touch()
        time.sleep(seconds)

    @app.task(kind="apart", isolation="process")
    def apart() -> int:
        letter.enqueue(to=str(os.getpid()))
        return os.getpid()
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The working directory: an application `shop:app`, no database yet. The module is forgotten at the end."""
    (tmp_path / "shop.py").write_text(textwrap.dedent(APPLICATION))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in os.environ if name.startswith("TENURE_")]:
        monkeypatch.delenv(name)
    monkeypatch.delitem(sys.modules, "shop", raising=False)
    yield tmp_path
    sys.modules.pop("shop", None)


@pytest.fixture
def tenure(folder: Path) -> Run:
    """Runs `tenure …` in this process."""

    def run(*arguments: str, input: str | None = None) -> Result:  # noqa: A002 (as click's runner calls it)
        sys.modules.pop("shop", None)
        return CliRunner().invoke(main, [*arguments], input=input, catch_exceptions=False)

    return run


@pytest.fixture
def shop(folder: Path) -> Iterator[Tenure]:
    """A producer on the same database, migrated, without the application's code."""
    app = Tenure("sqlite:///tenure.db")
    app.open()
    yield app
    app.close()


@pytest.fixture
def letter(shop: Tenure) -> Any:
    @shop.task(kind="letter", queue="post", backoff=(0, 0))
    def letter(to: str) -> str:
        if to == "nobody":
            raise Terminal("no_such_address", "there is no such house")
        if to == "busy":
            raise Retry("no_stamps", "the drawer is empty")
        return to

    return letter
