"""The pages on workers in any language and on the Python client do what they say, against the real service."""

import os
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from tenure.cli.main import main
from tenure.client import Client
from tests.client.serving import Served, serving
from tests.client.shedding import shedding
from tests.docs import pages
from tests.docs.conftest import Play

WORKER, CLIENT = pages.how_to("worker-in-any-language"), pages.how_to("python-client")
PATIENCE = 60.0
needs_tools = pytest.mark.skipif(
    any(shutil.which(tool) is None for tool in ("sh", "curl", "jq")), reason="sh, curl or jq is not installed"
)


@pytest.fixture
def served(folder: Path) -> Iterator[Served]:
    with serving(f"sqlite:///{folder / 'tenure.db'}", sweep=0.2) as running:
        yield running


@pytest.fixture
def chief(served: Served) -> Client:
    client = served.client()
    client.set_kind("count-words")
    client.set_kind("send-invoice")
    return client


class Shells:
    """Processes of the page's script, as it stands there."""

    def __init__(self, served: Served, folder: Path) -> None:
        self._served, self._folder = served, folder
        self._started: list[subprocess.Popen[bytes]] = []

    def start(
        self, name: str, work: str | None = None, kind: str = "count-words", **environ: str
    ) -> subprocess.Popen[bytes]:
        """work, kind: in the place of the page's own."""
        (block,) = (block for block in pages.blocks(WORKER, "sh") if block.title == "worker.sh")
        text = block.text if work is None else block.text.replace("exec jq '{words", f"{work}\n  exec jq '{{words")
        script = self._folder / f"{name}.sh"
        script.write_text(text.replace('["count-words"]', f'["{kind}"]'), encoding="utf-8")
        known = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "TMPDIR")}
        known |= {"TENURE_URL": self._served.url, "TMPDIR": str(self._folder), **environ}
        if "TENURE_KEY" not in known:
            known["TENURE_KEY"] = self._served.key("worker", name, kinds=["count-words"])
        with (self._folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(["sh", str(script)], env=known, stdout=log, stderr=log, start_new_session=True)
        self._started.append(process)
        return process

    def said(self, name: str) -> str:
        return (self._folder / f"{name}.log").read_text(encoding="utf-8")

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """With its heartbeats: a group of its own."""
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def close(self) -> None:
        for process in self._started:
            if process.poll() is None:
                self.kill(process)


@pytest.fixture
def shells(served: Served, folder: Path) -> Iterator[Shells]:
    made = Shells(served, folder)
    yield made
    made.close()


def until(holds: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.05)


def becomes(client: Client, job_id: str, state: str) -> None:
    until(lambda: client.job(job_id).state == state)


@needs_tools
def test_the_shell_loop_is_a_complete_worker(shells: Shells, chief: Client) -> None:
    process = shells.start("shell-1")
    jobs = [chief.enqueue("count-words", {"text": text}).id for text in ("to be or not", "to be")]
    broken = chief.enqueue("count-words", {"text": 7}, max_retries=0).id
    for job_id in jobs:
        becomes(chief, job_id, "succeeded")
    becomes(chief, broken, "failed")
    assert [chief.job(job_id).result for job_id in jobs] == [{"words": 4}, {"words": 2}]
    (attempt,) = chief.attempts(broken)
    assert (attempt.worker_id, attempt.error_class, attempt.error_code) == ("shell-1", "unknown", "failed")
    assert "cannot be matched" in str(attempt.error)
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE) == 0
    assert chief.workers() == []


@needs_tools
def test_the_shell_loop_keeps_its_lease_and_hears_of_cancellation(shells: Shells, chief: Client) -> None:
    shells.start("shell-1", "sleep 8", LEASE_SECONDS="6")
    long = chief.enqueue("count-words", {"text": "to be"}).id
    becomes(chief, long, "succeeded")
    assert len(chief.attempts(long)) == 1
    cancelled = chief.enqueue("count-words", {"text": "or not"}).id
    becomes(chief, cancelled, "running")
    chief.cancel(cancelled)
    becomes(chief, cancelled, "cancelled")


@needs_tools
@pytest.mark.parametrize(
    ("result", "code"), [(r'"a\\u0000b"', "result_nul_character"), ('"%0300000d"', "report_refused")]
)
def test_the_shell_loop_does_no_work_again_whose_result_is_not_taken(
    shells: Shells, chief: Client, result: str, code: str
) -> None:
    job = chief.enqueue("count-words", {"text": "to be"}).id
    shells.start("shell-1", f"printf '{result}' 1; exit 0")
    becomes(chief, job, "failed")
    (attempt,) = chief.attempts(job)
    assert (attempt.error_class, attempt.error_code) == ("terminal", code)


@needs_tools
def test_the_shell_loop_gives_back_what_does_not_end_within_its_grace(
    shells: Shells, chief: Client, folder: Path
) -> None:
    process = shells.start("shell-1", f"touch {folder}/begun; exec sleep 600", GRACE_SECONDS="1")
    job_id = chief.enqueue("count-words", {"text": "to be"}).id
    until((folder / "begun").exists)
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE) == 0
    assert chief.job(job_id).state == "ready"
    (attempt,) = chief.attempts(job_id)
    assert attempt.outcome == "released"


