"""The HTTP service: the operations of `tenure.edge` with access rules. Needs the extra `server`."""

from tenure.http.application import Application, asgi

__all__ = ["Application", "asgi"]
