"""Supersession on the command line: `enqueue`, `enqueue-file`, `jobs show`, `kinds set`."""

import json
from collections.abc import Callable
from pathlib import Path

from click.testing import Result

from tenure import State, Tenure
from tenure.core.claim import Ability
from tenure.core.job import Policy
from tenure.operations.claim import claim
from tests.conformance.asking import request

Run = Callable[..., Result]


def enqueued(tenure: Run, *said: str) -> str:
    done = tenure("enqueue", "letter", '{"to": "ada"}', "--app", "shop:app", "--json", *said)
    assert done.exit_code == 0, done.output
    return str(json.loads(done.output)["id"])


def test_a_newer_job_takes_the_place_of_an_older_one_and_both_say_so(tenure: Run, shop: Tenure) -> None:
    older = enqueued(tenure, "--supersession-key", "ada")
    newer = enqueued(tenure, "--supersession-key", "ada", "--debounce", "60", "--max-wait", "90")
    shown = tenure("jobs", "show", older).output
    assert f"superseded by {newer}" in shown
    shown = " ".join(tenure("jobs", "show", newer).output.split())
    assert f"supersedes {older}" in shown
    assert "supersession key ada" in shown
    assert "runs when no newer one has come for" in shown
    assert json.loads(tenure("jobs", "show", newer, "--json").output)["job"]["supersedes"] == older
    assert older in tenure("jobs", "list", "--code", "superseded").output


def test_a_running_job_tells_of_a_newer_one(tenure: Run, shop: Tenure) -> None:
    older = enqueued(tenure, "--supersession-key", "ada")
    store = shop.opened()
    asked = request(1, ("letter",), queue="post", abilities=(Ability("letter", 3, 1),))
    (lease,) = store.run(claim(store.verbs, asked), "claim").leases
    newer = enqueued(tenure, "--supersession-key", "ada")
    assert lease.job_id == older
    assert f"newer {newer}: this one may complete" in " ".join(tenure("jobs", "show", older).output.split())
    assert json.loads(tenure("jobs", "show", older, "--json").output)["newer"] == newer
    assert json.loads(tenure("jobs", "show", newer, "--json").output)["newer"] is None


def test_lines_of_a_file_may_say_a_key(tenure: Run, shop: Tenure, folder: Path) -> None:
    line = json.dumps({"kind": "letter", "payload": {"to": "ada"}, "supersession_key": "k"})
    (folder / "jobs.jsonl").write_text(f"{line}\n{line}\n")
    assert "2 enqueued" in tenure("enqueue-file", "jobs.jsonl", "--app", "shop:app").output
    listed = json.loads(tenure("jobs", "list", "--json").output)["jobs"]
    assert sorted(job["state"] for job in listed) == [State.CANCELLED, State.READY]


def test_a_kind_is_told_whose_place_its_jobs_take(tenure: Run, shop: Tenure) -> None:
    done = tenure("kinds", "set", "--name", "mail", "--supersede-by", "to, from", "--debounce", "5")
    assert done.exit_code == 0, done.output
    store = shop.opened()
    assert store.run(store.verbs.kinds())["mail"].policy == Policy(supersede_by=("to", "from"), debounce=5.0)
    assert "max-wait" in tenure("kinds", "set", "--name", "mail", "--max-wait", "9").output
    assert tenure("kinds", "set", "--name", "mail", "--without", "supersession").exit_code == 0
    assert store.run(store.verbs.kinds())["mail"].policy == Policy()
