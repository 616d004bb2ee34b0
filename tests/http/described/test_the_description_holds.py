"""schemathesis against the served OpenAPI, with all checks on: what is described is what happens."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.client.serving import Served, serving

SETTINGS = """
hooks = "{hooks}"
continue-on-failure = true
request-timeout = 40.0
suppress-health-check = ["all"]

[generation]
allow-x00 = false

[checks.negative_data_rejection]
expected-statuses = ["400", "401", "403", "404", "405", "406", "409", "413", "415", "422", "428", "429"]
"""
"""413 is a refusal too; 5xx is none. That a document holds no NUL anywhere is nothing that a schema can say."""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(f"sqlite:///{tmp_path}/tenure.db", failures=10**9) as one:
        yield one


def judge(served: Served, folder: Path, *said: str, timeout: float) -> None:
    """Runs schemathesis as a caller with every right; nothing may be left over."""
    key = served.key("admin", "described", tenants=["*"], max_priority="critical")
    with httpx2.Client(base_url=served.url, headers={"authorization": f"Bearer {key}"}, trust_env=False) as client:
        assert client.put("/kinds/mail", json={}).status_code == 200
        settings = folder / "schemathesis.toml"
        settings.write_text(SETTINGS.format(hooks=Path(__file__).with_name("meaning.py")), encoding="utf-8")
        done = subprocess.run(
            [
                str(Path(sys.executable).with_name("schemathesis")), "--config-file", str(settings), "run",
                f"{served.url}/openapi.json", "--checks", "all", "-H", f"Authorization: Bearer {key}", "--no-color",
                "--warnings", "off", "--output-truncate", "true", *said,
            ],
            cwd=folder,
            env={**os.environ, "DESCRIBED_URL": served.url, "DESCRIBED_KEY": key},
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-20_000:] + done.stderr
        described = sum(len(methods) for methods in client.get("/openapi.json").json()["paths"].values())
        assert f"Tested: {described}" in done.stdout, done.stdout
        assert client.get("/keys").status_code == 200


@pytest.mark.timeout(420)
def test_what_is_described_is_what_happens(served: Served, tmp_path: Path) -> None:
    said = ("--generation-deterministic", "-n", "1", "--phases", "examples,coverage,fuzzing")
    judge(served, tmp_path, *said, timeout=400)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_what_is_described_is_what_happens_for_long_and_from_call_to_call(served: Served, tmp_path: Path) -> None:
    judge(served, tmp_path, "-n", "50", "--phases", "examples,coverage,fuzzing,stateful", timeout=1700)
