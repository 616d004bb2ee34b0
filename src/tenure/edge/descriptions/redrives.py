"""What the operations on many jobs are for, and what their members mean."""

from typing import Final

from tenure.edge.descriptions.said import AT, ID, Said

OF_OPERATIONS: Final[dict[str, str]] = {
    "cancel_many": "Look first, with `preview`. A call cancels one batch, newest first; go on with `next` until it is "
    "null. Each job has its line in the audit. A request that names nothing is refused.",
    "supersede": "The job is cancelled with the code `superseded` and names the newer one, which is of the same tenant "
    "and type and was enqueued later. 409 (`not_waiting`) for a job that runs or has ended.",
    "list_failures": "The newest 10,000 failed jobs are grouped; what it costs does not depend on those that "
    "succeeded.",
    "list_redrives": "Those whose selection lies in the scope whole.",
    "start_redrive": "Look first, with `preview`. The selection is frozen at the start; the canary goes first, the "
    "rest by a pace, and it stops when failures with one code recur. Say an `id` to be able to repeat it after a lost "
    "answer.",
    "show_redrive": "The counts are those of its jobs at the last step.",
    "list_redrive_jobs": "In the order of the selection; `reason` tells why a job is left.",
    "pause_redrive": "What was sent goes its way, and its outcomes are counted.",
    "resume_redrive": "Outcomes are counted anew, so that one that its rule has stopped does not stop at once.",
    "cancel_redrive": "It is over for good. What was sent goes its way.",
    "forbid_redrives": "None starts, and those that run send nothing. A single job may still be redriven. It takes a "
    "credential of every tenant, kind and queue.",
    "allow_redrives": "Those that run go on. It takes a credential of every tenant, kind and queue.",
}

OF_ANSWERS: Final[dict[tuple[str, int], str]] = {
    ("start_redrive", 201): "The selection is frozen, and the redrive runs.",
    (
        "start_redrive",
        200,
    ): "The redrive that the id already named (RedriveBody), or with `preview` what a start would do "
    "(RedrivePreviewBody).",
}

COMMON: Final[dict[str, Said]] = {
    "at_least": Said("Whether there are more than were looked at.", False),
    "canary": Said("Jobs that go first; the rest waits until each of them has an outcome.", 10),
    "canary_open": Said("Jobs of the canary that have no outcome yet.", 0),
    "cancelled": Said("How many waiting jobs were ended.", 12),
    "cause": Said("The code that it had failed with.", "smtp_down"),
    "changed": Said("Whether it was otherwise before.", True),
    "failed_again": Said("Jobs that were sent and failed again.", 1),
    "first": Said("The failure that came first."),
    "forbidden": Said("Whether redrives of selections are forbidden.", False),
    "groups": Said("By cause, the largest first."),
    "ids": Said("Only these jobs.", [ID]),
    "is_canary": Said("Whether it goes first.", True),
    "last": Said("The failure that came last."),
    "left": Said("Jobs that are not run again, or have no outcome.", 0),
    "meant": Said("What there is to cancel, by queue, type and state."),
    "newer": Said("The id of the job that takes the place.", ID),
    "pace": Said("Jobs a second of each type and tenant.", 10.0),
    "place": Said("Its order within the selection, from 0.", 0),
    "preview": Said("Only tell what would happen.", True),
    "read": Said("Failed jobs that were counted.", 120),
    "reason": Said("Why it is left; null where it is not.", "not_failed"),
    "redrive": Said("As it stands then."),
    "redriven": Said("Jobs that were sent and have no outcome yet.", 10),
    "redrives": Said("The redrives."),
    "remedies": Said("What to do about jobs that failed, by code.", {"smtp_down": "Look at the relay, then redrive."}),
    "remedy": Said(
        "What the author of the task says of the code, or else Tenure itself; null where nobody does.",
        "Look at the relay, then redrive.",
    ),
    "requested": Said("How many running jobs were asked to stop.", 1),
    "samples": Said("Ids of the newest.", [ID]),
    "selection": Said("Which jobs are meant."),
    "sendable": Said("Jobs that would run again.", 118),
    "sent_at": Said("When it was sent; null before that.", AT),
    "since": Said("It ended at this instant or later.", AT),
    "single_attempts": Said("Whether jobs that may be tried once only are meant too.", False),
    "stop_code": Said("The code that recurred; null where it was not stopped.", "smtp_down"),
    "stop_reason": Said("Why it stopped, in words.", "3 of the last 10 outcomes failed with smtp_down"),
    "stop_share": Said("It stops when failures with one code are more of the last outcomes.", 0.2),
    "stop_window": Said("How many outcomes are looked at.", 50),
    "succeeded": Said("Jobs that were sent and succeeded.", 8),
    "total": Said("Jobs of the selection.", 120),
    "types": Said("Kinds; null does not narrow.", ["send-invoice"]),
    "unrecoverable_jobs": Said("Those of them whose payload has expired, so that they never run again.", 0),
    "until": Said("It ended before this instant.", AT),
    "waiting": Said("Jobs that wait for their turn.", 100),
}

OWN: Final[dict[str, dict[str, Said]]] = {
    "CancelMany": {
        "limit": Said("Jobs of this call.", 500),
        "state": Said("Only jobs in this state.", "ready"),
    },
    "FrozenBody": {
        "attempt": Said("The number of its newest attempt at the start.", 4),
        "code": Said("Of its failure after it was sent.", "smtp_down"),
        "state": Said("How it went so far.", "succeeded"),
    },
    "ListRedriveJobs": {"state": Said("Only jobs that are so.", "failed_again")},
    "Meant": {"jobs": Said("How many.", 3)},
    "FailureGroup": {"jobs": Said("How many.", 120)},
    "FrozenPage": {"jobs": Said("The jobs of the selection.")},
    "RedriveBody": {"id": Said("Of the redrive.", ID), "state": Said("What it does now.", "running")},
    "RedriveChanged": {"changed": Said("Whether its state let that happen.", True)},
    "RedrivePreviewBody": {"left": Said("How many would be left, by reason.", {"single_attempt": 2})},
    "StartRedrive": {"id": Said("Makes the start repeatable.", ID)},
}
