"""How late a queue is, in words."""

from tenure.cli.rendering import duration
from tenure.core.fields import priority_label
from tenure.core.flow.lateness import COUNTED, Lateness, Starved, in_words


def starved_words(lane: Starved) -> str:
    """What waits while others start."""
    return (
        f"{priority_label(lane.priority)} jobs of kind {lane.kind} of tenant {lane.tenant} wait for "
        f"{duration(lane.waited)} while others start"
    )


def facts(told: Lateness) -> list[tuple[str, str]]:
    """Name by name; nothing that is not known."""
    late = [("half", told.median), ("95 in 100", told.most), ("worst", told.worst)]
    spread = ", ".join(f"{name} {duration(seconds)}" for name, seconds in late if seconds is not None)
    kept = {True: ", met", False: ", missed", None: ""}[told.is_met]
    pairs = [
        ("waiting", waiting_words(told) if told.waiting else ""),
        ("worked off in", drain_words(told) if told.waiting else ""),
        ("late", f"{spread} (of {told.started:,} that started)" if spread else ""),
        ("objective", f"{in_words(told.objective)}{kept}" if told.objective is not None else ""),
        *(("starves", starved_words(lane)) for lane in told.starved[:10]),
    ]
    return [(name, words) for name, words in pairs if words]


def waiting_words(told: Lateness) -> str:
    return f"{told.waiting:,}{'+' if told.waiting >= COUNTED else ''}"


def drain_words(told: Lateness) -> str:
    return "unknown" if told.drain_seconds is None else duration(told.drain_seconds)
