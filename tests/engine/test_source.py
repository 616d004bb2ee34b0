"""An application is found again by its `module:attribute`."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenure.core.errors import Misconfigured
from tenure.engine import source


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    known, path = set(sys.modules), list(sys.path)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.path[:] = path
    for name in set(sys.modules) - known:
        del sys.modules[name]


def test_the_working_directory_is_looked_in_too(folder: Path) -> None:
    (folder / "engine_app_one.py").write_text("class inside:\n    app = 5\n")
    assert source.load("engine_app_one:inside.app") == 5


@pytest.mark.parametrize("text", ["", "app", ":app", "app:"])
def test_a_text_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(Misconfigured, match="module:attribute"):
        source.load(text)


def test_a_missing_module_or_attribute_is_named(folder: Path) -> None:
    (folder / "engine_app_two.py").write_text("")
    with pytest.raises(Misconfigured, match="no module 'engine_app_missing'"):
        source.load("engine_app_missing:app")
    with pytest.raises(Misconfigured, match="no 'app'"):
        source.load("engine_app_two:app")


def test_a_module_that_the_application_itself_misses_is_named_as_such(folder: Path) -> None:
    (folder / "absent_app.py").write_text("import absent\n")
    with pytest.raises(ModuleNotFoundError) as caught:
        source.load("absent_app:app")
    assert caught.value.name == "absent"
