"""Where the client finds the service and its key, and that the key shows nowhere."""

import logging

import pytest

from tenure.client import AsyncClient, Client
from tenure.client.address import address
from tenure.core.errors import Misconfigured, StoreUnavailable
from tests.client import bodies
from tests.client.bodies import ID
from tests.client.stub import CUT, Told, stub

KEY = "tenure_secret-of-the-test"


def test_url_and_key_come_from_the_surroundings_where_none_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with stub(always=Told(200, bodies.job())) as run:
        monkeypatch.setenv("TENURE_URL", run.url)
        monkeypatch.setenv("TENURE_KEY", KEY)
        with Client() as client:
            client.job(ID)
        with Client(key="another") as client:
            client.job(ID)
    assert [asked.headers["authorization"] for asked in run.asked] == [f"Bearer {KEY}", "Bearer another"]


def test_without_a_key_none_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TENURE_KEY", raising=False)
    with stub(Told(200, bodies.job())) as run, Client(run.url) as client:
        client.job(ID)
    assert "authorization" not in run.asked[0].headers


def test_a_service_that_nobody_named_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TENURE_URL", raising=False)
    with pytest.raises(Misconfigured, match="no service is named"):
        Client()


@pytest.mark.parametrize(
    "url", ["", "jobs.example.com", "ftp://x", "http://", "http://u:p@x", "http://x?a=1", "http://x#f", "http://x:0"]
)
def test_an_url_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(Misconfigured) as caught:
        address(url, None)
    assert "u:p" not in str(caught.value)


@pytest.mark.parametrize("key", ["", " ", "a b", "a\nb", "schlüssel"])
def test_a_key_that_no_header_can_carry_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(Misconfigured) as caught:
        address("http://x", key)
    assert not key.strip() or key not in str(caught.value)


def test_a_base_path_is_kept() -> None:
    with stub(Told(200, bodies.job())) as run, Client(f"{run.url}/jobs-service/") as client:
        client.job(ID)
    assert run.asked[0].path == f"/jobs-service/jobs/{ID}"


def test_the_key_is_in_no_text_of_the_client_and_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    for name in (None, "httpx2"):  # A command that ran before may have made the library silent.
        caplog.set_level(logging.DEBUG, name)
    with stub(Told(200, bodies.job()), CUT) as run, Client(run.url, KEY, patience=0) as client:
        client.job(ID)
        with pytest.raises(StoreUnavailable) as caught:
            client.job(ID)
        shown = [repr(client), str(client), repr(AsyncClient(run.url, KEY)), repr(address(run.url, KEY))]
        error: BaseException | None = caught.value
        while error is not None:
            shown += [str(error), repr(error)]
            error = error.__cause__
    assert caplog.text
    assert KEY not in "".join([*shown, caplog.text])
