"""Why a job is where it is, in words; lengths of time and tables."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from tenure import State
from tenure.cli import rendering, telling
from tenure.cli.rendering import duration, plain_table
from tenure.core.flow import obstacles
from tenure.core.flow.demand import PLAIN
from tenure.core.flow.pause import Pause
from tenure.core.job import Job

NOW = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


def job(**facts: Any) -> Job:
    base = Job(
        id="i", seq=1, tenant="t", queue="q", kind="k", version=1, priority=0, state=State.READY, payload="{}",
        args_digest="d", created_at=NOW, run_at=NOW, updated_at=NOW,
    )  # fmt: skip
    return msgspec.structs.replace(base, **facts)


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (
            {"state": State.SCHEDULED, "run_at": NOW + timedelta(seconds=90), "tries": 1, "last_error_code": "busy"},
            "waits for run_at 2026-01-05 09:01:30Z, in 1 min 30 s after busy; try 2 of 4",
        ),
        ({"state": State.READY}, "ready since 2026-01-05 09:00:00Z: waits in queue q for a worker that asks for it"),
        (
            {"state": State.RUNNING, "started_at": NOW, "lease_expires_at": NOW + timedelta(seconds=41), "attempt": 2},
            "running since 2026-01-05 09:00:00Z, lease ends in 41 s, attempt 2, try 1 of 4",
        ),
        (
            {"state": State.RUNNING, "started_at": NOW, "lease_expires_at": NOW - timedelta(seconds=5)},
            "lease ended 5.0 s ago, not swept yet",
        ),
        ({"state": State.RUNNING, "cancel_requested_at": NOW}, "asked to stop at 2026-01-05 09:00:00Z"),
        ({"state": State.SUCCEEDED, "ended_at": NOW, "attempt": 3}, "succeeded at 2026-01-05 09:00:00Z, in attempt 3"),
        ({"state": State.FAILED, "ended_at": NOW, "end_code": "boom", "tries": 4}, "boom; 4 of 4 tries spent"),
        (
            {"state": State.FAILED, "ended_at": NOW, "end_code": "KeyError", "tries": 3, "unknowns": 3},
            "KeyError; 3 of 4 tries spent (unknown errors get 3 of them)",
        ),
        (
            {"state": State.CANCELLED, "ended_at": NOW, "end_code": "superseded", "superseded_by": "j"},
            "cancelled at 2026-01-05 09:00:00Z: superseded by j",
        ),
        ({"state": State.CANCELLED, "ended_at": NOW, "end_code": "withdrawn"}, "09:00:00Z: withdrawn"),
    ],
)
def test_a_job_says_in_words_why_it_is_where_it_is(facts: dict[str, Any], words: str) -> None:
    assert words in telling.why(job(**facts), NOW)


def test_a_job_says_what_pause_keeps_it_from_starting() -> None:
    stand = [
        Pause(subject="queue", name="q", at=NOW, who="root", why="the relay is down"),
        Pause(subject="tenant", name="nobody", at=NOW, who="root", why=""),
    ]
    pauses = obstacles.of_pauses(job(state=State.READY), stand, PLAIN)
    words = "its queue q is paused since 2026-01-05 09:00:00Z by root: the relay is down"
    assert telling.why(job(state=State.READY), NOW, pauses) == f"waits: {words}"
    assert telling.why(job(state=State.SCHEDULED), NOW, pauses).endswith(f"; {words}")
    assert "paused" not in telling.why(job(state=State.RUNNING, started_at=NOW), NOW, pauses)


def test_a_plain_cancel_is_not_told_twice() -> None:
    facts = {"state": State.CANCELLED, "ended_at": NOW, "end_code": "cancelled"}
    assert telling.why(job(**facts), NOW) == "cancelled at 2026-01-05 09:00:00Z"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0.0 s"), (9.96, "10.0 s"), (59, "59 s"), (60, "1 min 0 s"), (3600, "1 h 0 min"), (200_000, "2 d 7 h")],
)
def test_lengths_of_time_are_told_in_the_unit_that_fits(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_a_plain_table_aligns_its_columns() -> None:
    assert plain_table(("a", "bb"), [("long", "x")]) == ["a     bb", "long  x"]


def test_on_a_terminal_rich_draws_the_table_and_keeps_ids_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(rendering, "is_rich", lambda: True)
    monkeypatch.setenv("COLUMNS", "60")
    name = "01890a5d-ac96-774b-bcce-b302099a8057"
    rendering.print_table(("id", "message"), [(name, "[red] is no markup here " * 5)], "none")
    told = capsys.readouterr().out
    assert name in told
    assert "[red]" in told


def test_a_table_wider_than_the_terminal_is_plain_and_cuts_no_word(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(rendering, "is_rich", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    row = ("render_statement", "succeeded", "documents", "gateway_down")
    rendering.print_table(("kind", "state", "queue", "code"), [row], "none")
    assert capsys.readouterr().out.splitlines()[1].split() == [*row]


def test_a_row_that_is_longer_than_the_terminal_goes_on_below_itself_and_no_cell_is_cut() -> None:
    rows = [("01a22e44", "render_statement", "succeeded", "documents"), ("01a22e45", "mail", "ready", "")]
    assert plain_table(("id", "kind", "state", "queue"), rows, 30) == [
        "id        kind",
        "  state      queue",
        "01a22e44  render_statement",
        "  succeeded  documents",
        "01a22e45  mail",
        "  ready",
    ]
    assert plain_table(("id", "kind", "state", "queue"), rows, 48) == plain_table(
        ("id", "kind", "state", "queue"), rows
    )
    assert plain_table(("id", "why"), [("1", "a word longer than any terminal is")], 20)[-2:] == [
        "1",
        "  a word longer than any terminal is",
    ]


def test_what_is_blank_below_a_row_takes_no_line() -> None:
    rows = [("1", "failed", "no such account, or a closed one"), ("2", "succeeded", "")]
    assert plain_table(("attempt", "outcome", "message"), rows, 40) == [
        "attempt  outcome",
        "  message",
        "1        failed",
        "  no such account, or a closed one",
        "2        succeeded",
    ]
