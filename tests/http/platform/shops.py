"""The whole service over a database of its own, on a socket: jobs to be claimed, and the state of each."""

import json
from typing import Any, NamedTuple

from tenure import Tenure
from tenure.http.application import Application


class Shop(NamedTuple):
    app: Tenure
    application: Application
    address: tuple[str, int]

    def enqueue(self, number: int = 1, payload: dict[str, Any] | None = None) -> list[str]:
        made = self.app.enqueue_many([self.app.item("mail", payload or {}) for _ in range(number)])
        return [one.id for one in made]

    def states(self, jobs: list[str]) -> set[tuple[str, int]]:
        """State and returns of each."""
        store = self.app.opened()
        return {(row.state.value, row.returns) for row in store.run(store.verbs.read(jobs)).values()}


def claim(**said: Any) -> bytes:
    body = json.dumps({"types": ["mail"], **said}).encode()
    head = "POST /jobs/claim HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: "
    return f"{head}{len(body)}\r\n\r\n".encode() + body
