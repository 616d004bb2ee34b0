"""`tenure effects`: what is open is seen, and settled by a person."""

import json
from collections.abc import Callable

import pytest
from click.testing import Result

from tenure import Context, EffectCall, Tenure
from tenure.cli import exit_codes
from tenure.operations.claim import claim
from tenure.testing import drain
from tests.conformance.asking import request

Run = Callable[..., Result]
NOBODY = "00000000-0000-7000-8000-000000000000"


@pytest.fixture
def job(shop: Tenure) -> str:
    """One that has ended, its effect uncertain."""

    def breaks(call: EffectCall) -> None:
        raise ConnectionResetError("reset")

    @shop.task(kind="pay")
    def pay(ctx: Context) -> None:
        ctx.effect("charge", breaks, args={"cents": 5})

    made = pay.enqueue()
    drain(shop)
    return made.id


def test_open_effects_are_listed_without_naming_a_job(tenure: Run, job: str) -> None:
    listed = tenure("effects", "list")
    assert listed.exit_code == 0
    assert job in listed.stdout
    assert "effect_unclear" in listed.stdout
    assert tenure("effects", "list", "--tenant", "other").stdout == "no open effects\n"


def test_the_effects_of_a_job_are_printed_as_json_without_secrets(tenure: Run, job: str) -> None:
    (effect,) = json.loads(tenure("effects", "list", job, "--json").stdout)["effects"]
    assert (effect["state"], effect["key"], effect["result"]) == ("uncertain", f"{job}:charge", None)
    assert "token_hash" not in effect


def test_a_settled_effect_has_its_result_and_an_audit_line(tenure: Run, job: str) -> None:
    done = tenure("effects", "settle", job, "charge", "--confirmed", "--result", '{"id":"ch_1"}', "--why", "asked them")
    assert (done.exit_code, done.stdout) == (0, f"charge of job {job}: confirmed\n")
    (effect,) = json.loads(tenure("effects", "list", job, "--json").stdout)["effects"]
    assert (effect["state"], effect["result"], effect["settled_by"]) == ("confirmed", {"id": "ch_1"}, "command line")
    assert "asked them" in tenure("audit").stdout
    again = tenure("effects", "settle", job, "charge", "--absent")
    assert (again.exit_code, again.stdout) == (
        exit_codes.FAILURE, f"charge of job {job}: it is confirmed already\n",
    )  # fmt: skip


def test_what_is_no_effect_is_not_found(tenure: Run, job: str) -> None:
    for job_id, name in ((job, "mail"), (NOBODY, "charge")):
        assert tenure("effects", "settle", job_id, name, "--absent").exit_code == exit_codes.NOT_FOUND


@pytest.mark.parametrize("said", [[], ["--absent", "--result", "1"], ["--confirmed", "--result", "{"]])
def test_half_a_word_settles_nothing(tenure: Run, job: str, said: list[str]) -> None:
    assert tenure("effects", "settle", job, "charge", *said).exit_code == exit_codes.USAGE
    (effect,) = json.loads(tenure("effects", "list", job, "--json").stdout)["effects"]
    assert effect["state"] == "uncertain"


def test_what_a_job_did_outside_is_shown_with_it(tenure: Run, job: str) -> None:
    assert "charge  uncertain  1      1" in tenure("jobs", "show", job).stdout
    (effect,) = json.loads(tenure("jobs", "show", job, "--json").stdout)["effects"]
    assert (effect["name"], effect["state"]) == ("charge", "uncertain")
    assert not {"token_hash", "args_digest"} & effect.keys()


def test_a_cancel_tells_what_had_happened_by_then(tenure: Run, shop: Tenure) -> None:
    @shop.task(kind="mail", backoff=(3600, 3600))
    def mail(ctx: Context) -> None:
        ctx.effect("send", lambda call: None)
        raise ConnectionError

    sent = mail.enqueue().id
    drain(shop)
    waiting = mail.using(delay=60).enqueue().id
    told = tenure("jobs", "cancel", sent, waiting, "--wait", "5").stdout
    assert "no attempt was running; has happened: send" in told
    assert "not started" in told


def test_a_cancel_that_is_not_answered_yet_says_when_the_worker_hears_of_it(tenure: Run, shop: Tenure) -> None:
    shop.task(kind="mail")(lambda: None)
    running = shop.enqueue("mail").id
    store = shop.opened()
    (lease,) = store.run(claim(store.verbs, request(kinds=["mail"], lease_seconds=60.0))).leases
    told = tenure("jobs", "cancel", running).stdout
    assert lease.job_id == running
    assert (
        "asked to stop, no answer yet: its worker is told with the next heartbeat, within 20 s of the cancel, and its handler ends where it looks"
        in told
    )


def test_the_effects_of_a_job_that_has_none_are_not_called_open(tenure: Run, shop: Tenure) -> None:
    @shop.task(kind="quiet")
    def quiet() -> None:
        pass

    assert tenure("effects", "list", quiet.enqueue().id).stdout == "no effects\n"


def test_a_confirmation_without_a_result_says_that_none_is_kept(tenure: Run, job: str) -> None:
    told = tenure("effects", "settle", job, "charge", "--confirmed").stdout
    assert told == (
        f"charge of job {job}: confirmed, without a result: none was said (--result), so later attempts get none\n"
    )
