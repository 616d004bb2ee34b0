"""Sweep a folder of artifacts: what lies aside and belongs to no attempt any more is removed."""

from datetime import datetime, timedelta

from tenure.core.ledger.artifact import is_orphan
from tenure.stores.artifacts import ArtifactPlace


def sweep_artifacts(place: ArtifactPlace, now: datetime, age: timedelta) -> list[str]:
    """The names that are removed. place: any file of the folder. age: since the last change. Raises OSError."""
    orphans = [found.name for found in list(place.beside()) if is_orphan(found.name, found.changed, now, age)]
    for name in orphans:
        place.remove(name)
    return orphans
