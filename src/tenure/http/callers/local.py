"""`--insecure-local`: everybody is an admin. So only requests of this machine are answered, and of no foreign page.

A page that somebody else wrote can make the browser of this machine send requests, under a name that leads here
(DNS rebinding) or across origins: both show in the headers that the browser writes.
"""

import ipaddress
from typing import Final
from urllib.parse import urlsplit

from tenure.core.errors import Forbidden
from tenure.core.principal import EVERYWHERE, Principal, Role
from tenure.http.exchange import Request

LOCAL: Final = Principal(id="@local", name="@local", role=Role.ADMIN, scope=EVERYWHERE)
"""No key and no issuer's subject can have this name."""

HOSTS: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_OWN_SITES: Final = frozenset({"same-origin", "none"})


def check(request: Request) -> None:
    """Raises Forbidden (`not_local`)."""
    if request.address and not is_loopback(request.address):
        raise _forbidden("the request comes from another machine")
    host = request.only(b"host") or ""
    if _host(f"//{host}") not in HOSTS:
        raise _forbidden("the Host header names another machine")
    origin = request.only(b"origin")
    if origin is not None and urlsplit(origin).netloc != host:
        raise _forbidden("the Origin header names another site")
    if (request.only(b"sec-fetch-site") or "none") not in _OWN_SITES:
        raise _forbidden("the request comes from a page of another site")


def is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


def _host(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


def _forbidden(why: str) -> Forbidden:
    hint = "With --insecure-local only this machine may ask; start without it, and use a key."
    return Forbidden(None, why, code="not_local", hint=hint)
