"""The commands that prune take to their pruner how long payloads are kept."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, NoReturn

import pytest
from click.testing import Result

from tenure import Misconfigured, Tenure
from tenure.core.retention import Retention
from tenure.engine import exit_codes
from tenure.http import command

Run = Callable[..., Result]
SAID = ("--retention-payload", "60", "--retention-payload-failed", "3600")
KEPT = Retention(payload=timedelta(seconds=60), payload_failed=timedelta(hours=1))


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The options of a worker or a service, which is then not started."""
    found: list[dict[str, Any]] = []

    def noted(*_about: Any, **options: Any) -> NoReturn:
        found.append(options)
        raise Misconfigured("not in this test")

    monkeypatch.setattr(Tenure, "worker", noted)
    monkeypatch.setattr(command, "asgi", noted)
    return found


@pytest.mark.parametrize("name", ["worker", "serve"])
def test_periods_that_are_said_reach_the_pruner(
    tenure: Run, shop: Tenure, told: list[dict[str, Any]], name: str
) -> None:
    assert [tenure(name, "shop:app", *flags).exit_code for flags in ((), SAID)] == [exit_codes.BAD_START] * 2
    assert [options["retention"] for options in told] == [Retention(), KEPT]
    assert not any(member.startswith("retention_") for options in told for member in options)


def test_the_children_of_a_supervisor_are_told_the_same(
    tenure: Run, shop: Tenure, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[list[str]] = []

    class Noting:
        def __init__(self, flags: list[str], *_about: Any, **_options: Any) -> None:
            commands.append(flags)

        def run(self) -> int:
            return exit_codes.OK

    monkeypatch.setattr("tenure.engine.supervisor.Supervisor", Noting)
    assert tenure("worker", "shop:app", "--processes", "2", *SAID).exit_code == exit_codes.OK
    (flags,) = commands
    assert [flags[flags.index(flag) + 1] for flag in SAID[::2]] == ["60.0", "3600.0"]
