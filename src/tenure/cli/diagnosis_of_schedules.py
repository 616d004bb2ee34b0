"""What `tenure doctor` looks for in schedules."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

from tenure.cli.pausing import by_whom
from tenure.cli.rendering import duration
from tenure.core.defaults import TENANT
from tenure.core.scheduling.schedule import Flag, Schedule

OVERDUE: Final = timedelta(minutes=5)

_WORDS: Final = {
    Flag.UNDECLARED: "its application does not declare it any more; delete it, or take it over with "
    "`tenure schedules set`",
    Flag.UNKNOWN_KIND: "no kind of its name is in the database; declare it, or pause the schedule",
    Flag.BROKEN: "its rule or payload cannot be read; say it anew with `tenure schedules set`",
}


def paused_of(schedules: Sequence[Schedule], now: datetime) -> Iterator[str]:
    """Schedules that somebody has paused, and for how long by now."""
    for row in schedules:
        if row.paused_at is not None:
            lasts = duration(max(0.0, (now - row.paused_at).total_seconds()))
            yield (
                f"schedule {row.name} of tenant {row.tenant} is paused for {lasts} "
                f"{by_whom(row.paused_by, row.paused_why)}; `tenure schedules resume "
                f"{row.name}{'' if row.tenant == TENANT else f' --tenant {row.tenant}'}`"
            )


def troubles_of(schedules: Sequence[Schedule], now: datetime) -> Iterator[str]:
    """Schedules that make no jobs although nobody has paused them."""
    for row in schedules:
        name = f"schedule {row.name} of tenant {row.tenant}"
        if row.flag is not None:
            yield f"{name} makes no jobs: {_WORDS[row.flag]}"
        elif row.next_at is not None and now - row.next_at > OVERDUE:
            late = duration((now - row.next_at).total_seconds())
            yield f"{name} is late by {late}: no worker and no service looks at this database"
