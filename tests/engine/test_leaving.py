"""A process leaves with its code, whatever threads its handlers left behind."""

import subprocess
import sys

import pytest

from tests.engine.troubled import WAIT

WITH_A_THREAD_LEFT_BEHIND = """
import threading
from tenure.engine.leaving import leave
threading.Thread(target=threading.Event().wait).start()
print("the last word")
leave(10)
"""

WITHOUT = """
import atexit
from tenure.engine.leaving import leave
atexit.register(print, "the last word")
leave(10)
"""


@pytest.mark.parametrize("program", [WITH_A_THREAD_LEFT_BEHIND, WITHOUT], ids=["a_thread_left_behind", "no_thread"])
def test_a_process_leaves_with_its_code_and_its_output_written(program: str) -> None:
    """B62 · A non-daemon thread left by a handler kept the process until the platform killed it."""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=WAIT, check=False)
    assert (ended.returncode, ended.stdout.strip()) == (10, b"the last word")
