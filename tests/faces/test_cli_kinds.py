"""`tenure kinds set`, `slowdowns` and `clear-slowdown`."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
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


def test_a_kind_is_declared_as_data_and_its_payloads_are_judged(tenure: Run, shop: Tenure, folder: Path) -> None:
    shop.opened()
    (folder / "letter.json").write_text('{"type": "object", "required": ["to"]}')
    said = ("--versions=2,1", "--queue=post", "--max-attempts=1", "--timeout=30", "--concurrency=3", "--why=Node")
    done = tenure("kinds", "set", "--name", "letter", "--schema", "letter.json", *said)
    assert (done.exit_code, done.output) == (0, "letter version 1, 2\n")
    (kind,) = json.loads(tenure("kinds", "list", "--json").output)["kinds"]
    assert (kind["name"], kind["versions"], kind["queue"], kind["max_attempts"]) == ("letter", [1, 2], "post", 1)
    assert (kind["run_time_limit"], kind["concurrency"], json.loads(kind["schema"])["required"]) == (30, 3, ["to"])
    assert shop.store.run(shop.store.verbs.audit_lines(1))[0].why == "Node"
    assert tenure("enqueue", "letter", "{}").exit_code == exit_codes.USAGE
    assert tenure("enqueue", "letter", '{"to": "ada"}').exit_code == 0


def test_a_schema_may_come_from_standard_input(tenure: Run, shop: Tenure) -> None:
    shop.opened()
    assert tenure("kinds", "set", "--name", "letter", "--schema", "-", input='{"type": "array"}').exit_code == 0
    assert shop.store.run(shop.store.verbs.kinds())["letter"].schema == '{"type":"array"}'


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--name=letter", "--schema=-"), "schema: "),
        (("--name=letter", "--versions=1,x"), "versions: "),
        (("--name=letter", "--timeout=0"), "timeout: "),
        (("--name=letter", "shop:app"), "not both"),
        (("--queue=post", "shop:app"), "--name declares"),
    ],
)
def test_a_kind_that_cannot_be_declared_is_refused(
    tenure: Run, shop: Tenure, arguments: tuple[str, ...], words: str
) -> None:
    shop.opened()
    done = tenure("kinds", "set", *arguments, input="[1")
    assert (done.exit_code, words in done.stderr) == (exit_codes.USAGE, True)
    assert shop.store.run(shop.store.verbs.kinds()) == {}
