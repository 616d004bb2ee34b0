"""A service outside, on loopback, that counts what it was made to do; and the calls that handlers make to it.

POST /acts/<key>   acts, once for each request, or once for each key when the request says that it counts on that
GET  /acts/<key>   200 when it has acted for this key, 404 when not

What it does with the next POST is set by the test: `acts`, `acts_then_hangs`, `hangs_then_does_not`, `acts_then_500`;
after that one it behaves again.
"""

import http.client
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from tenure import EffectCall, absent, happened

TROUBLES = ("acts_then_hangs", "hangs_then_does_not", "acts_then_500")


class Outside:
    """`url` is its address; `acts` counts by key, `requests` what was asked of it."""

    def __init__(self) -> None:
        self.acts: Counter[str] = Counter()
        self.requests: list[str] = []
        self.next = "acts"
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def post(self, key: str, *, honours_key: bool) -> int | None:
        """The status; None is no answer at all."""
        with self._lock:
            how, self.next = self.next, "acts"
            self.requests.append(key)
            if how != "hangs_then_does_not" and not (honours_key and self.acts[key]):
                self.acts[key] += 1
        if "hangs" in how:
            self._closing.wait()
            return None
        return 500 if how == "acts_then_500" else 201


def _handler(outside: Outside) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            key = self.path.removeprefix("/acts/")
            status = outside.post(key, honours_key="Idempotency-Key" in self.headers)
            if status is not None:
                self._answer(status)

        def do_GET(self) -> None:
            self._answer(200 if outside.acts[self.path.removeprefix("/acts/")] else 404)

        def _answer(self, status: int) -> None:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the base's name)
            """Nothing is printed."""

    return Handler


def _ask(url: str, method: str, key: str, timeout: float, headers: dict[str, str]) -> int:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=timeout)
    try:
        connection.request(method, f"/acts/{key}", headers=headers)
        return connection.getresponse().status
    finally:
        connection.close()


def act(call: EffectCall) -> str:
    """What the handlers' effects call: it keeps to its time, and raises for every answer but a success."""
    said: dict[str, Any] = call.args
    headers = {"Idempotency-Key": call.key} if said["idempotent"] else {}
    status = _ask(said["url"], "POST", call.key, call.timeout, headers)
    if status != 201:
        raise RuntimeError(f"the outside answered {status}")
    return call.key


def find(url: str, key: str) -> Any:
    return happened(key) if _ask(url, "GET", key, 5.0, {}) == 200 else absent
