"""`tenure kinds set`, `slowdowns` and `clear-slowdown`."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import Result

from tenure import Tenure
from tenure.cli import exit_codes
from tenure.core.job import Policy
from tenure.core.kind import Kind
from tenure.stores.reading import Slowdown

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


def test_what_is_not_said_of_a_kind_stays_and_what_was_replaced_is_told(tenure: Run, shop: Tenure) -> None:
    shop.opened()
    first = ("--schema=-", "--versions=2", "--queue=post", "--timeout=300", "--effects=stamp, send", "--priority=high")
    assert tenure("kinds", "set", "--name=letter", *first, input='{"type":"object"}').exit_code == 0
    before = shop.store.run(shop.store.verbs.kinds())["letter"]
    assert tenure("kinds", "set", "--name", "letter").output == "letter version 2\nreplaced: nothing\n"
    assert shop.store.run(shop.store.verbs.kinds())["letter"] == before
    again = ("--schema=-", "--timeout=3600", "--versions=3", "--backoff=0.5,90")
    done = tenure("kinds", "set", "--name=letter", *again, input='{"type":"array"}')
    assert done.output == (
        "letter version 2, 3\nreplaced: schema, versions 2 → 2,3, timeout 300 → 3600, backoff 2,3600 → 0.5,90\n"
    )
    after = shop.store.run(shop.store.verbs.kinds())["letter"]
    assert (after.queue, after.policy.effects, after.priority) == ("post", ("stamp", "send"), before.priority)


def test_every_member_of_a_kind_can_be_said_and_taken_away(tenure: Run, shop: Tenure) -> None:
    shop.opened()
    said = (
        "--backoff=1,60",
        "--progress-timeout=20",
        "--effects=stamp",
        "--priority=7",
        "--concurrency=2",
        "--schema=-",
    )
    assert tenure("kinds", "set", "--name=letter", *said, input="{}").exit_code == 0
    kind = shop.store.run(shop.store.verbs.kinds())["letter"]
    assert (kind.policy, kind.priority) == (Policy(1.0, 60.0, 20.0, ("stamp",)), 7)
    removed = [f"--without={member}" for member in ("schema", "concurrency", "progress-timeout", "effects")]
    assert tenure("kinds", "set", "--name=letter", *removed).exit_code == 0
    assert shop.store.run(shop.store.verbs.kinds())["letter"] == Kind(
        name="letter", policy=Policy(1.0, 60.0), priority=7
    )


def test_the_list_of_kinds_says_which_have_a_schema(tenure: Run, shop: Tenure) -> None:
    shop.opened()
    tenure("kinds", "set", "--name=judged", "--schema=-", input="{}")
    tenure("kinds", "set", "--name=loose")
    _, judged, loose = tenure("kinds", "list").output.splitlines()
    assert (judged.endswith("yes"), loose.endswith("3600 s")) == (True, True)


def test_the_usage_of_setting_kinds_does_not_ask_for_an_application(tenure: Run) -> None:
    assert "kinds set [OPTIONS] [MODULE:NAME]" in tenure("kinds", "set", "--help").output


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
        (("--name=letter", "--backoff=1"), "backoff: "),
        (("--name=letter", "--backoff=1,x"), "backoff: "),
        (("--name=letter", "--effects=a,,b"), "effects: "),
        (("--name=letter", "--priority=urgent"), "priority: "),
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


def test_remedies_are_said_by_code_and_taken_away(tenure: Run, shop: Tenure) -> None:
    said = ("--remedy", "smtp_down=Look at the relay = the grey one.", "--remedy", "bounced=Ask for another address.")
    assert tenure("kinds", "set", "--name", "letter", *said).exit_code == 0
    store = shop.opened()
    assert store.run(store.verbs.kinds())["letter"].remedies == {
        "bounced": "Ask for another address.", "smtp_down": "Look at the relay = the grey one.",
    }  # fmt: skip
    assert tenure("kinds", "set", "--name", "letter", "--remedy", "no words").exit_code == exit_codes.USAGE
    gone = tenure("kinds", "set", "--name", "letter", "--without", "remedies").stdout
    assert "remedies bounced,smtp_down → none" in gone


def test_secret_fields_join_those_that_are_there_and_are_taken_away_by_name(tenure: Run, shop: Tenure) -> None:
    shop.opened()
    assert tenure("kinds", "set", "--name=letter", "--secret=to.street", "--secret=to.name").exit_code == 0
    more = tenure("kinds", "set", "--name=letter", "--secret=by", "--secret-result=no").output
    assert "secret to.name,to.street → by,to.name,to.street, secret-result none → no" in more
    (kind,) = json.loads(tenure("kinds", "list", "--json").output)["kinds"]
    assert (kind["secret"], kind["secret_result"]) == (["by", "to.name", "to.street"], ["no"])
    gone = tenure("kinds", "set", "--name=letter", "--without=secret", "--why=no secret").output
    assert gone == "letter version 1\nreplaced: secret by,to.name,to.street → none\n"
    assert tenure("kinds", "set", "--name=letter", "--secret=to[0]").exit_code == exit_codes.USAGE
