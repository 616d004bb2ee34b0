"""A folder in which a page's blocks run: its files are modules, its databases are fresh."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.docs import pages

Play = Callable[..., dict[str, Any]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The working directory; modules that were imported from it are forgotten at the end."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in os.environ if name.startswith("TENURE_") and name != "TENURE_TEST_POSTGRES"]:
        monkeypatch.delenv(name)
    yield tmp_path
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture
def play(folder: Path) -> Play:
    """Runs Python blocks one after the other in one namespace, and answers it; one with a title becomes its file."""

    def run(blocks: list[pages.Block], **known: Any) -> dict[str, Any]:
        names: dict[str, Any] = {"__name__": "page", **known}
        for block in blocks:
            if block.title:
                (folder / block.title).write_text(block.text, encoding="utf-8")
            else:
                exec(compile(block.text, "page", "exec"), names)
        return names

    return run
