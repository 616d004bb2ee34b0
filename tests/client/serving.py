"""The real service on loopback, on a fresh database, and keys to it."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tenure import Tenure
from tenure.client import Client
from tenure.core.principal import Role, scope_of
from tenure.core.secrecy import credentials
from tenure.http import asgi, server
from tenure.operations.create_key import create_key


class Served:
    """A running service. app: its application, on the same database."""

    def __init__(self, url: str, app: Tenure) -> None:
        self.url = url
        self.app = app
        self._clients: list[Client] = []

    def key(self, role: str, name: str, **scope: Any) -> str:
        """A fresh key."""
        secret, store = secrets.token_bytes(credentials.SECRET_BYTES), self.app.opened()
        made = scope_of(Role(role), **scope)
        store.run(create_key(store.verbs, name, Role(role), made, None, secret, who="test"))
        return credentials.text_of(secret)

    def client(self, role: str = "admin", name: str = "chief", *, url: str | None = None, **scope: Any) -> Client:
        """With a fresh key; closed at the end. url: another way to the service."""
        made = Client(url or self.url, self.key(role, name, **scope), patience=10.0)
        self._clients.append(made)
        return made

    def close(self) -> None:
        for client in self._clients:
            client.close()


@contextmanager
def serving(database: str, port: int = 0, **options: Any) -> Iterator[Served]:
    """options: of the service. port: 0 takes a free one. Drains at the end."""
    app = Tenure(database)
    application = asgi(app, **options)
    with server.bound("127.0.0.1", port) as listening:
        application.service.start()
        try:
            with server.beside(application, listening):
                served = Served(server.address(listening), app)
                yield served
                served.close()
        finally:
            app.close()
