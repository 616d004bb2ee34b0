"""V-06: a claim is atomic. Sixteen claimers over real sockets, one server or two: nobody shares a job."""

import itertools
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.client.serving import Served, serving
from tests.databases import EITHER, fresh

CLAIMERS = 16
_NUMBERS = itertools.count(1)


@pytest.fixture(params=EITHER)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return fresh(request.param, tmp_path)


@pytest.fixture
def served(url: str) -> Iterator[Served]:
    with serving(url) as one:
        yield one


def authorized(served: Served, role: str, name: str) -> httpx2.Client:
    return httpx2.Client(
        base_url=served.url, headers={"authorization": f"Bearer {served.key(role, name)}"}, timeout=60, trust_env=False
    )


def filled(served: Served, jobs: int) -> set[str]:
    with authorized(served, "admin", f"chief-{next(_NUMBERS)}") as chief:
        assert chief.put("/kinds/mail", json={}).status_code == 200
        told = chief.post("/jobs/batch", json={"jobs": [{"type": "mail"}] * jobs}).json()["jobs"]
        return {one["id"] for one in told}


def at_once(claims: list[Callable[[], list[dict[str, Any]]]]) -> list[list[dict[str, Any]]]:
    """Each in a thread, all let go in the same moment; what each got."""
    start = threading.Barrier(len(claims))
    found: list[list[dict[str, Any]]] = [[] for _ in claims]

    def run(place: int) -> None:
        start.wait()
        found[place] = claims[place]()

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(claims))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def drained(client: httpx2.Client, body: dict[str, Any]) -> list[dict[str, Any]]:
    """Everything that claims give until there is nothing."""
    got: list[dict[str, Any]] = []
    while True:
        answer = client.post("/jobs/claim", json=body)
        if answer.status_code == 204:
            return got
        assert answer.status_code == 200, answer.text
        jobs = answer.json().get("jobs", [answer.json()])
        if not jobs:
            return got
        got += jobs


def check(found: list[list[dict[str, Any]]], ids: set[str]) -> None:
    """Each job once, under a token and a fencing number of its own."""
    jobs = [job for got in found for job in got]
    assert Counter(job["id"] for job in jobs) == Counter(ids)
    assert len({job["lease_token"] for job in jobs}) == len(jobs)
    assert len({job["fencing_token"] for job in jobs}) == len(jobs)
    assert {job["attempt"] for job in jobs} == {1}


@pytest.mark.parametrize("body", [{}, {"limit": 7}], ids=["one by one", "seven at a time"])
def test_each_job_goes_to_one_of_sixteen_claimers(served: Served, body: dict[str, Any]) -> None:
    ids = filled(served, 160)
    clients = [authorized(served, "worker", f"w{number}") for number in range(CLAIMERS)]
    check(at_once([partial(drained, client, body) for client in clients]), ids)
    for client in clients:
        client.close()


def test_one_job_goes_to_one_of_sixteen_claimers(served: Served) -> None:
    clients = [authorized(served, "worker", f"w{number}") for number in range(CLAIMERS)]
    for _ in range(5):
        ids = filled(served, 1)
        check(at_once([partial(drained, client, {}) for client in clients]), ids)
    for client in clients:
        client.close()


def test_sixteen_requests_under_one_claim_id_get_the_same_job(served: Served) -> None:
    """The same claim sent many times at once is one claim."""
    filled(served, 10)
    client = authorized(served, "worker", "w")
    body = {"claim_id": "the same"}

    def once() -> list[dict[str, Any]]:
        return [client.post("/jobs/claim", json=body).json()]

    found = at_once([once] * CLAIMERS)
    assert len({job["id"] for got in found for job in got}) == 1
    assert len({job["lease_token"] for got in found for job in got}) == 1
    client.close()


def test_two_servers_on_one_database_share_no_job_either(url: str) -> None:
    with serving(url) as one, serving(url) as other:
        ids = filled(one, 160)
        clients = [
            authorized(served, "worker", f"{letter}{number}")
            for letter, served in (("a", one), ("b", other))
            for number in range(CLAIMERS // 2)
        ]
        check(at_once([partial(drained, client, {}) for client in clients]), ids)
        for client in clients:
            client.close()
