"""The rows of redrives and of their jobs on every store: written, listed, pruned."""

from datetime import timedelta

import msgspec

from tenure.core.redriving.redrive import Frozen, FrozenState, RedriveState
from tenure.engine.upkeep.redriver import Redriver
from tests.conformance.asking import Ask
from tests.operations.dead_letters import dead, now_of, rows_of, settle, started


def test_a_row_is_written_only_where_its_revision_stands(ask: Ask) -> None:
    dead(ask)
    redrive = started(ask)
    after = msgspec.structs.replace(redrive, revision=1, stop_code="x", stop_reason="ü", ended_at=ask.clock())
    assert [ask.run(ask.verbs.write_redrive(redrive, after)) for _ in range(2)] == [True, False]
    assert now_of(ask, redrive) == after
    assert not ask.run(ask.verbs.add_redrive(redrive))


def test_a_frozen_row_comes_back_as_it_was_written(ask: Ask) -> None:
    dead(ask)
    redrive = started(ask)
    row = rows_of(ask, redrive)[0]
    changed = msgspec.structs.replace(
        row, state=FrozenState.FAILED_AGAIN, code="ü", sent_at=ask.clock(), settled_at=ask.clock()
    )
    ask.run(ask.verbs.write_frozen([changed]))
    assert rows_of(ask, redrive) == [changed]
    assert isinstance(changed, Frozen)


def test_redrives_are_listed_newest_first_page_by_page(ask: Ask) -> None:
    dead(ask)
    made = [started(ask).id for _ in range(3)]
    page = ask.run(ask.verbs.redrives(None, 2))
    assert [one.id for one in page] == made[:0:-1]
    assert [one.id for one in ask.run(ask.verbs.redrives(page[-1].id, 2))] == made[:1]


def test_rows_are_listed_by_state_and_page_by_page(ask: Ask) -> None:
    dead(ask, 3)
    dead(ask, 1, max_attempts=1)
    redrive = started(ask)

    def places(state: FrozenState | None, after: int) -> list[int]:
        return [row.place for row in ask.run(ask.verbs.frozen_in_redrive(redrive.id, state, after, 2))]

    assert (places(None, -1), places(None, 1), places(FrozenState.LEFT, -1)) == ([0, 1], [2, 3], [3])


def test_ended_redrives_are_pruned_in_short_batches(ask: Ask) -> None:
    dead(ask, 5)
    redrive, redriver = started(ask), Redriver(ask.store)
    settle(ask, redriver)
    assert now_of(ask, redrive).state is RedriveState.FINISHED
    day = timedelta(days=1)
    assert ask.run(ask.verbs.prune_redrives(day, 100)) == 0
    ask.clock.advance(86_400)
    assert [ask.run(ask.verbs.prune_redrives(day, 3)) for _ in range(3)] == [3, 2, 0]
    assert ask.run(ask.verbs.read_redrive(redrive.id)) is None
    assert rows_of(ask, redrive) == []
