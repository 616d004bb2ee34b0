"""The block of the page on HTTP requests charges once."""

from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest

from tenure.testing import drain, memory_app
from tests.docs import pages
from tests.docs.conftest import Play


class Bank(BaseHTTPRequestHandler):
    """Fails after its first charge, and knows its keys."""

    charges: list[str] = []

    def do_POST(self) -> None:
        key = self.headers["Idempotency-Key"]
        first = key not in self.charges
        if first:
            self.charges.append(key)
        body = b'{"charge":"ch_1"}'
        self.send_response(500 if first else 201)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the base's name)
        """Nothing is printed."""


def test_the_charge_of_the_page_is_made_once_though_the_bank_fails_after_it(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    with HTTPServer(("127.0.0.1", 0), Bank) as server:
        monkeypatch.setenv("BANK", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setenv("BANK_KEY", "s3cret")
        thread = Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        play(pages.blocks(pages.how_to("http-requests"), "python"))
        import billing  # type: ignore[import-not-found]

        with memory_app(billing.app):
            job = billing.charge.enqueue(order=7, cents=500)
            assert [ran.code for ran in drain(billing.app, advance=True)] == ["effect_unclear", None]
            assert (job.result(timeout=0), Bank.charges) == ({"charge": "ch_1"}, [f"{job.id}:charge"])
        server.shutdown()
        thread.join()
