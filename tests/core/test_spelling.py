"""What is said to somebody who wrote a name that there is not."""

from tenure.core.spelling import meant


def test_a_name_that_is_much_like_it_is_proposed() -> None:
    assert meant("conection", ["tenant", "connection"]) == "Did you mean 'connection'?"


def test_where_none_is_like_it_all_are_named() -> None:
    assert meant("fast", {"tenant": 1, "queue": 2}) == "There are queue, tenant."


def test_too_many_to_read_are_left_out_and_so_is_nothing() -> None:
    assert meant("fast", [f"name{n}" for n in range(100)]) == ""
    assert meant("fast", []) == ""
