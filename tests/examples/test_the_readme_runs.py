"""The lines of the README do what it says."""

import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def test_its_five_lines_and_the_worker_run_a_job_to_its_end_and_its_command_lists_it(tmp_path: Path) -> None:
    declaring, enqueueing, _effect = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "letters.py").write_text(declaring, encoding="utf-8")
    subprocess.run([sys.executable, "-c", enqueueing], cwd=tmp_path, check=True)
    worker = subprocess.Popen([sys.executable, "-m", "tenure", "worker", "letters:app"], cwd=tmp_path)
    try:
        waiting = (
            "from letters import app; from tenure.core.job_filter import JobFilter; store = app.opened();"
            "job, = store.run(store.verbs.list_jobs(JobFilter(), None, 9)); print(app.get(job.id).result(timeout=30))"
        )
        found = subprocess.run(
            [sys.executable, "-c", waiting], cwd=tmp_path, check=True, capture_output=True, text=True
        ).stdout
        (listing,) = re.findall(r"^tenure (jobs list [^#\n]*\S) +#", README.read_text(encoding="utf-8"), re.MULTILINE)
        listed = subprocess.run(
            [sys.executable, "-m", "tenure", *shlex.split(listing)],
            cwd=tmp_path,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(30) == 0
    finally:
        worker.kill()
        worker.wait()
    assert found == "{'sent_to': 'customer 91'}\n"
    assert re.search(r"send_letter +succeeded", listed)


def test_every_file_that_it_links_to_exists() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README.read_text(encoding="utf-8"))
    assert [link for link in links if not (README.parent / link).exists()] == []
