"""Secrets that a payload names and never holds: `SecretRef`."""

import os
import re
from collections.abc import Callable
from typing import Final

import msgspec

from tenure.core import fields
from tenure.core.outcomes import Terminal
from tenure.engine.attempts.run import Run

Resolve = Callable[[str], str | None]
"""Answers the secret of a name, None where there is none."""

PREFIX: Final = "TENURE_SECRET_"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,199}")


class SecretRef(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A secret in a payload, by its name alone: 1 to 200 letters, digits and ._/-. `ctx.secret(ref)` resolves it."""

    name: str

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            raise ValueError("name must be 1 to 200 letters, digits and ._/-, and begin with a letter or digit")


def of_environment(name: str) -> str | None:
    """The variable TENURE_SECRET_<NAME>, in capitals and with _ for what is no letter or digit. No other variable: who
    enqueues chooses the name."""
    return os.environ.get(PREFIX + re.sub(r"[^A-Z0-9]", "_", name.upper()))


class Secrets:
    """The part of a Context that knows secrets."""

    __slots__ = ()
    _run: Run
    _resolve: Resolve

    def secret(self, ref: SecretRef | str) -> str:
        """The secret itself, from the application's resolver (`Tenure(secrets=…)`; the environment unless said).

        It is taken out of the messages and tracebacks of this attempt. Raises Terminal (`secret_missing`).
        """
        name = fields.text("ref", ref.name if isinstance(ref, SecretRef) else ref)
        found = self._resolve(name)
        if found is None:
            raise Terminal("secret_missing", f"this worker knows no secret {name!r}")
        self._run.hide(found)
        return found

    async def asecret(self, ref: SecretRef | str) -> str:
        """The async twin of `secret`: the resolver is asked in a thread."""
        import asyncio

        return await asyncio.to_thread(self.secret, ref)
