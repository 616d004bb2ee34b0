"""Answers that are lost: the connection is cut after the service has committed and begun to answer. The same request
again settles it: the same job, the same leases, `repeated`; nothing is done twice. With plain HTTP, no client of
ours."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.client.cutting import Wire, wire
from tests.client.serving import Served, serving
from tests.databases import EITHER, fresh

LOST = (httpx2.RemoteProtocolError, httpx2.ReadError)
VERBS: dict[str, dict[str, Any]] = {
    "complete": {"result": {"n": 1}},
    "fail": {"error": "it broke", "retry_in": 3600},
    "release": {"begun": True},
    "snooze": {"delay": 3600},
}


@pytest.fixture(params=EITHER)
def served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Served]:
    with serving(fresh(request.param, tmp_path)) as one:
        yield one


class Line:
    """A caller behind a wire that can be cut, and one beside it who looks."""

    def __init__(self, served: Served, cut: Wire) -> None:
        headers = {"authorization": f"Bearer {served.key('admin', 'chief')}"}
        self._cut = cut
        self.caller = httpx2.Client(base_url=cut.url, headers=headers, timeout=30, trust_env=False)
        self.looker = httpx2.Client(base_url=served.url, headers=headers, timeout=30, trust_env=False)
        assert self.looker.put("/kinds/mail", json={}).status_code == 200

    def lost(self, path: str, body: dict[str, Any]) -> None:
        """Sends it, and the answer never comes."""
        before = self._cut.cuts
        self._cut.cut_next(path)
        with pytest.raises(LOST):
            self.caller.post(path, json=body)
        assert self._cut.cuts == before + 1

    def jobs(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.looker.get("/jobs").json()["jobs"]
        return found

    def close(self) -> None:
        self.caller.close()
        self.looker.close()


@pytest.fixture
def line(served: Served) -> Iterator[Line]:
    with wire(served.url) as cut:
        made = Line(served, cut)
        yield made
        made.close()


@pytest.mark.parametrize("identity", [{"idempotency_key": "k"}, {"id": "0190a000-0000-7000-8000-00000000beef"}])
def test_an_enqueue_is_settled_by_the_same_request(line: Line, identity: dict[str, str]) -> None:
    body = {"type": "mail", "payload": {"n": 1}, **identity}
    line.lost("/jobs", body)
    [stored] = line.jobs()
    again = line.caller.post("/jobs", json=body)
    assert (again.status_code, again.json()["created"], again.json()["id"]) == (200, False, stored["id"])
    assert len(line.jobs()) == 1


def test_a_batch_is_settled_by_the_same_request(line: Line) -> None:
    body = {"jobs": [{"type": "mail", "idempotency_key": str(number)} for number in range(20)]}
    line.lost("/jobs/batch", body)
    stored = {job["id"] for job in line.jobs()}
    again = line.caller.post("/jobs/batch", json=body).json()["jobs"]
    assert ({one["id"] for one in again}, {one["created"] for one in again}) == (stored, {False})
    assert len(line.jobs()) == 20


@pytest.mark.parametrize("more", [{}, {"limit": 3}, {"limit": 3, "wait": 5}], ids=str)
def test_a_claim_is_settled_by_the_same_request(line: Line, more: dict[str, Any]) -> None:
    for _ in range(5):
        assert line.looker.post("/jobs", json={"type": "mail"}).status_code == 201
    body = {"claim_id": "c1", **more}
    line.lost("/jobs/claim", body)
    running = {job["id"]: job for job in line.jobs() if job["status"] == "running"}
    assert len(running) == more.get("limit", 1)
    for _ in range(2):
        again = line.caller.post("/jobs/claim", json=body).json()
        told = again.get("jobs", [again])
        assert {job["id"]: job["attempt"] for job in told} == dict.fromkeys(running, 1)
    for job in told:
        done = line.caller.post(f"/jobs/{job['id']}/complete", json={"lease_token": job["lease_token"]})
        assert (done.status_code, done.json()["repeated"]) == (200, False)
    assert sum(job["status"] == "running" for job in line.jobs()) == 0


@pytest.mark.parametrize("verb", VERBS)
def test_a_report_is_settled_by_the_same_request(line: Line, verb: str) -> None:
    assert line.looker.post("/jobs", json={"type": "mail"}).status_code == 201
    job = line.caller.post("/jobs/claim", json={}).json()
    path, body = f"/jobs/{job['id']}/{verb}", {"lease_token": job["lease_token"], **VERBS[verb]}
    line.lost(path, body)
    stored = line.looker.get(f"/jobs/{job['id']}").json()
    assert stored["status"] != "running"
    for _ in range(2):
        again = line.caller.post(path, json=body)
        assert (again.status_code, again.json()["repeated"]) == (200, True)
        assert {name: again.json()[name] for name in stored} == stored
    attempts = line.looker.get(f"/jobs/{job['id']}/attempts").json()["attempts"]
    assert [one["ended_by"] for one in attempts] == [verb]


def test_another_report_after_a_lost_one_is_stale(line: Line) -> None:
    """What was committed stands: who changes its mind in doubt is told."""
    assert line.looker.post("/jobs", json={"type": "mail"}).status_code == 201
    job = line.caller.post("/jobs/claim", json={}).json()
    token = {"lease_token": job["lease_token"]}
    line.lost(f"/jobs/{job['id']}/complete", token)
    other = line.caller.post(f"/jobs/{job['id']}/fail", json=token)
    assert (other.status_code, other.json()["code"]) == (409, "stale_lease")
    assert line.looker.get(f"/jobs/{job['id']}").json()["status"] == "completed"


def test_reports_and_the_next_claim_are_settled_by_the_same_request(line: Line) -> None:
    for _ in range(6):
        assert line.looker.post("/jobs", json={"type": "mail"}).status_code == 201
    first = line.caller.post("/jobs/claim", json={"limit": 2}).json()["jobs"]
    reports = [{"verb": "complete", "id": job["id"], "lease_token": job["lease_token"]} for job in first]
    body = {"reports": reports, "claim": {"claim_id": "next", "limit": 2}}
    line.lost("/jobs/reports", body)
    running = {job["id"] for job in line.jobs() if job["status"] == "running"}
    again = line.caller.post("/jobs/reports", json=body).json()
    assert [one["standing"] for one in again["reports"]] == ["repeated", "repeated"]
    assert {job["id"] for job in again["claimed"]["jobs"]} == running
    assert {job["status"] for job in line.jobs()} == {"completed", "running", "pending"}
    assert sum(job["status"] == "pending" for job in line.jobs()) == 2


def test_an_operators_change_is_settled_by_the_same_request(line: Line) -> None:
    job = line.looker.post("/jobs", json={"type": "mail"}).json()
    line.lost(f"/jobs/{job['id']}/cancel", {"why": "x"})
    again = line.caller.post(f"/jobs/{job['id']}/cancel", json={"why": "x"})
    assert (again.status_code, again.json()["state"]) == (200, "cancelled")
