"""`tenure kinds slowdowns` and `clear-slowdown`."""

import json
from collections.abc import Callable
from datetime import timedelta

from click.testing import Result

from tenure import Tenure
from tenure.cli import exit_codes
from tenure.stores.protocol import Slowdown

Run = Callable[..., Result]


def test_a_slowdown_is_listed_and_cleared_by_name(tenure: Run, shop: Tenure) -> None:
    store = shop.opened()
    until = store.run(store.verbs.now()) + timedelta(hours=1)
    store.run(store.verbs.slow_down(Slowdown("acme", "letter", until, "rate_limited")))
    (listed,) = json.loads(tenure("kinds", "slowdowns", "--json").output)["slowdowns"]
    assert (listed["kind"], listed["tenant"], listed["code"]) == ("letter", "acme", "rate_limited")
    assert tenure("kinds", "clear-slowdown", "letter", "--tenant", "acme", "--why", "well again").exit_code == 0
    assert "no kind is slowed down" in tenure("kinds", "slowdowns").output
    assert [line.why for line in store.run(store.verbs.audit_lines(5))] == ["well again"]


def test_clearing_what_is_not_slowed_down_says_so(tenure: Run, shop: Tenure) -> None:
    shop.opened()
    answer = tenure("kinds", "clear-slowdown", "letter")
    assert (answer.exit_code, answer.output) == (
        exit_codes.NOT_FOUND,
        "kind letter is not slowed down for tenant default\n",
    )
