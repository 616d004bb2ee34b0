"""The hashed requirements hold what the project's metadata asks for."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCKED = re.findall(r"^lock (\S+) (.+)$", (ROOT / "scripts" / "lock").read_text(encoding="utf-8"), re.MULTILINE)


def _name(requirement: str) -> str:
    said = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert said is not None
    return re.sub(r"[._-]+", "-", said[0]).lower()


@pytest.mark.parametrize(("name", "extras"), LOCKED, ids=[name for name, _ in LOCKED])
def test_a_requirements_file_lacks_nothing_that_its_environment_installs(name: str, extras: str) -> None:
    asked = list(PROJECT["dependencies"])
    for extra in extras.split():
        asked += PROJECT["optional-dependencies"][extra]
    text = (ROOT / f"requirements-{name}.txt").read_text(encoding="utf-8")
    locked = {_name(line) for line in text.splitlines() if re.match(r"[A-Za-z0-9]", line)}
    assert locked
    assert {_name(requirement) for requirement in asked} <= locked


@pytest.mark.parametrize("name", [name for name, _ in LOCKED])
def test_a_requirements_file_pins_by_hash_and_names_no_host(name: str) -> None:
    text = (ROOT / f"requirements-{name}.txt").read_text(encoding="utf-8")
    pinned = [line for line in text.splitlines() if re.match(r"[A-Za-z0-9]", line)]
    assert all("==" in line and line.endswith("\\") for line in pinned)
    assert text.count("--hash=sha256:") >= len(pinned)
    assert "://" not in text
