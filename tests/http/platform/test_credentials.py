"""API keys: who is let in, for how long an answer is believed, and how often an address may fail."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import httpx2
import pytest

from tenure import Tenure
from tenure.core.errors import TooMany
from tenure.core.secrecy import credentials
from tenure.http.application import Application
from tenure.http.callers.limits import ADDRESSES, Failures
from tenure.http.callers.seen_keys import KEPT_SECONDS, Seen, SeenKeys
from tenure.testing import FakeClock
from tests.http.platform.conftest import Build, Keys, asked, refusal

GUESS = credentials.text_of(b"\xff" * 32)


class Seconds:
    """A monotonic clock that moves only when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> Seconds:
    """Stands in for the monotonic clock of every application that is built from now on."""
    fake = Seconds()
    made = Application.__init__

    def build(self: Application, *arguments: Any, **named: Any) -> None:
        made(self, *arguments, **named)
        self._authentication._clock = fake
        self._authentication._failures._clock = fake

    monkeypatch.setattr(Application, "__init__", build)
    return fake


def call(
    application: Application, credential: str, address: str = "127.0.0.1", path: str = "/things"
) -> httpx2.Response:
    return asked(application, "GET", path, address=address, headers={"authorization": f"Bearer {credential}"})


def revoke(app: Tenure, text: str) -> None:
    store = app.opened()
    found = store.run(store.verbs.key_by_hash(str(credentials.hash_of(text))))
    assert found is not None
    assert store.run(store.verbs.revoke_key(found.id)) is not None


def test_a_key_lets_its_principal_in(application: Application, key: Keys) -> None:
    assert call(application, key("viewer", name="eve")).json()["said"]["principal"] == "eve"


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer ", "Basic abc", GUESS, f"Bearer {GUESS}", "Bearer x"])
def test_nobody_else_is_let_in_and_is_told_how_to(application: Application, header: str | None) -> None:
    answer = asked(application, "GET", "/things", headers={} if header is None else {"authorization": header})
    assert refusal(answer) == (401, "unauthenticated")
    assert answer.headers["www-authenticate"].startswith("Bearer")


def test_who_has_no_credential_learns_of_no_route(application: Application) -> None:
    for path in ("/things", "/nowhere", "/names/x"):
        assert refusal(asked(application, "GET", path))[0] == 401


def test_what_is_open_is_open(application: Application) -> None:
    for path in ("/alive", "/openapi.json", "/docs"):
        assert asked(application, "GET", path).status_code == 200


def test_a_role_may_do_what_it_may(application: Application, key: Keys) -> None:
    viewer = key("viewer")
    assert call(application, viewer).status_code == 200
    assert refusal(call(application, viewer, path="/audit")) == (403, "role_forbidden")


def test_the_role_is_checked_before_the_body_is_read(application: Application, key: Keys) -> None:
    headers = {"authorization": f"Bearer {key('viewer')}", "content-type": "application/json"}
    assert refusal(asked(application, "POST", "/things", headers=headers, content=b"{"))[0] == 403


def test_a_revoked_key_lets_nobody_in_once_the_answer_is_old(
    application: Application, app: Tenure, key: Keys, seconds: Seconds, build: Build
) -> None:
    application, text = build(), key()
    assert call(application, text).status_code == 200
    revoke(app, text)
    assert call(application, text).status_code == 200
    seconds.now += KEPT_SECONDS
    assert refusal(call(application, text))[0] == 401


def test_a_key_that_this_process_forgets_is_asked_for_again_at_once(
    application: Application, app: Tenure, key: Keys
) -> None:
    text = key()
    assert call(application, text).status_code == 200
    revoke(app, text)
    application.service.seen_keys.forget(str(credentials.hash_of(text)))
    assert refusal(call(application, text))[0] == 401


def test_an_answer_from_before_a_key_was_forgotten_is_not_believed_after_it() -> None:
    seen, digest = SeenKeys(), "of a key"
    asked_before = seen.forgotten
    seen.forget(digest)
    seen.keep(digest, Seen(None, 1e9), asked_before)
    assert seen.get(digest) is None
    seen.keep(digest, Seen(None, 1e9), seen.forgotten)
    assert seen.get(digest) is not None


def test_a_key_ends_when_it_expires_however_fresh_the_answer(
    app: Tenure, clock: FakeClock, key: Keys, seconds: Seconds, build: Build
) -> None:
    application, text = build(), key(expires_at=clock() + timedelta(seconds=2))
    assert call(application, text).status_code == 200
    seconds.now += 2
    clock.advance(2)
    assert refusal(call(application, text))[0] == 401


def test_a_known_key_is_not_looked_up_again(application: Application, app: Tenure, key: Keys) -> None:
    text, asked_for = key(), 0
    real: Callable[..., Any] = app.opened().verbs.key_by_hash

    def counted(digest: str) -> Any:
        nonlocal asked_for
        asked_for += 1
        return real(digest)

    app.opened().verbs.key_by_hash = counted  # type: ignore[method-assign, assignment]
    for _ in range(3):
        assert call(application, text).status_code == 200
        assert call(application, GUESS).status_code == 401
    assert asked_for == 2


def test_an_address_that_fails_too_often_waits(build: Build, key: Keys, seconds: Seconds) -> None:
    application = build(failures=3, failures_per_minute=60.0)
    for _ in range(3):
        assert refusal(call(application, GUESS))[0] == 401
    answer = call(application, GUESS)
    assert refusal(answer) == (429, "too_many_failures")
    assert answer.headers["retry-after"] == "1"
    assert refusal(call(application, GUESS, address="10.0.0.1"))[0] == 401
    seconds.now += 1
    assert refusal(call(application, GUESS))[0] == 401
    assert refusal(call(application, key()))[0] == 429


def test_who_was_let_in_before_is_not_locked_out_by_its_neighbour(build: Build, key: Keys, seconds: Seconds) -> None:
    application, text = build(failures=2), key()
    assert call(application, text).status_code == 200
    for _ in range(5):
        call(application, GUESS)
    assert refusal(call(application, GUESS))[0] == 429
    seconds.now += KEPT_SECONDS + 1
    assert call(application, text).status_code == 200


def test_a_network_of_ipv6_counts_as_one_address() -> None:
    failures = Failures(1, 1.0, Seconds())
    failures.spend("2001:db8::1")
    with pytest.raises(TooMany):
        failures.check("2001:db8::2")
    failures.check("2001:db8:0:1::2")
    failures.spend("::ffff:10.0.0.1")
    failures.check("::ffff:10.0.0.2")


def test_no_number_of_addresses_fills_the_memory() -> None:
    failures = Failures(1, 1.0, Seconds())
    for number in range(ADDRESSES + 100):
        failures.spend(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}")
    assert len(failures._buckets) == ADDRESSES
    failures.check("10.0.0.0")
    with pytest.raises(TooMany):
        failures.check(f"10.0.{(ADDRESSES + 99) >> 8}.{(ADDRESSES + 99) & 255}")
