"""A fresh database of either kind, by its URL."""

from pathlib import Path

import pytest

EITHER = ("sqlite", pytest.param("postgres", marks=pytest.mark.postgres))


def fresh(kind: str, folder: Path) -> str:
    if kind == "sqlite":
        return f"sqlite:///{folder}/tenure.db"
    from tests.conformance.postgres_server import shared

    return shared().fresh_database()
