"""The supervisor keeps its children running; the children here are a few lines of Python."""

import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tenure.engine import exit_codes
from tenure.engine.supervisor import Child, Supervisor
from tests.engine.living import until
from tests.engine.workshop import WAIT

STEADY = """
import pathlib, signal, sys
file = pathlib.Path(sys.argv[sys.argv.index("--health-file") + 1])
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
file.write_text("{}")
sys.stdin.read()
"""

HUNG_AT_ITS_START = """
import os, pathlib, signal, sys, time
file = pathlib.Path(sys.argv[sys.argv.index("--health-file") + 1])
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
flag = pathlib.Path(sys.argv[1])
if flag.exists():
    flag.with_name("hung").write_text(str(os.getpid()))
    sys.stdin.read()
file.write_text("{}")
sys.stdin.read()
"""

BAD_WHILE_A_FLAG_STANDS = """
import pathlib, signal, sys
flag = pathlib.Path(sys.argv[1])
file = pathlib.Path(sys.argv[sys.argv.index("--health-file") + 1])
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
if flag.exists():
    flag.with_name("refused").write_text("")
    sys.exit(13)
file.write_text("{}")
sys.stdin.read()
"""

RECYCLING_ONCE = """
import pathlib, signal, sys
flag = pathlib.Path(sys.argv[1])
file = pathlib.Path(sys.argv[sys.argv.index("--health-file") + 1])
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
file.write_text("{}")
if not flag.exists():
    flag.write_text("")
    sys.exit(12)
sys.stdin.read()
"""

LEAVING_WITH = """
import pathlib, signal, sys
code = int(sys.argv[1])
file = pathlib.Path(sys.argv[sys.argv.index("--health-file") + 1])
signal.signal(signal.SIGTERM, lambda *_: sys.exit(code))
file.write_text("{}")
sys.stdin.read()
"""


class Watched:
    """A supervisor in a thread of the test."""

    def __init__(self, supervisor: Supervisor) -> None:
        self.supervisor = supervisor
        self.code: int | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self.code = self.supervisor.run()

    def left(self) -> int | None:
        self._thread.join(WAIT)
        assert not self._thread.is_alive()
        return self.code


@contextmanager
def supervising(
    program: str, *words: str, processes: int = 2, ready_within: float = WAIT, health_file: str | None = None
) -> Iterator[Watched]:
    command = [sys.executable, "-c", program, *words]
    watched = Watched(Supervisor(command, processes, grace=0.5, ready_within=ready_within, health_file=health_file))
    try:
        yield watched
    finally:
        watched.supervisor.stop()
        watched.left()


def ready(watched: Watched) -> list[int]:
    until(watched.supervisor.is_ready, "every child is ready")
    return watched.supervisor.pids()


def test_a_dead_child_is_replaced_and_its_siblings_are_untouched() -> None:
    with supervising(STEADY, processes=3) as watched:
        first, *siblings = ready(watched)
        os.kill(first, signal.SIGKILL)
        until(lambda: watched.supervisor.is_ready() and first not in watched.supervisor.pids())
        assert watched.supervisor.pids()[1:] == siblings
    assert watched.code == exit_codes.OK


def test_a_child_that_does_not_get_ready_is_killed_and_replaced_while_the_others_work_on(tmp_path: Path) -> None:
    """B04 · Alive is not ready."""
    flag, hung = tmp_path / "flag", tmp_path / "hung"
    with supervising(HUNG_AT_ITS_START, str(flag), ready_within=2.0) as watched:
        first, sibling = ready(watched)
        flag.touch()
        os.kill(first, signal.SIGKILL)
        stuck = int(until(lambda: hung.exists() and hung.read_text()))
        assert not watched.supervisor.is_ready()
        flag.unlink()
        until(watched.supervisor.is_ready)
        assert stuck not in watched.supervisor.pids()
        assert sibling in watched.supervisor.pids()


def test_a_machine_without_room_for_a_process_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    start, refusals = Child.start, [OSError("no room"), OSError("no room")]

    def start_later(child: Child) -> None:
        if refusals:
            raise refusals.pop()
        start(child)

    monkeypatch.setattr(Child, "start", start_later)
    with supervising(STEADY) as watched:
        ready(watched)
        assert refusals == []


def test_a_bad_start_of_the_first_children_gives_up_with_its_code(tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    flag.touch()
    with supervising(BAD_WHILE_A_FLAG_STANDS, str(flag)) as watched:
        assert watched.left() == exit_codes.BAD_START


def test_a_bad_start_of_a_replacement_takes_no_sibling_with_it(tmp_path: Path) -> None:
    flag, refused = tmp_path / "flag", tmp_path / "refused"
    with supervising(BAD_WHILE_A_FLAG_STANDS, str(flag)) as watched:
        first, sibling = ready(watched)
        flag.touch()
        os.kill(first, signal.SIGKILL)
        until(refused.exists)
        flag.unlink()
        until(watched.supervisor.is_ready)
        assert sibling in watched.supervisor.pids()


def test_a_child_that_recycles_is_replaced_at_once(tmp_path: Path) -> None:
    with supervising(RECYCLING_ONCE, str(tmp_path / "flag"), processes=1) as watched:
        until(lambda: (tmp_path / "flag").exists() and watched.supervisor.is_ready())
        assert len(watched.supervisor.pids()) == 1


@pytest.mark.parametrize("code", [exit_codes.OK, exit_codes.GRACE_OVER, exit_codes.STORE_LOST])
def test_the_gravest_code_of_the_children_at_the_end_is_the_supervisors(code: int) -> None:
    with supervising(LEAVING_WITH, str(code)) as watched:
        ready(watched)
    assert watched.code == code


def test_a_death_long_before_the_end_leaves_no_trace_in_the_exit_code() -> None:
    with supervising(STEADY) as watched:
        first, _ = ready(watched)
        os.kill(first, signal.SIGKILL)
        until(lambda: first not in watched.supervisor.pids())
    assert watched.code == exit_codes.OK


def test_children_leave_when_their_supervisor_is_killed(tmp_path: Path) -> None:
    import subprocess

    program = (
        "import sys\n"
        "from tenure.engine.supervisor import Supervisor\n"
        f"Supervisor([sys.executable, '-c', {STEADY!r}], 1, grace=1.0).run()\n"
    )
    supervisor = subprocess.Popen([sys.executable, "-c", program])
    try:
        (child,) = until(lambda: children_of(supervisor.pid))
    finally:
        supervisor.kill()
        supervisor.wait(WAIT)
    until(lambda: not Path(f"/proc/{child}").exists() or is_zombie(child))


def children_of(pid: int) -> list[int]:
    file = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(one) for one in file.read_text().split()] if file.exists() else []


def is_zombie(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"


WELL = STEADY.replace('"{}"', "'{\"well\": true}'")


def test_the_health_of_all_children_stands_in_one_file(tmp_path: Path) -> None:
    file = tmp_path / "health.json"
    with supervising(WELL, health_file=str(file)) as watched:
        until(lambda: file.exists() and json.loads(file.read_text())["well"], "both children are well")
        told = json.loads(file.read_text())
        assert [child["pid"] for child in told["children"]] == watched.supervisor.pids()
        assert told["state"] == "running"


def test_a_child_that_is_not_well_makes_all_unwell(tmp_path: Path) -> None:
    file = tmp_path / "health.json"
    with supervising(STEADY, health_file=str(file)) as watched:
        ready(watched)
        assert not watched.supervisor.health("running").well
        assert [child["health"] for child in watched.supervisor.health("running").children] == [{}, {}]
