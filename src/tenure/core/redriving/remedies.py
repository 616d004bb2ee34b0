"""What to do about jobs that failed with a code: the words of the task's author, or else ours for the codes of the
product itself. JOB-ID and NAME stand for the job and its effect."""

from collections.abc import Mapping
from typing import Final

from tenure.core.kind import Kind

_SETTLE: Final = (
    "Find out whether it happened, and say so: `tenure effects settle JOB-ID NAME --confirmed --result JSON`, or "
    "--absent. Then `tenure jobs redrive JOB-ID`."
)
_DATABASE: Final = "Look at the database (`tenure doctor`); then redrive."
_AWAY: Final = "Look whether the other side is back; then redrive."
_KEY: Final = "Give the workers the key (TENURE_ENCRYPTION_KEYS), and redrive."

OWN: Final[Mapping[str, str]] = {
    # effects
    "effect_uncertain": _SETTLE,
    "effect_unclear": _SETTLE,
    "effects_unsettled": f"An effect that the task requires is not confirmed. {_SETTLE}",
    "effect_result_refused": "The effect has happened and its result could not be kept: "
    "`tenure effects settle JOB-ID NAME --confirmed --result JSON`, then `tenure jobs redrive JOB-ID`.",
    "effect_conflict": "Its arguments differ from those on record: leave clocks and dice out of `args=`, or take "
    "another key; then enqueue anew.",
    "effect_needs_time": "Give the attempt more time (`timeout=` of the task, --lease of the worker), or the effect "
    "less; then redrive.",
    "effect_not_begun": "The worker or the database stood still: look at their load, then redrive.",
    "effect_not_done": _AWAY,
    "effect_result_hidden": "Give the worker a key that may see the job that had the effect; then redrive.",
    "effect_tries_spent": "Find out why its calls failed (`tenure effects list JOB-ID`); then redrive, which gives it "
    "new tries.",
    # requests and files
    "http_bad_request": "Mend URL, method or headers of the request; then redrive.",
    "http_no_connection": _AWAY,
    "artifact_conflict": "Another file has the name: move it away, or give this one another name; then redrive.",
    "artifact_damaged": "Look at the storage: it gave back other bytes than were written. Then redrive.",
    "artifact_mismatch": "Compare the file with the SHA-256 that the handler said; mend one of them, then redrive.",
    "artifact_missing": "Put the file into its place, then redrive; or enqueue anew.",
    "artifact_not_written": "Look at the storage (room, rights); then redrive.",
    "artifact_unreadable": "Look at the storage (rights, connection); then redrive.",
    "input_mismatch": "The file is another one by now: enqueue anew with its new SHA-256, or put the old one back and "
    "redrive.",
    "input_unreadable": "Put the file where the payload says, and let the worker read it; then redrive.",
    # documents and secrets
    "sealed_key_missing": _KEY,
    "sealed_document_damaged": "It was changed or copied from another row: restore it from a backup, or enqueue anew.",
    "stored_document_damaged": "It is no JSON any more: restore it from a backup, or enqueue anew.",
    "secret_missing": "Set the secret where the worker runs; then redrive.",
    "invalid_payload": "Mend the handler, or the upgrade of `reads=`, and redrive; or enqueue anew with a payload that "
    "fits.",
    "report_refused": "The database refused what the handler said at its end, as the message tells: mend that, then "
    "redrive.",
    "result_not_text": "A fault of Tenure, or of an engine handler that was made by hand: please report it.",
    "verification_failed": "The task's `verify=` denies the success: look at what the handler did, then redrive.",
    # how the handler is run
    "misconfigured": "Mend what the message names; then redrive.",
    "wrong_database": "Pass a connection to the application's own database; then redrive.",
    "deadline_exceeded": "Look whether its queue has enough workers (`tenure doctor`); redrive with a new --deadline, "
    "or leave it.",
    "timed_out": "Raise `timeout=` of the task, or split the work; then redrive.",
    "no_progress": "Call `ctx.progress` more often, or raise `progress_timeout=`; then redrive.",
    "worker_lost": "Its worker died with it, the memory perhaps: look at the worker's log, or isolate the task "
    '(isolation="process"); then redrive.',
    "child_died": "Look at the message for its signal: memory or CPU limits perhaps. Raise them or mend the handler; "
    "then redrive.",
    "output_exceeded": "Have the handler print less; then redrive.",
    "interrupted": "Give the worker a longer --shutdown-grace, or the handler safe points; then redrive.",
    "completion_rolled_back": "Commit the transaction in which `ctx.complete` was called; then redrive.",
    "lease_lost": "The handler lost a race for its job: look for a lease that is too short, then redrive.",
    "retry_transaction": "Its transaction lost a race again and again: make it shorter, then redrive.",
    "handler_cancelled_itself": "The handler let an asyncio.CancelledError of its own out: mend it, then redrive.",
    "system_exit": "The handler called sys.exit: mend it, then redrive.",
    "broken_exception": "Mend the exception class that the message names; then redrive.",
    "set_aside": "Its row could not be handled, as the error tells: please report it.",
    # budgets, and what others lack
    "snoozes_exhausted": "What it waits for does not come: look at that, then redrive.",
    "throttled_exhausted": "Slow down the producers, or raise `max_attempts=`; then redrive.",
    "unknown_kind": "Declare the kind (`tenure kinds set`), or mend its name; then redrive.",
    "connection_error": _AWAY,
    "timeout": _AWAY,
    "store_busy": _DATABASE,
    "store_unavailable": _DATABASE,
    "unclassified": "Its worker said no class of the error: look at the message; then redrive.",
}  # fmt: skip

_BEGINNINGS: Final[Mapping[str, str]] = {
    "result_": "The work is done and its result cannot be stored: have the handler return less, or where it is; then "
    "enqueue anew if it may be done twice.",
    "http_": "The other side refused the request with this status: mend the request, or its service; then redrive.",
}


def remedy(kind: Kind | None, code: str | None) -> str | None:
    """For the jobs of a kind; None where nobody has said anything."""
    if code is None:
        return None
    said = None if kind is None else kind.remedies.get(code)
    return said or OWN.get(code) or next((_BEGINNINGS[head] for head in _BEGINNINGS if code.startswith(head)), None)
