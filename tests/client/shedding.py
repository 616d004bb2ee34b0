"""A service that takes nothing for now."""

from http.server import BaseHTTPRequestHandler


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
