"""The page on encryption does what it says."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tenure import Tenure
from tenure.cli.main import main
from tenure.stores.sealing.keyring import Keyring
from tests.docs import pages

PAGE = pages.how_to("encryption")


def made_key(number: int) -> str:
    """What the command of the page prints, under another id each time."""
    (line,) = [line for line in pages.lines(PAGE) if line.startswith("python -c")]
    _, *arguments = shlex.split(line)
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.strip().replace("2026a", f"2026{number}")


def test_a_key_made_as_the_page_says_seals_and_changes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = made_key(1), made_key(2)
    assert Keyring(f"{new},{old}").ids == ("20262", "20261")
    with_old = Tenure("sqlite:///shop.db", encryption_keys=old)
    job = with_old.task(kind="letter")(lambda to: to).enqueue(to="ada")
    with_old.close()
    monkeypatch.setenv("TENURE_DATABASE_URL", "sqlite:///shop.db")
    monkeypatch.setenv("TENURE_ENCRYPTION_KEYS", f"{new},{old}")
    assert CliRunner().invoke(main, ["reseal"]).exit_code == 0
    assert "nothing rests under key 20261: take it out" in CliRunner().invoke(main, ["doctor"]).output
    with_new = Tenure("sqlite:///shop.db", encryption_keys=new)
    found = with_new.get(job.id)
    assert found is not None
    assert found.row.payload == '{"to":"ada"}'
    with_new.close()
