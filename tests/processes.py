"""The command line as processes of their own."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

Child = subprocess.Popen[str]
Start = Callable[..., Child]


@contextmanager
def starting(folder: Path) -> Iterator[Start]:
    """Starts `tenure …` in this folder, with these variables besides its own; what still lives at the end is killed."""
    started: list[Child] = []

    def run(*arguments: str, **environment: str) -> Child:
        child = subprocess.Popen(
            [sys.executable, "-m", "tenure", *arguments],
            env=os.environ | environment,
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(child)
        return child

    yield run
    for child in started:
        if child.poll() is None:
            child.kill()
        child.communicate()
