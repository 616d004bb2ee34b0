"""`tenure worker`, `up` and `demo` as processes of their own."""

import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from tenure import Misconfigured, Tenure
from tenure.cli import exit_codes
from tenure.cli.main import COMMANDS
from tenure.engine import exit_codes as worker_codes
from tenure.testing import assert_enqueued
from tests.processes import Child, Start
from tests.sealing_keys import said

Run = Callable[..., Result]
PATIENCE = 60


@pytest.fixture
def producer(tenure: Run, shop: Tenure) -> Tenure:
    """Knows the kinds of `shop:app` from the database alone."""
    assert tenure("kinds", "set", "shop:app").exit_code == 0
    return shop


def ended(child: Child) -> tuple[int, str]:
    """Asks a worker to drain; its exit code and its log."""
    child.send_signal(signal.SIGTERM)
    log = child.communicate(timeout=PATIENCE)[1]
    return child.returncode, log


def test_a_worker_runs_the_jobs_of_its_tasks_queues_and_drains(producer: Tenure, start: Start) -> None:
    child = start("worker", "shop:app", "--poll", "0.05")
    job = producer.enqueue("letter", {"to": "ada", "pages": 3})
    assert job.result(timeout=PATIENCE) == {"to": "ada"}
    assert job.row.attempt == 3
    code, log = ended(child)
    assert (code, "Traceback" in log) == (worker_codes.OK, False)
    assert "queues default, post" in log


def test_a_worker_serves_only_the_queues_that_it_is_told(producer: Tenure, start: Start) -> None:
    other = producer.enqueue("letter", {"to": "ada"})
    child = start("worker", "shop:app", "--queues", "default, other", "--poll", "0.05")
    assert producer.enqueue("slow", {"seconds": 0}).result(timeout=PATIENCE) is None
    assert other.refresh().state == "ready"
    assert ended(child)[0] == 0


def test_the_settings_file_may_list_the_queues(producer: Tenure, start: Start, folder: Path) -> None:
    (folder / "tenure.toml").write_text('app = "shop:app"\nqueues = ["post", "other"]\npoll = 0.05\n')
    child = start("worker")
    job = producer.enqueue("letter", {"to": "ada"})
    assert job.result(timeout=PATIENCE) == {"to": "ada"}
    assert "queues post, other" in ended(child)[1]


def test_queues_that_name_nothing_are_refused(start: Start) -> None:
    child = start("worker", "shop:app", "--queues", ", ")
    assert "a name is blank" in child.communicate(timeout=PATIENCE)[1]
    assert child.returncode == exit_codes.USAGE


