"""`tenure queues show` and `tenure tenants show` tell what bounds each."""

import json
from collections.abc import Callable

import pytest
from click.testing import Result

from tenure import Tenure

Run = Callable[..., Result]


@pytest.mark.parametrize("subject", ["queue", "tenant"])
def test_the_limit_and_the_capacity_of_one_are_shown_with_it(tenure: Run, shop: Tenure, subject: str) -> None:
    shop.opened()
    shown = tenure(f"{subject}s", "show", "acme").stdout
    assert ("limit          none" in shown, "capacity       none" in shown) == (True, True)
    shop.set_limit(concurrency=2, rate="1/min", **{subject: "acme"})  # type: ignore[arg-type]
    shop.set_capacity(0, **{subject: "acme"})
    shown = tenure(f"{subject}s", "show", "acme").stdout
    assert ("2 at once, 1 a minute, 1 together" in shown, "0 may wait" in shown) == (True, True)
    told = json.loads(tenure(f"{subject}s", "show", "acme", "--json").stdout)
    assert (told["concurrency"], told["rate"]["starts"], told["capacity"]) == (2, 1, 0)
