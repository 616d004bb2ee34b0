"""What the operations on schedules are for, and what their members mean."""

from typing import Final

from tenure.edge.descriptions.said import AT, ID, Said

OF_OPERATIONS: Final[dict[str, str]] = {
    "list_schedules": "Of the tenants, types and queues of the scope. `next_at` is null for one that is paused, "
    "flagged or over.",
    "show_schedule": "Without `tenant` it is the default one's, or that of the credential's only tenant.",
    "set_schedule": "Look first, with `preview`. What is left out of a schedule that is there stays as it is. An edit "
    "counts from now; slots that had passed go by what it said before.",
    "delete_schedule": "Its name is free at once. One that code declares comes back when a worker of it starts.",
    "pause_schedule": "It stands in the audit who did so, and why.",
    "resume_schedule": "It counts from now: slots of the pause are not made up for.",
    "run_schedule": "Paused or not, and whatever runs. Say an `id` to be able to repeat it after a lost answer.",
    "backfill_schedule": "Up to 1,000 slots, whatever runs. It may be repeated: a slot has one job.",
    "preview_schedule": "As if it were neither paused nor flagged.",
    "list_occurrences": "Each slot that became a job, and runs of slots that were skipped, with the reason.",
}

OF_ANSWERS: Final[dict[tuple[str, int], str]] = {
    ("set_schedule", 201): "It is made.",
    (
        "set_schedule",
        200,
    ): "The schedule as it stands then (ScheduleSet), or with `preview` the next ten slots of the rule "
    "(ScheduleSlots).",
    ("run_schedule", 201): "The job is recorded.",
    ("run_schedule", 200): "The job that the id already named.",
}

COMMON: Final[dict[str, Said]] = {
    "conflicts": Said("Slots whose key a job with other arguments holds.", 0),
    "cron": Said("Minute, hour, day of the month, month, day of the week.", "0 9 1 * *"),
    "dates": Said(
        "ISO 8601; without an offset a wall time of the zone, without a time midnight there.", ["2030-12-24T18:00:00"]
    ),
    "decided_at": Said("When it was decided.", AT),
    "declared_by": Said("The application that declares it; null for one that is data alone.", "billing:app"),
    "edition": Said("Rises with each edit; a part of the key of each job.", 1),
    "every": Said("Seconds, counted from `starts_at` in real time.", 3600.0),
    "flag": Said("Why it makes no jobs though nobody has paused it; null: it does.", "unknown_kind"),
    "follows_real_time": Said("Whether clock changes move no slot; else it names wall times.", False),
    "grace": Said("Where none are made up for: seconds that a slot may be late before it is missed.", 30.0),
    "known": Said("Slots whose jobs were there already.", 2),
    "misfire": Said("Which of the slots that nobody looked at are made up for.", "latest"),
    "misfire_cap": Said("Where all are made up for: how many at most.", 100),
    "next_at": Said("The next slot; null while it is paused or flagged, and when nothing occurs any more.", AT),
    "occurrence_as": Said("The member of the payload that is given the slot's instant; null: none.", "slot"),
    "occurrences": Said("What became of its slots."),
    "overlap": Said("What becomes of a slot while a job of the schedule has not ended.", "skip"),
    "paused_at": Said("Since when it makes no jobs; null: it does.", AT),
    "paused_by": Said("Who paused it.", "root"),
    "paused_why": Said("Why it is paused.", "the bank is closed"),
    "rrule": Said("A recurrence rule of RFC 5545.", "FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=17"),
    "schedule": Said("As it stands then."),
    "schedules": Said("The schedules."),
    "skipped": Said("Why no job was made; null: one was.", "missed"),
    "starts_at": Said("Nothing occurs before it, and an interval is counted from it; null: since ever.", AT),
    "tz": Said("The zone of wall times, an IANA name.", "Europe/Amsterdam"),
    "until_at": Said("The last slot of a run that was skipped; of a job its slot.", AT),
    "waiting_at": Said("The slot that waits for the end of a job; null: none.", AT),
}

OWN: Final[dict[str, dict[str, Said]]] = {
    "BackfillSchedule": {
        "since": Said("The first slot that is meant.", AT),
        "until": Said("The last slot that is meant, of the past.", AT),
    },
    "OccurrenceBody": {
        "cause": Said("Why a job was made: its slot was due, or somebody asked for it.", "due"),
        "at": Said("The slot, or the first one of a run.", AT),
        "job_id": Said("The job of the slot; null where it was skipped.", ID),
        "slots": Said("How many; null where they were not counted.", 1),
    },
    "RunSchedule": {"id": Said("Of the job: makes the request repeatable.", ID)},
    "ScheduleBackfilled": {"ids": Said("Of the new jobs, in the order of their slots.", [ID])},
    "ScheduleBody": {"id": Said("Of the schedule.", ID), "name": Said("One within its tenant.", "nightly")},
    "ScheduleChanged": {"changed": Said("Whether it was not so already.", True)},
    "ScheduleRun": {"id": Said("Of the job.", ID)},
    "ScheduleSet": {
        "created": Said("Whether this request made it.", True),
        "changed": Said("Whether it says something else than before.", True),
    },
    "ScheduleSlots": {"slots": Said("The next ones.", [AT])},
    "SetSchedule": {"preview": Said("Only tell the next slots of the rule.", True)},
}