@pytest.mark.parametrize("said", ["0", "10001", "many"])
def test_a_number_of_connections_that_is_none_is_refused_by_name(
    tenure: Run, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    refused = tenure("worker", "shop:app", "--database-connections", said)
    assert (refused.exit_code, "'--database-connections'" in refused.stderr) == (exit_codes.USAGE, True)
    monkeypatch.setenv("TENURE_DATABASE_CONNECTIONS", said)
    refused = tenure("worker", "shop:app")
    assert (refused.exit_code, "TENURE_DATABASE_CONNECTIONS" in refused.stderr) == (exit_codes.USAGE, True)


@pytest.mark.parametrize(
    ("flags", "variable", "in_code", "file", "counts"),
    [
        (("--database-connections", "4"), "5", "6", "7", 4),
        ((), "5", "6", "7", 6),
        ((), "5", "None", "7", 5),
        ((), None, "None", "7", 7),
        ((), None, "None", None, None),
    ],
)
def test_the_number_of_connections_is_the_flags_then_the_applications_then_that_of_its_surroundings(
    tenure: Run,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    flags: tuple[str, ...],
    variable: str | None,
    in_code: str,
    file: str | None,
    counts: int | None,
) -> None:
    code = (
        f"from tenure import Tenure\napp = Tenure(database_connections={in_code})\napp.task(kind='one')(lambda: None)\n"
    )
    (folder / "shop.py").write_text(code)
    if file is not None:
        (folder / "tenure.toml").write_text(f"database_connections = {file}\n")
    if variable is not None:
        monkeypatch.setenv("TENURE_DATABASE_CONNECTIONS", variable)
    told: list[int | None] = []

    def worker(app: Tenure, **options: Any) -> None:
        told.append(app.database.connections)
        raise Misconfigured("far enough")

    monkeypatch.setattr(Tenure, "worker", worker)
    assert tenure("worker", "shop:app", *flags).exit_code == worker_codes.BAD_START
    assert told == [counts]


def test_a_job_that_outlasts_the_grace_is_released_and_the_code_says_so(
    producer: Tenure, start: Start, folder: Path
) -> None:
    child = start("worker", "shop:app", "--shutdown-grace", "0.1", "--poll", "0.05")
    job = producer.enqueue("slow", {"seconds": 60})
    while not (folder / "begun").exists():
        assert child.poll() is None
    assert ended(child)[0] == worker_codes.GRACE_OVER
    assert job.refresh().state == "ready"


def test_several_processes_work_under_one_and_leave_with_it(producer: Tenure, start: Start) -> None:
    child = start("worker", "shop:app", "--processes", "2", "--poll", "0.05", "--shutdown-grace", "5")
    jobs = producer.enqueue_many([producer.item("letter", {"to": f"n{n}"}) for n in range(20)])
    assert [job.result(timeout=PATIENCE)["to"] for job in jobs] == [f"n{n}" for n in range(20)]
    assert ended(child)[0] == 0


@pytest.mark.parametrize("said_by", ["a variable", "the file"])
def test_processes_are_so_many_and_no_more_whoever_says_how_many(
    producer: Tenure, start: Start, folder: Path, said_by: str
) -> None:
    """A child must not take the number for its own: it would start children, and those theirs."""
    if said_by == "the file":
        (folder / "tenure.toml").write_text("processes = 2\n")
    environment = {"TENURE_PROCESSES": "2"} if said_by == "a variable" else {}
    child = start("worker", "shop:app", "--poll", "0.05", "--shutdown-grace", "5", **environment)
    assert producer.enqueue("letter", {"to": "ada"}).result(timeout=PATIENCE / 6) == {"to": "ada"}
    code, log = ended(child)
    assert (code, log.count(" started\n")) == (0, 2)


def test_a_handler_apart_runs_in_a_process_of_its_own(producer: Tenure, start: Start) -> None:
    child = start("worker", "shop:app", "--poll", "0.05")
    pid = producer.enqueue("apart", {}).result(timeout=PATIENCE)
    assert pid not in (child.pid, os.getpid())
    assert ended(child)[0] == 0


@pytest.mark.parametrize("processes", ["1", "2"])
def test_a_handler_apart_enqueues_where_its_worker_was_told_to_work(
    folder: Path, tenure: Run, start: Start, processes: str
) -> None:
    assert tenure("kinds", "set", "shop:app", "--database", "sqlite:///other.db").exit_code == 0
    other = Tenure("sqlite:///other.db")
    child = start("worker", "shop:app", "--processes", processes, "--poll", "0.05", "--database", "sqlite:///other.db")
    pid = other.enqueue("apart", {}).result(timeout=PATIENCE)
    assert assert_enqueued(other, "letter", to=str(pid)).result(timeout=PATIENCE) == {"to": str(pid)}
    assert not (folder / "tenure.db").exists()
    other.close()
    assert ended(child)[0] == 0


def test_a_workers_options_come_from_the_environment_and_the_file_too(
    producer: Tenure, start: Start, folder: Path
) -> None:
    (folder / "tenure.toml").write_text('app = "shop:app"\nslots = 7\nqueues = "post"\npoll = 0.05\n')
    child = start("worker", TENURE_SLOTS="9")
    producer.enqueue("letter", {"to": "ada"}).result(timeout=PATIENCE)
    assert "9 slots, queues post" in ended(child)[1]


def test_a_worker_says_which_database_it_works_on_since_what_the_code_names_goes_before_the_variable(
    start: Start, folder: Path, tenure: Run
) -> None:
    named = 'from tenure import Tenure\napp = Tenure("sqlite:///fixed.db")\n'
    (folder / "fixed.py").write_text(named + "@app.task()\ndef rest() -> None: ...\n")
    child = start("worker", "fixed:app", TENURE_DATABASE_URL="sqlite:///elsewhere.db")
    assert child.stderr is not None
    assert child.stderr.readline().endswith("the jobs are in the database sqlite:///fixed.db\n")
    assert "slots, queues" in child.stderr.readline(), "it drains from here on"
    assert ended(child)[0] == 0


def test_connections_that_cannot_be_closed_are_told_and_change_the_exit_code(start: Start, folder: Path) -> None:
    (folder / "broken.py").write_text(
        "from tenure import Tenure\n"
        "class Broken(Tenure):\n"
        "    def close(self) -> None:\n"
        "        super().close()\n"
        "        raise OSError('the disk is gone')\n"
        "app = Broken('sqlite:///broken.db')\n"
        "@app.task()\n"
        "def rest() -> None: ...\n"
    )
    child = start("worker", "broken:app")
    assert child.stderr is not None
    assert any("slots, queues" in line for line in child.stderr)
    code, log = ended(child)
    assert (code, "the disk is gone" in log) == (worker_codes.SHUTDOWN_ERROR, True)


@pytest.mark.parametrize("said", ["after_handlr:kill", "after_handler", "after_handler:stop"])
def test_a_barrier_that_names_no_point_is_told_in_one_line_by_the_worker_and_keeps_nobody_else_from_his_work(
    producer: Tenure, start: Start, said: str
) -> None:
    child = start("worker", "shop:app", TENURE_BARRIER=said)
    log = child.communicate(timeout=PATIENCE)[1]
    assert child.returncode == worker_codes.BAD_START
    assert log.startswith(
        f"Error: TENURE_BARRIER must be name:kill, name:stop:/file or name:freeze:/file, not '{said}'"
    )
    assert (log.count("\n"), "before_handler" in log) == (1, True)
    listing = start("jobs", "list", TENURE_BARRIER=said)
    assert listing.wait(PATIENCE) == exit_codes.OK


def test_up_migrates_and_runs_everything(start: Start, folder: Path, tenure: Run) -> None:
    child = start("up", "shop:app", "--port", "0")
    line = child.stderr.readline() if child.stderr else ""
    assert line == "applied 0001_jobs_and_attempts\n"
    made = json.loads(tenure("enqueue", "letter", '{"to": "ada"}', "--app", "shop:app", "--json").output)
    looking = Tenure("sqlite:///tenure.db")
    job = looking.get(made["id"])
    assert job is not None
    assert job.result(timeout=PATIENCE) == {"to": "ada"}
    looking.close()
    assert ended(child)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere:app"], "no module"),
        (["shop.py:app"], "Write shop:app"),
        (["shop"], "Write for instance shop:app."),
        (["shop:letter"], "'shop:letter' names no Tenure application (misconfigured). Write shop:app."),
        (["json:loads"], "json has none"),
        (["shop:nothing"], "has no"),
        (["shop:ap"], "Did you mean 'app'?"),
        (["shop:app", "--database", "mysql://x/y"], "no store"),
        (["shop:app", "--database", "tenure.db"], "without a scheme (misconfigured). Write sqlite:///file.db"),
        (["shop:app", "--url", "jobs.example.com"], "has no scheme (misconfigured). Write for instance https://"),
        ([], "no application is named"),
    ],
)
def test_a_worker_that_cannot_start_says_why_and_has_its_code(tenure: Run, arguments: list[str], words: str) -> None:
    done = tenure("worker", *arguments)
    assert done.exit_code == worker_codes.BAD_START
    assert words in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "command", [("worker", "shop:app"), ("up", "shop:app", "--port", "0"), ("serve", "shop:app", "--port", "0")]
)
def test_who_lacks_the_key_of_jobs_that_wait_says_which_and_does_not_start(
    tenure: Run, producer: Tenure, command: tuple[str, ...]
) -> None:
    owner = Tenure(producer.url, encryption_keys=said("2026a"))
    job_id = owner.enqueue("slow", {"seconds": 0}).id
    owner.close()
    refused = tenure(*command)
    assert refused.exit_code == worker_codes.BAD_START
    assert (
        f"sealed with key '2026a', which this process lacks: job {job_id}, for one (sealed_key_missing)"
        in refused.stderr
    )
    assert producer.get(job_id).state == "ready"


