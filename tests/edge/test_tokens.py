"""A sealed lease token opens for the worker it was made for, on the database it was made for, and for nobody else."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.core.principal import Principal, Role, Scope
from tenure.edge import tokens

KEY, OTHER = b"k" * 32, b"o" * 32


def worker(name: str = "w", **scope: Any) -> Principal:
    return Principal(id="i", name=name, role=Role.WORKER, scope=Scope(**scope))


@given(
    stored=st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), min_size=1),
    name=st.text(min_size=1),
)
def test_what_was_sealed_opens_again(stored: str, name: str) -> None:
    opened = tokens.opened(tokens.sealed(stored, worker(name), KEY), worker(name), KEY)
    assert opened == (stored, True)


@pytest.mark.parametrize(
    "token", ["", ".", "..", "abc", "abc.", "abc..", ".abc", "a.b.c", "abc.ü\ud800", "abc.0" * 100]
)
def test_what_was_not_sealed_does_not_open(token: str) -> None:
    assert tokens.opened(token, worker(), KEY) is None


def test_another_worker_and_another_database_open_nothing() -> None:
    token = tokens.sealed("abc", worker(), KEY)
    assert tokens.opened(token, worker("v"), KEY) is None
    assert tokens.opened(token, worker(), OTHER) is None
    assert tokens.opened(f"x{token}", worker(), KEY) is None
    assert tokens.opened("abc", worker(), KEY) is None


@pytest.mark.parametrize("dimension", ["tenants", "kinds", "queues"])
def test_a_token_says_whether_the_scope_is_still_that_of_its_claim(dimension: str) -> None:
    scopes = [{dimension: names} for names in (None, frozenset(), frozenset("a"), frozenset("ab"), frozenset({"ab"}))]
    for sealed in scopes:
        for now in scopes:
            opened = tokens.opened(tokens.sealed("abc", worker(**sealed), KEY), worker(**now), KEY)
            assert opened == ("abc", sealed == now)


def test_the_scope_that_a_token_says_cannot_be_exchanged() -> None:
    stored, scope, mac = tokens.sealed("abc", worker(), KEY).split(".")
    narrow = tokens.sealed("abc", worker(kinds=frozenset("a")), KEY).split(".")[1]
    assert narrow != scope
    assert tokens.opened(f"{stored}.{narrow}.{mac}", worker(kinds=frozenset("a")), KEY) is None
