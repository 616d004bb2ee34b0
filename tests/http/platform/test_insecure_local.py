"""`--insecure-local`: everybody of this machine is an admin, and nobody else is anything."""

import pytest

from tests.http.platform.conftest import Build, asked, refusal


@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "127.0.0.1:8000", "[::1]:8000"])
def test_this_machine_needs_no_key(build: Build, host: str) -> None:
    answer = asked(build(insecure_local=True), "GET", "/audit", headers={"host": host})
    assert answer.json()["said"]["principal"] == "@local"


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "10.0.0.1:8000", "", "[::1", "127.0.0.1.nip.io"]
)
def test_a_name_that_was_made_to_lead_here_is_refused(build: Build, host: str) -> None:
    answer = asked(build(insecure_local=True), "GET", "/audit", headers={"host": host})
    assert refusal(answer) == (403, "not_local")


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://localhost:3000"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_a_page_of_another_site_is_refused(build: Build, headers: dict[str, str]) -> None:
    answer = asked(build(insecure_local=True), "POST", "/things", json={"name": "a"}, headers=headers)
    assert refusal(answer) == (403, "not_local")


def test_its_own_page_and_what_is_no_page_are_answered(build: Build) -> None:
    application = build(insecure_local=True)
    for headers in (
        {"origin": "http://localhost:8000", "sec-fetch-site": "same-origin"},
        {"sec-fetch-site": "none"},
        {},
    ):
        assert asked(application, "POST", "/things", json={"name": "a"}, headers=headers).status_code == 200


def test_another_machine_is_refused_whatever_it_says(build: Build) -> None:
    answer = asked(build(insecure_local=True), "GET", "/audit", address="10.0.0.7", headers={"host": "localhost"})
    assert refusal(answer) == (403, "not_local")
