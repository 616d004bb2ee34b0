"""What the members of claims, heartbeats, reports and attempts mean."""

from typing import Final

from tenure.edge.descriptions.said import AT, Said

COMMON: Final[dict[str, Said]] = {
    "after_cancel": Said("Whether it ended after its cancellation had been asked for.", False),
    "after_deadline": Said("Whether it ended after the job's deadline.", False),
    "attempts": Said("The attempts that have ended."),
    "beats": Said("One for each lease, in order."),
    "begun": Said("Whether the work had started; if not, the release costs nothing.", True),
    "cancel_requested": Said("Whether somebody asked to cancel the job: stop at the next safe point.", False),
    "claim": Said("The next claim; it does not wait."),
    "claim_id": Said("Makes the claim repeatable: the same id answers the same live leases.", "w1-000042"),
    "claimed": Said("What the claim in the same call got; null where none was asked for."),
    "claimed_at": Said("When the running attempt was claimed.", AT),
    "class": Said("What kind of failure it was; it decides what comes next and what it costs.", "retryable"),
    "code_version": Said("Of the worker's code, for people.", "2026.1"),
    "ended_by": Said("What ended it: a report of the worker, or a sweep of the service.", "complete"),
    "error_class": Said("The class of the failure; null where it did not fail.", "retryable"),
    "heartbeat_at": Said("The last sign of life.", AT),
    "held": Said("Whether the lease stands; if not, stop: the job is somebody else's.", True),
    "held_back": Said("Whether a limit keeps more jobs from being taken now.", False),
    "holder": Said("Where the attempt runs, for people."),
    "host": Said("The machine's name.", "worker-7"),
    "late_report": Said("What the worker reported after its lease had ended: verb, instant and code; null: nothing."),
    "lease_expires_at": Said("When the lease ends unless a heartbeat comes before.", AT),
    "lease_lost_at": Said("When the lease was lost; null where it was not.", AT),
    "lease_seconds": Said("How long a lease holds from its claim or last heartbeat, in seconds.", 60.0),
    "lease_token": Said("The lease token that the claim gave.", "the lease_token of the claim"),
    "least_wait": Said("Seconds that a retry waits at least, in a storm of them.", 45.0),
    "must_end_at": Said("When the attempt is ended whatever happens.", AT),
    "number": Said("From 1, in the order of the claims.", 1),
    "outcome": Said("How the attempt ended.", "succeeded"),
    "process": Said("The id of the process.", 4711),
    "progress": Said("A note of at most 1 KiB, any JSON; left out, the last one stands.", {"done": 3, "of": 10}),
    "ran_version": Said("The version of the handler that ran it; null where it is not known.", 1),
    "repeated": Said("Whether the same report had been taken before; nothing was done again then.", False),
    "reports": Said("One for each attempt, in order."),
    "rest": Said("Seconds for which the tenant's other jobs of the kind wait too.", 5.0),
    "retry_in": Said("Seconds until the next try; 0 is at once, left out the kind's back-off decides.", 30),
    "scope": Said("What waits: with `throttled` and `kind` the tenant's other jobs of the kind too.", "job"),
    "standing": Said("How the report was taken: done, repeated, stale or unknown.", "done"),
    "traceback": Said("Of the failure, for operators; its end is kept when it is over 16 KiB."),
    "tries_left": Said("Tries that remain, this one included.", 4),
    "types": Said("Kinds that the worker can run; left out, all of its scope.", ["send-invoice"]),
    "verb": Said("Which report it is."),
    "wait": Said("Seconds to wait for work, at most 30: the answer comes as soon as there is some.", 20),
    "waits_for": Said("Slots that the worker must have free for the job whose turn it is; 0 where none waits.", 0),
    "worker_id": Said("The worker's name, which is the credential's: said, it must be the same.", "w1"),
}

OWN: Final[dict[str, dict[str, Said]]] = {
    "AttemptBody": {"version": Said("The version that the claim asked for.", 1)},
    "Claim": {
        "limit": Said(
            "Answers a list of jobs that take at most so many slots; 0: only what this claim_id holds already. Left "
            "out: one job, whatever it takes, or 204. An answer also ends after some megabytes of payloads: claim "
            "again for the rest.",
            10,
        ),
        "slots": Said(
            "Of the whole worker. A job that takes more than `limit` but no more than these is waited for, and nothing "
            "passes it; left out, it is passed over.",
            10,
        ),
        "queues": Said("At most 100; they take turns. Left out, those of the types and the default one.", ["default"]),
        "versions": Said(
            "Of a type the versions of the handler that the worker has; left out, all.", {"send-invoice": [1]}
        ),
        "holder": Said("Where the worker runs, for people."),
    },
    "Fail": {"outcome": Said("What the worker itself ended for a reason of time.", "failed")},
    "FailOf": {"outcome": Said("What the worker itself ended for a reason of time.", "failed")},
    "Release": {"code": Said("Why it was given back.", "interrupted")},
    "ReleaseOf": {"code": Said("Why it was given back.", "interrupted")},
}
