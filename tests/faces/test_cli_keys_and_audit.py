"""`tenure keys` and `tenure audit`: who may come in, and who did what."""

import json
from collections.abc import Callable
from datetime import timedelta

import pytest
from click.testing import Result

from tenure import Tenure
from tenure.cli import exit_codes
from tenure.core.principal import Role
from tenure.core.secrecy.credentials import Key, hash_of

Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def database(shop: Tenure) -> Tenure:
    shop.opened()
    return shop


def stored(shop: Tenure) -> list[Key]:
    return shop.store.run(shop.store.verbs.keys())


def test_a_key_stands_alone_on_standard_output_and_lets_its_owner_in(tenure: Run, shop: Tenure) -> None:
    done = tenure(
        "keys", "create", "--role", "producer", "--name", "web", "--kinds", "letter, bill", "--max-priority", "high"
    )
    assert (done.exit_code, done.stdout.count("\n")) == (0, 1)
    (key,) = stored(shop)
    assert key.hash == hash_of(done.stdout.strip())
    assert (key.role, key.name, key.scope.max_priority) == (Role.PRODUCER, "web", 20)
    assert (key.scope.tenants, key.scope.kinds, key.scope.queues) == ({"default"}, {"letter", "bill"}, None)
    assert key.id in done.stderr
    assert done.stdout.strip() not in done.stderr


def test_a_creation_as_json_tells_all_but_the_hash(tenure: Run, shop: Tenure) -> None:
    said = ("--role=worker", "--name=w-1", "--tenants=*", "--queues=mail", "--max-priority=7", "--expires-in=30")
    made = json.loads(tenure("keys", "create", *said, "--json").stdout)
    (key,) = stored(shop)
    assert hash_of(made.pop("key")) == key.hash
    assert "hash" not in made
    assert (made["id"], made["tenants"], made["queues"], made["max_priority"]) == (key.id, None, ["mail"], "7")
    assert key.expires_at is not None
    assert timedelta(days=30, minutes=-1) < key.expires_at - key.created_at <= timedelta(days=30)


def test_keys_are_listed_without_what_would_let_anybody_in(tenure: Run, shop: Tenure) -> None:
    secret = tenure("keys", "create", "--role=admin", "--name=root").stdout.strip()
    tenure("keys", "create", "--role=viewer", "--name=board", "--tenants=acme")
    tenure("keys", "revoke", "board", "--why", "left")
    for output in (tenure("keys", "list").output, tenure("keys", "list", "--json").output):
        assert not any(text in output for key in stored(shop) for text in (secret, key.hash))
    board, root = json.loads(tenure("keys", "list", "--json").output)["keys"]
    assert (board["name"], root["name"]) == ("board", "root")
    assert board["revoked_at"] is not None
    assert "revoked" in tenure("keys", "list").output


def test_a_key_is_revoked_by_name_or_id_and_its_name_is_free_again(tenure: Run, shop: Tenure) -> None:
    create = ("keys", "create", "--role=producer", "--name=web")
    tenure(*create)
    taken = tenure(*create)
    assert (taken.exit_code, "key_name_taken" in taken.stderr) == (exit_codes.CONFLICT, True)
    assert tenure("keys", "revoke", "web", "--why", "it leaked").exit_code == 0
    assert tenure(*create).exit_code == 0
    newest = stored(shop)[0]
    assert newest.revoked_at is None
    assert tenure("keys", "revoke", newest.id).exit_code == 0
    assert all(key.revoked_at is not None for key in stored(shop))


def test_revoking_no_key_says_so(tenure: Run) -> None:
    done = tenure("keys", "revoke", "nobody")
    assert (done.exit_code, "there is no key nobody" in done.stderr) == (exit_codes.NOT_FOUND, True)


@pytest.mark.parametrize(
    ("option", "field"),
    [("--name=a b", "name"), ("--kinds=a,,b", "kinds[1]"), ("--max-priority=urgent", "max_priority")],
)
def test_what_a_key_cannot_have_is_refused_by_name(tenure: Run, shop: Tenure, option: str, field: str) -> None:
    said = {"--role": "producer", "--name": "web"} | dict([option.split("=")])
    done = tenure("keys", "create", *[f"{flag}={value}" for flag, value in said.items()])
    assert (done.exit_code, f"Error: {field}: " in done.stderr) == (exit_codes.USAGE, True)
    assert stored(shop) == []


def test_the_audit_is_told_newest_first_a_page_at_a_time(tenure: Run) -> None:
    assert tenure("audit").output == "nothing was done by hand yet\n"
    tenure("keys", "create", "--role=producer", "--name=web")
    tenure("keys", "revoke", "web", "--why", "it leaked")
    first = json.loads(tenure("audit", "--limit", "1", "--json").output)
    rest = json.loads(tenure("audit", "--before", str(first["next"]), "--json").output)
    assert [line["verb"] for line in first["lines"] + rest["lines"]] == ["revoke_key", "create_key"]
    assert (first["lines"][0]["why"], rest["next"]) == ("it leaked", None)
    shown = tenure("audit", "--limit", "1").output
    assert "it leaked" in shown
    assert (first["lines"][0]["tenant"], "default" in shown) == ("default", True)
    assert f"more: --before {first['next']}" in shown


@pytest.mark.parametrize(
    ("words", "limits"),
    [
        ((), "tenants default; every kind; every queue; priority to medium"),
        (("--queues", "q2,q1"), "tenants default; every kind; queues q1, q2; priority to medium"),
        (("--tenants", "*", "--kinds", "letter"), "every tenant; kinds letter; every queue; priority to medium"),
    ],
)
def test_a_new_key_says_all_that_it_is_limited_to(tenure: Run, words: tuple[str, ...], limits: str) -> None:
    made = tenure("keys", "create", "--role", "worker", "--name", "w1", *words)
    assert made.exit_code == 0
    assert f"; {limits})" in made.stderr
    assert limits.split("; ")[1] in tenure("keys", "list").output
