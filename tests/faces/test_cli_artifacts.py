"""`tenure artifacts`: a sweep takes what nobody will finish, and nothing else."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

from click.testing import Result

from tenure.core.ledger.artifact import Aside

Run = Callable[..., Result]


def test_a_sweep_removes_old_files_that_were_written_aside(tenure: Run, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    old, young = (Aside(str(uuid4()), 1, "a.pdf").name for _ in range(2))
    for name in (old, young, "a.pdf", ".hidden.part"):
        (folder / name).write_bytes(b"half")
    for name in (old, "a.pdf", ".hidden.part"):
        os.utime(folder / name, (0, 0))
    swept = tenure("artifacts", "sweep", f"{folder}/")
    assert (swept.exit_code, swept.stdout) == (0, f"{old}\n1 removed\n")
    assert sorted(path.name for path in folder.iterdir()) == sorted([young, "a.pdf", ".hidden.part"])
    again = tenure("artifacts", "sweep", str(folder), "--older-than", "0", "--json")
    assert json.loads(again.stdout) == {"removed": [young]}


def test_a_sweep_of_another_file_system_needs_no_other_word(tenure: Run) -> None:
    import fsspec

    folder = f"/{uuid4()}"
    files, name = fsspec.filesystem("memory"), Aside(str(uuid4()), 1, "a.pdf").name
    files.pipe_file(f"{folder}/{name}", b"half")
    swept = tenure("artifacts", "sweep", f"memory:/{folder}", "--older-than", "0")
    assert (swept.exit_code, swept.stdout) == (0, f"{name}\n1 removed\n")


def test_a_folder_that_is_not_there_holds_nothing(tenure: Run, tmp_path: Path) -> None:
    assert tenure("artifacts", "sweep", str(tmp_path / "nowhere")).stdout == "0 removed\n"
