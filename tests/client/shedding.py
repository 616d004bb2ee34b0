"""A service that takes nothing for now."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Sheds(BaseHTTPRequestHandler):
    """Answers 503 with a Retry-After."""

    def do_PUT(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(503)
        self.send_header("Retry-After", "600")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self) -> None:
        self.do_PUT()

    def log_message(self, *args: object) -> None:
        """Nothing: the log of the test is for the worker."""


@contextmanager
def shedding() -> Iterator[str]:
    """The URL of such a service."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Sheds) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
