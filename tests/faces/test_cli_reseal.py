"""`tenure reseal`, and what `tenure doctor` and `tenure jobs` say of what is sealed."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from tenure import Tenure
from tenure.stores.resealing import Change
from tests.sealing_keys import said

Run = Callable[..., Result]
Keys = Callable[..., None]


@pytest.fixture
def keys(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Keys:
    """Sets TENURE_ENCRYPTION_KEYS to the keys of these ids."""

    def use(*ids: str) -> None:
        monkeypatch.setenv("TENURE_ENCRYPTION_KEYS", said(*ids))

    return use


def enqueued(count: int) -> list[str]:
    """So many jobs with a word in their payload, under whatever keys are set."""
    app = Tenure("sqlite:///tenure.db")
    task = app.task(kind="letter")(lambda to: to)
    ids = [task.enqueue(to="ada-lovelace").id for _ in range(count)]
    app.close()
    return ids


def encryption(tenure: Run) -> dict[str, list[str]]:
    """What `doctor` finds, by level."""
    findings = json.loads(tenure("doctor", "--json").output)["findings"]
    found: dict[str, list[str]] = {}
    for finding in findings:
        if finding["check"] == "encryption":
            found.setdefault(finding["level"], []).append(finding["words"])
    return found


def test_keys_change_without_a_pause(tenure: Run, shop: Tenure, keys: Keys, folder: Path) -> None:
    enqueued(3)
    assert encryption(tenure) == {"ok": ["no encryption key is configured, and nothing is sealed"]}
    keys("2026a")
    enqueued(2)
    found = encryption(tenure)
    assert found["ok"] == ["key 2026a seals, and 2 documents rest under it"]
    assert found["note"] == ["3 documents rest in plain text: run `tenure reseal`"]
    done = tenure("reseal", "--batch", "2")
    assert (done.exit_code, done.output) == (0, "3 documents sealed with key 2026a, 10 rows looked at\n")
    keys("2026b", "2026a")
    enqueued(1)
    assert encryption(tenure)["note"] == [
        "5 documents rest under the older key 2026a: `tenure reseal` seals them anew",
    ]
    told = json.loads(tenure("reseal", "--json", "--why", "yearly").output)
    assert told == {"key": "2026b", "rows": 12, "resealed": 5, "busy": 0, "unopened": {}}
    assert encryption(tenure)["note"][0].startswith("nothing rests under key 2026a: take it out")
    keys("2026b")
    assert encryption(tenure) == {"ok": ["key 2026b seals, and 6 documents rest under it"]}
    lines = json.loads(tenure("audit", "--json").output)
    assert "yearly" in json.dumps(lines)


def test_without_a_key_there_is_nothing_to_seal_with(tenure: Run, shop: Tenure) -> None:
    done = tenure("reseal")
    assert done.exit_code == 2
    assert "Set TENURE_ENCRYPTION_KEYS" in done.output


def test_a_missing_key_is_said_everywhere_and_stops_nothing(tenure: Run, shop: Tenure, keys: Keys) -> None:
    keys("a")
    (job_id,) = enqueued(1)
    keys("b")
    enqueued(1)
    assert encryption(tenure)["wrong"][0].startswith("1 document is sealed with key a, which is not among")
    assert tenure("doctor").exit_code == 1
    done = tenure("reseal")
    assert (done.exit_code, "1 of key a do not open" in done.output) == (1, True)
    assert "it is sealed with key 'a', which this process lacks" in tenure("jobs", "show", job_id).output
    told = json.loads(tenure("jobs", "show", job_id, "--json").output)
    assert '"sealed_with": "a"' in json.dumps(told)
    assert len(tenure("jobs", "list").output.splitlines()) == 3
    assert tenure("jobs", "list", "--json").exit_code == 0


def test_a_reason_that_no_database_can_hold_is_kept_as_far_as_it_can_be(tenure: Run, shop: Tenure, keys: Keys) -> None:
    keys("a")
    assert tenure("reseal", "--why", "yearly \udcff\0" + "x" * 10_000).exit_code == 0
    (line, *_) = json.loads(tenure("audit", "--json").output)["lines"]
    assert line["why"].startswith("yearly \ufffd\ufffdxxx")
    assert len(line["why"].encode()) <= 4096


def test_ids_of_keys_that_stand_in_the_table_do_not_steer_the_terminal(tenure: Run, shop: Tenure, keys: Keys) -> None:
    keys("a")
    (job_id,) = enqueued(1)
    store = shop.opened()
    (kept,) = store.run(store.verbs.documents("payload", None, 10, "x"))
    change = Change((job_id,), kept.text or "", "sealed:\x1b[2J:AAAA")
    assert store.run(store.verbs.replace_documents("payload", [change])) == 1
    assert "1 of key \\u001b[2J do not open" in tenure("reseal").output


def test_a_bad_key_is_one_line_that_does_not_show_it(
    tenure: Run, shop: Tenure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TENURE_ENCRYPTION_KEYS", "a:c2VjcmV0")
    done = tenure("stats")
    assert done.exit_code == 2
    assert "encryption_keys: key 1 ('a') is 6 bytes long, not 32 (bad_encryption_keys)" in done.output
    assert "c2VjcmV0" not in done.output


def test_the_settings_file_may_hold_the_keys(tenure: Run, shop: Tenure, folder: Path) -> None:
    (folder / "tenure.toml").write_text(f'database_url = "sqlite:///tenure.db"\nencryption_keys = "{said("file")}"\n')
    enqueued(1)
    assert encryption(tenure)["ok"] == ["key file seals, and 1 document rests under it"]
    assert tenure("worker", "shop:app", "--help").exit_code == 0


def test_a_worker_runs_what_is_sealed_also_in_child_processes(
    tenure: Run, shop: Tenure, keys: Keys, start: Callable[..., object]
) -> None:
    keys("a")
    app = Tenure("sqlite:///tenure.db")
    apart = app.task(kind="apart")(lambda: None).enqueue()
    app.close()
    worker = start("worker", "shop:app", TENURE_DATABASE_URL="sqlite:///tenure.db", TENURE_ENCRYPTION_KEYS=said("a"))
    try:
        reader = Tenure("sqlite:///tenure.db")
        result = reader.get(apart.id).result(timeout=30)  # type: ignore[union-attr]
        assert isinstance(result, int)
        reader.close()
    finally:
        worker.terminate()  # type: ignore[attr-defined]
        worker.wait(timeout=30)  # type: ignore[attr-defined]