@needs_tools
def test_what_fails_by_itself_while_the_shell_loop_leaves_is_a_failure(
    shells: Shells, chief: Client, folder: Path
) -> None:
    process = shells.start("shell-1", f"touch {folder}/begun; until [ -e {folder}/go ]; do sleep 0.1; done; exit 7")
    job_id = chief.enqueue("count-words", {"text": "to be"}, max_retries=0).id
    until((folder / "begun").exists)
    process.send_signal(signal.SIGTERM)
    (folder / "go").touch()
    assert process.wait(PATIENCE) == 0
    (attempt,) = chief.attempts(job_id)
    assert (attempt.outcome, attempt.error_code) == ("failed", "failed")


@needs_tools
def test_work_that_is_over_before_its_heartbeats_begin_does_not_hold_up_the_shell_loop(
    shells: Shells, chief: Client
) -> None:
    shells.start("shell-1", "exit 7")
    jobs = [chief.enqueue("count-words", {"text": "to be"}, max_retries=0).id for _ in range(12)]
    for job_id in jobs:
        becomes(chief, job_id, "failed")


@needs_tools
def test_the_shell_loop_leaves_nothing_behind(shells: Shells, chief: Client, folder: Path) -> None:
    process = shells.start("shell-1")
    jobs = [chief.enqueue("count-words", {"text": "to be"}).id for _ in range(3)]
    for job_id in jobs:
        becomes(chief, job_id, "succeeded")
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE) == 0
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    assert not list(folder.glob("tmp.*"))


@needs_tools
def test_a_wrong_key_address_or_kind_ends_the_shell_loop_with_a_word(
    shells: Shells, served: Served, chief: Client
) -> None:
    keys = {"stranger": "tenure_wrong", "producer": served.key("producer", "web")}
    assert [shells.start(name, TENURE_KEY=key).wait(PATIENCE) for name, key in keys.items()] == [1, 1]
    assert shells.said("stranger").startswith("401 unauthenticated: ")
    assert shells.said("producer").startswith("403 role_forbidden: ")
    assert shells.start("lost", TENURE_URL=f"{served.url}/elsewhere").wait(PATIENCE) == 1
    assert shells.said("lost").startswith("404 ")
    other = served.key("worker", "w9")
    assert shells.start("other", kind="unheard-of", TENURE_KEY=other).wait(PATIENCE) == 1
    assert shells.said("other").startswith("422 unknown_kind: types[0]: ")


@needs_tools
def test_the_shell_loop_waits_as_long_as_the_service_says_and_hears_a_signal_meanwhile(shells: Shells) -> None:
    with shedding() as url:
        process = shells.start("shell-1", TENURE_URL=url)
        until(lambda: "claim: 503, again in 600 s" in shells.said("shell-1"))
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0


@needs_tools
def test_after_kill_9_of_the_shell_loop_another_does_the_job(shells: Shells, chief: Client) -> None:
    first = shells.start("shell-1", "sleep 600", LEASE_SECONDS="2")
    job_id = chief.enqueue("count-words", {"text": "to be"}).id
    becomes(chief, job_id, "running")
    shells.kill(first)
    shells.start("shell-2")
    becomes(chief, job_id, "succeeded")
    assert [attempt.outcome for attempt in chief.attempts(job_id)] == ["lease_expired", "succeeded"]


def test_the_blocks_of_the_page_on_the_client_run(
    served: Served, chief: Client, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TENURE_URL", served.url)
    monkeypatch.setenv("TENURE_KEY", served.key("admin", "web"))
    first, *others = pages.blocks(CLIENT, "python")
    here = first._replace(text=first.text.replace('"http://127.0.0.1:8000", "tenure_…"', ""))
    names = play([here])
    assert names["job"].created
    worker = served.client("worker", "w1")
    taken = worker.claim()
    assert taken is not None
    worker.fail(taken.id, taken.lease_token, "no mail server", error_class="terminal")
    names = play(others, **names)
    names["impatient"].close()
    assert chief.job(taken.id).state == "ready"
    assert ([item.status for item in names["items"]], names["refused"]) == ([201] * 3, [])


def test_the_first_block_of_the_page_on_the_client_runs_on_a_fresh_service(
    folder: Path, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    naming, declaring = pages.blocks(CLIENT, "sh")[1].text.splitlines()
    name, _is, url = naming.partition("  #")[0].strip().removeprefix("export ").partition("=")
    monkeypatch.setenv(name, url)
    with serving(url, sweep=0.2) as fresh:
        done = CliRunner().invoke(main, shlex.split(declaring)[1:])
        assert done.exit_code == 0, done.output
        monkeypatch.setenv("TENURE_URL", fresh.url)
        monkeypatch.setenv("TENURE_KEY", fresh.key("producer", "web"))
        first = pages.blocks(CLIENT, "python")[0]
        names = play([first._replace(text=first.text.replace('"http://127.0.0.1:8000", "tenure_…"', ""))])
        assert names["job"].created


def test_what_the_page_says_of_timeouts_is_so() -> None:
    from tenure.client.call import NEVER_TWICE
    from tenure.client.sending import PATIENCE, TIMEOUT

    text = CLIENT.read_text(encoding="utf-8")
    assert f"`patience` ({PATIENCE:g} s)" in text
    assert f"`timeout` ({TIMEOUT:g} s)" in text
    assert all(f"`{name}`" in text for name in NEVER_TWICE)
