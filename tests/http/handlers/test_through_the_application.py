"""The handlers behind the whole application: a worker that only knows HTTP, and what must come through unchanged."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from tenure import Tenure
from tenure.core.kind import Kind
from tenure.http import asgi
from tenure.http.application import Application
from tenure.stores.protocol import Store
from tests.http.handlers.asking import until

LOCAL = ("127.0.0.1", 4000)


class Site:
    """The application on one event loop, open for this machine alone."""

    def __init__(self, store: Store) -> None:
        self.app = Tenure("memory://")
        self.app.use(store)
        store.run(store.verbs.put_kinds([Kind(name="sum")], replace=True))
        self.application: Application = asgi(self.app, insecure_local=True, upkeep=False)
        self.runner = asyncio.Runner()

    async def asked(self, method: str, path: str, **said: Any) -> httpx2.Response:
        transport = httpx2.ASGITransport(self.application, client=LOCAL)
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.request(method, path, **said)

    def __call__(self, method: str, path: str, **said: Any) -> httpx2.Response:
        return self.runner.run(self.asked(method, path, **said))

    def jobs(self) -> list[Any]:
        return list(self("GET", "/jobs").json()["jobs"])

    def close(self) -> None:
        self.runner.close()
        self.application.service.waiting.close()
        self.app.close()


@pytest.fixture
def site(store: Store) -> Iterator[Site]:
    made = Site(store)
    yield made
    made.close()


def test_claim_heartbeat_and_complete_are_a_worker(site: Site) -> None:
    created = site("POST", "/jobs", json={"type": "sum", "payload": {"n": 1}, "idempotency_key": "k"})
    assert created.status_code == 201
    assert site("POST", "/jobs", json={"type": "sum", "payload": {"n": 1}, "idempotency_key": "k"}).status_code == 200
    job = site("POST", "/jobs/claim", json={"wait": 5}).json()
    assert job["id"] == created.json()["id"]
    token = {"lease_token": job["lease_token"]}
    assert site("POST", f"/jobs/{job['id']}/heartbeat", json=token).json()["held"]
    done = site("POST", f"/jobs/{job['id']}/complete", json={**token, "result": {"sum": 1}})
    assert (done.status_code, done.json()["status"]) == (200, "completed")
    assert site("POST", "/jobs/claim").status_code == 204


def test_a_missing_lease_token_is_422(site: Site) -> None:
    for verb in ("heartbeat", "complete", "fail", "release", "snooze"):
        told = site(
            "POST", "/jobs/0190a000-0000-7000-8000-000000000000/" + verb, json={"delay": 1} if verb == "snooze" else {}
        )
        assert (told.status_code, told.json()["field"], told.json()["code"]) == (422, "lease_token", "missing_member")


@pytest.mark.parametrize("key", ["", "   ", 0, "k" * 1_000_000, "a\0b", ["k"], True])
def test_b17_a_key_that_is_none_is_refused_and_nothing_is_stored(site: Site, key: Any) -> None:
    told = site("POST", "/jobs", json={"type": "sum", "idempotency_key": key})
    assert told.status_code in (413, 422)
    if told.status_code == 422:
        assert told.json()["field"] == "idempotency_key"
    assert site.jobs() == []


@pytest.mark.parametrize("said", [{}, {"idempotency_key": None}])
def test_b17_no_key_makes_a_new_job_each_time(site: Site, said: dict[str, Any]) -> None:
    told = [site("POST", "/jobs", json={"type": "sum", **said}) for _ in range(2)]
    assert [one.status_code for one in told] == [201, 201]
    assert len(site.jobs()) == 2


def test_every_digit_comes_back_from_payload_and_result(site: Site) -> None:
    document = '{"id":1970670598291982290,"n":9007199254740993,"big":123456789012345678901234567890,"d":0.1}'
    headers = {"content-type": "application/json"}
    site("POST", "/jobs", content=f'{{"type":"sum","payload":{document}}}', headers=headers)
    claimed = site("POST", "/jobs/claim")
    assert f'"payload":{document}' in claimed.text
    job = claimed.json()
    body = f'{{"lease_token":{json.dumps(job["lease_token"])},"result":{document}}}'
    assert f'"result":{document}' in site("POST", f"/jobs/{job['id']}/complete", content=body, headers=headers).text
    assert f'"payload":{document}' in site("GET", f"/jobs/{job['id']}").text


def test_what_is_claimed_for_a_client_that_hangs_up_goes_back(site: Site) -> None:
    sent: list[Any] = []
    gone = asyncio.Event()

    async def work() -> None:
        body = json.dumps({"wait": 30}).encode()
        arriving = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Any:
            if arriving:
                return arriving.pop()
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
        scope = {
            "type": "http", "method": "POST", "path": "/jobs/claim", "raw_path": b"/jobs/claim", "query_string": b"",
            "headers": headers, "client": LOCAL, "root_path": "",
        }  # fmt: skip
        request = asyncio.create_task(site.application(scope, receive, send))
        await until(lambda: site.application.service.long_polls == 1)
        gone.set()
        await request
        created = await site.asked("POST", "/jobs", json={"type": "sum"})
        taken = await site.asked("POST", "/jobs/claim")
        assert taken.json()["id"] == created.json()["id"]

    site.runner.run(work())
    assert site.application.service.long_polls == 0
