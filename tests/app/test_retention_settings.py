"""How long payloads are kept is said by flag, variable or settings file, to the commands that prune."""

from datetime import timedelta
from typing import Any

import click
import pytest
from click.testing import CliRunner

from tenure.app.asking import retention_said, retention_settings
from tenure.core.retention import Retention


def said(*flags: str, env: dict[str, str] | None = None, file: dict[str, Any] | None = None) -> Retention:
    found: list[Retention] = []

    @click.command()
    @retention_settings
    def command(**said: Any) -> None:
        found.append(retention_said(said))
        assert said == {}

    done = CliRunner().invoke(command, flags, env=env, default_map=file, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return found[0]


def test_without_a_word_payloads_are_kept_as_long_as_their_job() -> None:
    assert said() == Retention()


def test_seconds_are_said_by_flag_variable_or_file() -> None:
    kept = Retention(payload=timedelta(seconds=60), payload_failed=timedelta(hours=1))
    assert said("--retention-payload=60", "--retention-payload-failed=3600") == kept
    assert said(env={"TENURE_RETENTION_PAYLOAD": "60", "TENURE_RETENTION_PAYLOAD_FAILED": "3600"}) == kept
    assert said(file={"retention_payload": 60, "retention_payload_failed": 3600}) == kept


@pytest.mark.parametrize("seconds", ["-1", "soon", "1e300", "nan"])
def test_what_is_no_length_of_time_is_refused(seconds: str) -> None:
    command = retention_settings(click.Command("prune", callback=lambda **_said: None))
    assert CliRunner().invoke(command, [f"--retention-payload={seconds}"]).exit_code == 2
