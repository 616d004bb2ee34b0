"""Settings: a flag wins over `TENURE_*`, that over the file, that over the default.

The file is `tenure.toml`, or the table `[tool.tenure]` of `pyproject.toml`, in the working directory.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from tenure.core.errors import Misconfigured
from tenure.stores.sealing import keyring

DATABASE: Final = "database_url"
ENCRYPTION_KEYS: Final = keyring.SETTING
CONNECTIONS: Final = "database_connections"
MOST_CONNECTIONS: Final = 10_000
MOST_PROCESSES: Final = 1000
MOST_SLOTS: Final = 100_000
DEFAULT_DATABASE: Final = "sqlite:///tenure.db"
OVERRIDE: Final = "TENURE_DATABASE_OVERRIDE"
"""Set by `tenure worker --database` for its child processes: it wins over what the application says itself."""


class Settings:
    """What the surroundings say. environ: variables. folder: where the file is looked for."""

    def __init__(self, environ: Mapping[str, str] | None = None, folder: Path | None = None) -> None:
        self._environ = os.environ if environ is None else environ
        self._folder = folder or Path()
        self._file: Mapping[str, Any] | None = None

    def text(self, name: str, flag: str | None = None) -> str | None:
        """One setting as text, None where nothing is said.

        Raises Misconfigured for a blank value, and for a file that is no TOML.
        """
        if flag is not None:
            return said_as_text(f"the argument {name}", flag)
        for source, value in self._said(name):
            if value is not None:
                return said_as_text(source, value if isinstance(value, str) else str(value))
        return None

    def database(self, flag: str | None = None) -> str:
        """The database's URL, `sqlite:///tenure.db` where nothing is said."""
        return self.named_database(flag) or DEFAULT_DATABASE

    def named_database(self, flag: str | None = None) -> str | None:
        """The database's URL, None where nothing is said."""
        return self._environ.get(OVERRIDE) or self.text(DATABASE, flag)

    def keyring(self, said: str | None = None) -> keyring.Keyring | None:
        """The keys that documents are sealed with at rest, None where nothing is said. Raises Misconfigured."""
        text = self.text(ENCRYPTION_KEYS, said)
        return None if text is None else keyring.Keyring(text)

    def connections(self, said: Any = None) -> int | None:
        """How many connections the pool has at most, None where nothing is said. Raises Misconfigured."""
        return self.whole(CONNECTIONS, MOST_CONNECTIONS, said)

    def whole(self, name: str, most: int, said: Any = None) -> int | None:
        """One setting as a number from 1 to `most`, None where nothing is said. Raises Misconfigured."""
        if said is not None:
            return _whole(f"the argument {name}", said, most)
        for source, value in self._said(name):
            if value is not None:
                return _whole(source, _number(value), most)
        return None

    def file(self) -> Mapping[str, Any]:
        """What the settings file says, empty where there is none. Raises Misconfigured."""
        if self._file is None:
            self._file = _read(self._folder)
        return self._file

    def _said(self, name: str) -> Iterator[tuple[str, Any]]:
        """Where, and what, in the order in which they count. The file is read where no variable has said it."""
        yield f"TENURE_{name.upper()}", self._environ.get(f"TENURE_{name.upper()}")
        yield f"{name} in the settings file", self.file().get(name)


def _read(folder: Path) -> Mapping[str, Any]:
    own = _table(folder / "tenure.toml")
    if own is not None:
        return own
    project = _table(folder / "pyproject.toml") or {}
    found: Mapping[str, Any] = project.get("tool", {}).get("tenure", {})
    return found


def _table(path: Path) -> dict[str, Any] | None:
    if not path.is_file():
        return None
    try:
        import tomllib

        return tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise Misconfigured(f"{path.name} is not TOML: {error}") from error


def said_as_text(source: str, value: Any) -> str:
    """Text that is not blank. source: where it was said. Raises Misconfigured."""
    if not isinstance(value, str):
        raise Misconfigured(f"{source} must be text, not {type(value).__name__}")
    if not value.strip():
        raise Misconfigured(f"{source} is blank", hint="Leave it out, or give it a value.")
    return value


def _whole(source: str, value: Any, most: int) -> int:
    if type(value) is not int or not 1 <= value <= most:
        raise Misconfigured(f"{source} is {value!r}, and must be a whole number from 1 to {most:,}")
    return value


def _number(value: Any) -> Any:
    """A variable holds text."""
    return int(value) if isinstance(value, str) and value.strip().isdecimal() else value