@pytest.mark.parametrize("command", [["worker"], ["worker", "--processes", "2"], ["up"]])
def test_a_module_that_fails_is_shown_with_its_traceback_and_the_worker_has_its_code(
    start: Start, folder: Path, command: list[str]
) -> None:
    (folder / "broken.py").write_text('raise ValueError("the config is missing")\n')
    child = start(*command, "broken:app")
    told = child.communicate(timeout=PATIENCE)[1]
    assert child.returncode == worker_codes.BAD_START
    assert 'broken.py", line 1' in told
    assert "ValueError: the config is missing" in told
    assert told.splitlines()[-1].startswith("Error: the module of 'broken:app' cannot be imported")
    assert "click" not in told


def test_a_key_of_the_settings_file_that_nobody_reads_is_refused_by_name(tenure: Run, folder: Path) -> None:
    for key in ("slotz", "shutdown-grace", "lifeline"):
        (folder / "tenure.toml").write_text(f'app = "shop:app"\ndatabase_url = "sqlite:///tenure.db"\n{key} = 3\n')
        done = tenure("worker")
        assert (done.exit_code, f"has {key}, which nobody reads" in done.stderr) == (exit_codes.USAGE, True)
        assert ("Did you mean 'slots'?" in done.stderr) is (key == "slotz")


