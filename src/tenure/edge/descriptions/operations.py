"""What each operation is for and what its answers mean, in a sentence or two."""

from typing import Final

from tenure.edge.descriptions import redrives, schedules
from tenure.edge.operations import capacities, lateness, limits, pauses, reliefs

OF_OPERATIONS: Final[dict[str, str]] = {
    **redrives.OF_OPERATIONS,
    **schedules.OF_OPERATIONS,
    **pauses.OF_OPERATIONS,
    **limits.OF_OPERATIONS,
    **reliefs.OF_OPERATIONS,
    **capacities.OF_OPERATIONS,
    **lateness.OF_OPERATIONS,
    "enqueue": "The job is stored when the answer is 201. Send the request again with the same `idempotency_key` if "
    "the answer was lost: it is answered 200 with the job that is there. `GET /kinds` tells which types there are.",
    "enqueue_many": "Each submission stands by itself, a bad one never stops the others. Look at `status` of each "
    "verdict.",
    "claim": "A shell loop's whole work is: claim, do it, complete or fail. With `wait` the answer comes as soon as "
    "there is work. Say a `claim_id` of your own to be able to repeat a claim whose answer was lost.",
    "heartbeats": "An answer for each, in order. Where `held` is false the lease is lost for good: stop that job.",
    "reports": "Saves round trips where a worker runs many jobs. Each report has its own verdict, as the lone verb "
    "would have answered; the claim does not wait.",
    "list_jobs": "Filters narrow together. Follow `next` to the end of the list; no total is counted.",
    "show_job": "What the caller's role may not see (payload, error, …) is left out.",
    "explain_job": "Pauses, limits without room and who holds them, slowdowns, and what can be told of workers. None "
    "for a job that only waits for its time or its turn, that runs or has ended.",
    "list_attempts": "How each try went: when, where, with which outcome and error. The running one is not among them.",
    "heartbeat": "Send one at a third of `lease_seconds` while the work goes on. It also brings whether to stop.",
    "complete": "Done is what this has answered 200. Repeat it when the answer was lost: it is answered with "
    "`repeated`. A result that cannot be stored ends the job as failed (`result_too_large`, `result_nul_character`, …) "
    "and is answered 200 too: the work is not done again.",
    "fail": "`{lease_token, error}` alone is retryable with the full budget: the job waits for its next try, or is "
    "failed after the last. `terminal` ends it at once; `throttled` costs no try. NUL and lone surrogates in code and "
    "texts are replaced.",
    "release": "For a worker that must leave. With `begun: false` nothing had been done, and it costs nothing.",
    "snooze": "For work that finds nothing to do yet. It costs no try, only a snooze out of a thousand.",
    "list_effects": "The ledger of calls to the outside, from all attempts of the job.",
    "begin_effect": "Before every call that must not happen twice. The answer's `what` says whether to make the call, "
    "to use the stored result, to wait, or to ask the outside what became of an earlier one.",
    "finish_effect": "Say `confirmed` with its result, `absent` when it surely did not happen, `uncertain` when nobody "
    "knows. Where the result cannot be stored the effect is confirmed without it, with the code "
    "`effect_result_refused`.",
    "settle_effect": "For an effect that stays uncertain: what was found out by looking at the outside. It stands in "
    "the audit.",
    "list_checkpoints": "An attempt reads them at its start and goes on from there.",
    "save_checkpoint": "The value takes the place of an earlier one of this name, and stands when the answer is 200.",
    "cancel": "Waiting work ends at once. Running work is asked to stop: its worker hears of it with the next "
    "heartbeat. `told` says what came of it, and asking again tells more.",
    "redrive": "For jobs that ended as failed. Say why: it stands in the audit.",
    "list_kinds": "What can be enqueued, with the schema of each payload and the defaults.",
    "show_kind": "`schema` is what payloads are checked against.",
    "set_kind": "What is left out takes its default; versions join those that stand. Jobs that wait keep what they "
    "were enqueued with.",
    "clear_slowdown": "After a handler reported that what it depends on is throttled, jobs of the kind wait; this ends "
    "it.",
    "list_queues": "It counts the jobs of the scope: ask for it now and then, not all the time.",
    "list_tenants": "It counts the jobs of the scope: ask for it now and then, not all the time.",
    "show_queue": "It counts the jobs of the queue that lie in the scope. It need not hold any.",
    "show_tenant": "It counts the jobs of the tenant that lie in the scope. It need not have any.",
    "list_workers": "By the rows of running jobs: a worker without work is not listed.",
    "list_keys": "Those that this credential could have made; revoked and expired ones too.",
    "create_key": "No key opens more than the one that made it.",
    "show_key": "404 also for a key that this credential could not have made.",
    "revoke_key": "At once in this process; other servers believe what they have seen of it for a few seconds.",
    "list_audit": "Those lines that concern what the credential may see.",
    "healthz": "For a supervisor that restarts what does not answer. It does not look at the database.",
    "readyz": "For a load balancer: 503 while the database is away or the server leaves.",
    "metrics": "Jobs of the credential's scope by queue, kind and state; requests by operation and status.",
    "openapi": "OpenAPI 3.1, drawn from the same table as the routes.",
    "docs": "One page of HTML, without scripts.",
    "start": "Where to read on.",
}

OF_ANSWERS: Final[dict[tuple[str, int], str]] = {
    **redrives.OF_ANSWERS,
    **schedules.OF_ANSWERS,
    (
        "claim",
        200,
    ): "Without `limit` one job under its lease (ClaimedBody: it has `lease_token`). With `limit` a list of "
    "them, which may be empty (ClaimedJobs: it has `jobs`).",
    ("claim", 204): "There was nothing to do, and no `limit` was said.",
    (
        "enqueue",
        200,
    ): "The job that the key or id already named; its id alone (MetJob) where the caller may not read it.",
    ("enqueue", 201): "The job is recorded.",
    ("readyz", 200): "It is ready.",
    ("readyz", 503): "It is not ready; `troubles` tells why. Or, as a problem, the server cannot answer at all.",
}
