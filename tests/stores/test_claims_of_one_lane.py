"""Which of two statements a claim on PostgreSQL sends: the short one for a level of one lane, or the whole one."""

from datetime import UTC, datetime
from typing import Any

import msgspec

from tenure.core.claim import Ability, ClaimRequest
from tenure.stores.postgres import statements
from tenure.stores.postgres.claim_wire import Step
from tenure.stores.postgres.verbs import PostgresVerbs
from tenure.stores.script import Rows, Statement, drive

SHORT, WHOLE = statements.text("claim_lane"), statements.text("claim")


def request(queue: str = "default") -> ClaimRequest:
    return ClaimRequest(
        claim_id="c", worker="w", holder=None, queue=queue, abilities=(Ability("k", 1, 1),), limit=2, tokens=("a", "b")
    )


def answer(**said: Any) -> Rows:
    empty = Step(
        now=datetime.now(UTC),
        priority=None,
        turns=[],
        rivals=False,
        lower=False,
        leases=None,
    )
    return [(msgspec.json.encode(msgspec.structs.replace(empty, **said)).decode(),)]


def statements_of_a_claim(verbs: PostgresVerbs, *, has_many: bool, queue: str = "default") -> list[str]:
    """What one claim sends to a database whose ready jobs stand in many lanes, or in none."""
    sent: list[str] = []

    def execute(statement: Statement) -> Rows:
        sent.append(statement.text)
        return answer(priority=0, many=True) if has_many and statement.text == SHORT else answer()

    assert drive(verbs.claim(request(queue)), execute).leases == ()
    return sent


def test_a_claim_is_over_with_the_short_statement_where_one_lane_is_ready() -> None:
    verbs = PostgresVerbs()
    assert statements_of_a_claim(verbs, has_many=False) == [SHORT]
    assert statements_of_a_claim(verbs, has_many=False) == [SHORT]


def test_where_many_lanes_are_ready_the_whole_statement_follows_and_is_sent_at_once_the_next_times() -> None:
    verbs = PostgresVerbs()
    assert statements_of_a_claim(verbs, has_many=True) == [SHORT, WHOLE]
    assert statements_of_a_claim(verbs, has_many=True) == [WHOLE]
    assert statements_of_a_claim(verbs, has_many=True) == [WHOLE]


def test_a_queue_of_many_lanes_is_looked_at_again_in_the_end() -> None:
    verbs = PostgresVerbs()
    first = statements_of_a_claim(verbs, has_many=True)
    later = [statements_of_a_claim(verbs, has_many=False) for _ in range(100)]
    assert first == [SHORT, WHOLE]
    assert later[0] == [WHOLE]
    assert later[-1] == [SHORT]


def test_many_lanes_of_one_queue_say_nothing_of_another() -> None:
    verbs = PostgresVerbs()
    statements_of_a_claim(verbs, has_many=True, queue="crowded")
    assert statements_of_a_claim(verbs, has_many=False, queue="calm") == [SHORT]
    assert statements_of_a_claim(verbs, has_many=False, queue="crowded") == [WHOLE]


def test_where_a_rule_has_a_say_the_claim_is_a_transaction_and_begins_with_it_the_next_times() -> None:
    look = statements.text("claim_look")
    nothing = '{"now":"2026-01-05T09:00:00Z","priority":null,"held_back":false,"lower":false,"lanes":[],"places":[],"weights":{},"demands":{}}'
    verbs, commits = PostgresVerbs(), dict[str, bool]()

    def sent(*, is_ruled: bool) -> list[str]:
        seen: list[str] = []

        def execute(statement: Statement) -> Rows:
            seen.append(statement.text)
            commits[statement.text] = statement.commits
            return [(nothing,)] if statement.text == look else answer(priority=0, ruled=is_ruled)

        drive(verbs.claim(request()), execute)
        return seen

    assert sent(is_ruled=True) == [SHORT, look]
    assert sent(is_ruled=True) == [look]
    assert (commits[SHORT], commits[look]) == (True, False)
    assert [sent(is_ruled=False) for _ in range(20)][-1] == [SHORT]