@pytest.mark.parametrize("command", [("worker", "shop:app"), ("publish-hints", "shop:app", "shop:letter")])
def test_a_health_file_that_cannot_be_written_is_refused_before_anything_runs(
    tenure: Run, folder: Path, command: tuple[str, ...]
) -> None:
    done = tenure(*command, "--health-file", str(folder / "nowhere" / "well.json"))
    assert done.exit_code == exit_codes.USAGE
    assert f"Invalid value for '--health-file': the folder {folder / 'nowhere'} is not there" in done.stderr.replace(
        " (env var: 'TENURE_HEALTH_FILE')", ""
    )
    assert not (folder / "tenure.db").exists()


def test_the_demonstration_ends_well(start: Start) -> None:
    child = start("demo")
    told = child.communicate(timeout=PATIENCE)[0]
    assert child.returncode == 0
    assert "Good morning, Grace." in told
    assert "no_such_number" in told
    assert "left with exit code 0" in told


def test_help_lists_every_command_and_exit_code_without_importing_them(tenure: Run) -> None:
    told = tenure("--help").output
    assert all(f"  {name} " in told for name in COMMANDS)
    assert max(map(len, told.splitlines())) <= 80
    table = " ".join(told.split("Exit codes:")[1].split())
    assert all(f"{code} {words}" in table for code, words in exit_codes.MEANINGS.items())
    program = (
        "import sys, tenure.cli.main as m; print([n for n in sys.modules if n.startswith('tenure.cli.commands.')])"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout == "[]\n"


def test_who_misspells_a_command_is_told_which_was_meant(tenure: Run) -> None:
    assert "Did you mean 'worker'?" in tenure("wroker", "shop:app").output
    assert "Did you mean 'list'?" in tenure("jobs", "lst").output
    assert tenure("wroker").exit_code == exit_codes.USAGE
    assert "No such option" in tenure("--wroker").output


@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_command_has_help(tenure: Run, command: str) -> None:
    assert tenure(command, "--help").exit_code == 0


def test_every_code_of_a_worker_has_its_meaning() -> None:
    codes = {value for name, value in vars(worker_codes).items() if name.isupper()}
    assert codes <= set(exit_codes.MEANINGS)


def test_an_unknown_command_is_a_usage_error(tenure: Run) -> None:
    assert tenure("dance").exit_code == exit_codes.USAGE


@pytest.mark.parametrize("name", ["httpx2", "httpcore2.connection"])
def test_the_command_line_keeps_the_urls_of_requests_out_of_its_log(tenure: Run, shop: Tenure, name: str) -> None:
    library = logging.getLogger(name.partition(".")[0])
    library.setLevel(logging.NOTSET)
    assert tenure("--log-level", "debug", "stats").exit_code == 0
    assert not logging.getLogger(name).isEnabledFor(logging.INFO)
    assert logging.getLogger(name).isEnabledFor(logging.WARNING)
