"""A service that answers by a script, over real sockets on loopback."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Asked(NamedTuple):
    """One request that came in."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def document(self) -> Any:
        return json.loads(self.body)


class Told(NamedTuple):
    """One answer. cut: the connection is closed in its place, after the request was read (and, for a service, done)."""

    status: int = 200
    document: Any = None
    headers: dict[str, str] = {}
    text: bytes | None = None
    cut: bool = False


CUT = Told(cut=True)
Script = Callable[[Asked], Told]


def problem(status: int, code: str, detail: str = "no", **more: Any) -> Told:
    document = {"type": "about:blank", "title": "t", "status": status, "code": code, "detail": detail, **more}
    headers = {"Retry-After": str(more["retry_after"])} if "retry_after" in more else {}
    return Told(status, document, {"Content-Type": "application/problem+json", **headers})


class Stub:
    """url: where it listens. asked: what came in, in order. Answers `script`'s entries in turn, then `always`."""

    def __init__(self, *script: Told, always: Script | Told | None = None) -> None:
        self.asked: list[Asked] = []
        self._script = list(script)
        self._always = always
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, asked: Asked) -> Told:
        with self._lock:
            self.asked.append(asked)
            if self._script:
                return self._script.pop(0)
        if callable(self._always):
            return self._always(asked)
        assert isinstance(self._always, Told), f"nothing is scripted for {asked}"
        return self._always

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        stub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                told = stub.answer(Asked(self.command, self.path, headers, body))
                if told.cut:
                    self.close_connection = True
                    return
                content = told.text if told.text is not None else json.dumps(told.document).encode()
                content = b"" if told.status == 204 else content
                self.send_response(told.status)
                for name, value in told.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *args: Any) -> None:
                """Nothing: the tests look at what was asked."""

        for method in ("GET", "POST", "PUT", "DELETE"):
            setattr(Handler, f"do_{method}", Handler.do)
        return Handler


@contextmanager
def stub(*script: Told, always: Script | Told | None = None) -> Iterator[Stub]:
    """A running service."""
    made = Stub(*script, always=always)
    try:
        yield made
    finally:
        made.close()
