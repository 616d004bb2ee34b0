"""How large a pool of connections is, and what is said where it does not fit."""

from itertools import product

import pytest

from tenure.core import defaults, pool
from tenure.core.pool import Need


@pytest.mark.parametrize(
    ("slots", "kinds", "jobs"),
    [
        (10, [(1, None)], 10),
        (10, [], 0),
        (10, [(1, 3)], 3),
        (10, [(1, 3), (1, 4)], 7),
        (10, [(1, 3), (2, None)], 6),
        (10, [(4, None)], 2),
        (10, [(4, None), (1, 1)], 3),
        (10, [(3, 5)], 1),
        (3, [(4, None)], 0),
    ],
)
def test_as_many_jobs_run_at_once_as_slots_and_concurrency_let(
    slots: int, kinds: list[tuple[int, int | None]], jobs: int
) -> None:
    assert pool.at_once(slots, kinds) == jobs


def test_no_choice_of_jobs_is_more_than_the_most_at_once() -> None:
    kinds = [(1, 2), (2, None), (3, 7)]
    for slots in range(12):
        choices = product(range(slots + 1), repeat=len(kinds))
        allowed = [
            sum(choice)
            for choice in choices
            if sum(n * each for n, (each, _) in zip(choice, kinds, strict=True)) <= slots
            and all(together is None or n * each <= together for n, (each, together) in zip(choice, kinds, strict=True))
        ]
        assert pool.at_once(slots, kinds) == max(allowed)


@pytest.mark.parametrize(
    ("need", "size"),
    [
        (Need(1), defaults.CONNECTIONS),
        (Need(defaults.SLOTS), defaults.SLOTS),
        (Need(500), defaults.CONNECTIONS_OF_WORKER),
        (Need(10, room=97), 10),
        (Need(10, processes=8, room=97), 8),
        (Need(10, room=12), 8),
        (Need(10, processes=50, room=97), 1),
    ],
)
def test_a_pool_of_which_nothing_was_said_has_one_for_each_attempt_within_bounds(need: Need, size: int) -> None:
    assert pool.size(need) == size


def test_four_of_the_largest_pools_that_nobody_asked_for_fit_a_server_as_it_is_shipped() -> None:
    shipped = 97
    assert 4 * (pool.size(Need(500)) + pool.RESERVED) <= shipped


@pytest.mark.parametrize("need", [Need(500, room=97), Need(500, processes=3, room=97), Need(7, room=12)])
def test_a_pool_of_which_nothing_was_said_is_never_more_than_the_server_gives(need: Need) -> None:
    assert pool.overdrawn(need, pool.size(need)) is None


def test_attempts_that_share_too_few_connections_are_told_with_both_numbers_and_the_right_one() -> None:
    assert pool.short(Need(20), 5) == (
        "up to 20 attempts at once share 5 connections to the database, and those that keep one let others wait: "
        "`--database-connections 20` gives one to each"
    )
    assert pool.short(Need(20), 20) is None
    assert pool.short(Need(3), 5) is None


def test_a_right_size_that_the_server_cannot_give_is_not_named() -> None:
    words = pool.short(Need(20, processes=6, room=97), 5)
    assert words is not None
    assert "its server has room for `--database-connections 12`" in words
    assert "`--database-connections 20`" not in words


def test_more_connections_than_the_server_gives_are_told_with_the_size_that_fits() -> None:
    assert pool.overdrawn(Need(20, processes=4, room=97), 30) == (
        "4 worker processes may open 136 connections to the database (30 of handlers in each process), and its server "
        "gives 97 to all clients: say `--database-connections 20`, or raise its max_connections"
    )
    assert pool.overdrawn(Need(20, processes=4, room=97), 20) is None
    assert pool.overdrawn(Need(20), 10_000) is None


def test_processes_that_do_not_fit_at_all_are_to_be_fewer() -> None:
    words = pool.overdrawn(Need(1, processes=50, room=97), 1)
    assert words is not None
    assert "start fewer processes" in words


def test_a_wait_is_told_once_it_lasts_and_only_while_somebody_waits() -> None:
    assert pool.lasting(15, pool.LONG_WAIT - 0.1, 5, 20) is None
    assert pool.lasting(0, 0.0, 5, 20) is None
    assert pool.lasting(15, 6.25, 5, 20) == (
        "15 wait for one of 5 connections to the database, the first for 6.2 s: `--database-connections 20` gives one "
        "to each attempt"
    )
    assert str(pool.lasting(1, 6.0, 20, 20)).endswith("`database_connections` allows more")


def test_a_wait_is_a_trouble_long_before_somebody_is_refused() -> None:
    assert pool.LONG_WAIT <= pool.PATIENCE / 6
