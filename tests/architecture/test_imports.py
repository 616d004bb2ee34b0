"""Each storey imports only downward; what stands side by side is blind to each other."""

import subprocess
import sys
import tomllib

import pytest

from tests.architecture.sources import ROOT, SOURCE, files, imports

STORES = ("memory", "sqlite", "postgres")


def layers() -> set[str]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = (c for c in settings["tool"]["importlinter"]["contracts"] if c["type"] == "layers")
    return {name.strip(" ()") for layer in contract["layers"] for name in layer.replace("|", ":").split(":")}


def test_the_import_contracts_are_kept() -> None:
    lint = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    run = subprocess.run(
        [sys.executable, "-c", lint], cwd=ROOT, capture_output=True, text=True, check=False, timeout=100
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_every_storey_has_its_place_in_the_contract() -> None:
    storeys = {f"tenure.{path.parent.name}" for path in SOURCE.glob("*/__init__.py")}
    assert storeys <= layers()


@pytest.mark.parametrize("store", STORES)
def test_stores_are_blind_to_each_other(store: str) -> None:
    others = tuple(f"tenure.stores.{other}" for other in STORES if other != store)
    for path in files(f"stores/{store}"):
        assert [name for name in imports(path) if name.startswith(others)] == [], path


def test_the_memory_store_needs_no_driver() -> None:
    for path in files("stores/memory"):
        assert not {"sqlite3", "psycopg", "psycopg_pool"} & set(imports(path)), path
