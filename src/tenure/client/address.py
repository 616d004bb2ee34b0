"""Where the service is, and the key that it is asked with."""

import os
import re
from typing import Final
from urllib.parse import urlsplit

from tenure.app.settings import Settings
from tenure.core.errors import Misconfigured

KEY_VARIABLE: Final = "TENURE_KEY"
_HEADER_TEXT: Final = re.compile(r"[\x21-\x7e]+")


class Address:
    """url: the base of the routes, without a slash at its end. The key is in no text that this object makes."""

    __slots__ = ("_key", "url")

    def __init__(self, url: str, key: str | None) -> None:
        self.url = url
        self._key = key

    def __repr__(self) -> str:
        return f"<Address {self.url}>"

    def headers(self) -> dict[str, str]:
        """Those that go with every request to this address, and to no other."""
        return {} if self._key is None else {"Authorization": f"Bearer {self._key}"}


def address(url: str | None = None, key: str | None = None) -> Address:
    """What is said, then TENURE_URL (or `url` of the settings file) and TENURE_KEY. Without a key none is sent.

    Raises Misconfigured.
    """
    said = Settings().text("url", url)
    if said is None:
        raise Misconfigured("no service is named", hint="Pass its URL, or set TENURE_URL.")
    return Address(_checked_url(said.strip()), _checked_key(os.environ.get(KEY_VARIABLE) if key is None else key))


def _checked_url(url: str) -> str:
    hint = "Write for instance https://jobs.example.com."
    try:
        parts = urlsplit(url)
        if parts.port == 0:
            raise ValueError
    except ValueError:
        raise Misconfigured("the URL of the service is no URL", hint=hint) from None
    if "@" in parts.netloc:
        raise Misconfigured("the URL of the service holds a user or password", hint="Pass the key apart from it.")
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise Misconfigured(f"{url!r} is not the URL of a service", hint=hint)
    return url.rstrip("/")


def _checked_key(key: str | None) -> str | None:
    if key is not None and not _HEADER_TEXT.fullmatch(key):
        raise Misconfigured("the key is blank, or holds what no header can carry", hint="Pass it as it was shown.")
    return key
