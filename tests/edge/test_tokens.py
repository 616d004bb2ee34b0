"""A sealed lease token opens for the worker it was made for, on the database it was made for, and for nobody else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.edge import tokens

KEY, OTHER = b"k" * 32, b"o" * 32


@given(
    stored=st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), min_size=1),
    worker=st.text(min_size=1),
)
def test_what_was_sealed_opens_again(stored: str, worker: str) -> None:
    assert tokens.opened(tokens.sealed(stored, worker, KEY), worker, KEY) == stored


@pytest.mark.parametrize("token", ["", ".", "abc", "abc.", ".abc", "abc.ü\ud800", "abc.0" * 100])
def test_what_was_not_sealed_does_not_open(token: str) -> None:
    assert tokens.opened(token, "w", KEY) is None


def test_another_worker_and_another_database_open_nothing() -> None:
    token = tokens.sealed("abc", "w", KEY)
    assert tokens.opened(token, "v", KEY) is None
    assert tokens.opened(token, "w", OTHER) is None
    assert tokens.opened(f"x{token}", "w", KEY) is None
    assert tokens.opened("abc", "w", KEY) is None
