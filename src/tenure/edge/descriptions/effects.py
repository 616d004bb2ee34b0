"""What the members of effects and checkpoints mean."""

from typing import Final

from tenure.edge.descriptions.said import AT, Said

COMMON: Final[dict[str, Said]] = {
    "answered": Said("After `ask`: what the outside said of the call `asked_of`.", "happened"),
    "args": Said("What the call is made with, any JSON; it must be the same in every attempt.", {"invoice": "A-17"}),
    "asked_of": Said("After `ask`: the request id of the call that the outside was asked about.", "r-1"),
    "call_ends_by": Said("When the call must have come back: its start and its timeout.", AT),
    "calls": Said("How many calls were made under this key.", 1),
    "can_ask": Said("Whether the worker can ask the outside what became of a call.", True),
    "checkpoints": Said("The named values that attempts have saved."),
    "effect": Said("The row of the ledger; null where there is none."),
    "effect_key": Said("A business key: one effect over all jobs of the tenant.", "invoice-A-17"),
    "idempotent": Said("Whether the outside honours the effect's key, so that a repeated call does nothing.", True),
    "request_id": Said("Of the call: a fresh one for each, and the same one when it is repeated.", "r-1"),
    "saved_at": Said("When it was saved.", AT),
    "settled_at": Said("When it became known whether it happened; null before that.", AT),
    "settled_by": Said("Who knew: the call, reconcile, or the name of an operator.", "call"),
    "shared_key": Said("The business key under which all jobs of the tenant share the effect; null without one."),
    "value": Said("Any JSON up to 64 KiB.", {"next_page": 48}),
    "what": Said("What to do now."),
}

OWN: Final[dict[str, dict[str, Said]]] = {
    "BeginEffect": {
        "result": Said("After `ask`: what the call returned, where it happened."),
        "timeout": Said("Seconds that the call may take.", 30.0),
    },
    "CheckpointBody": {"name": Said("Of the value.", "next_page")},
    "EffectBegun": {"wait": Said("Seconds, where `what` is wait.", 0.0)},
    "EffectBody": {
        "key": Said("Under which the outside knows the call.", "charge"),
        "state": Said("pending, confirmed, uncertain or absent.", "confirmed"),
        "name": Said("What is done outside.", "charge"),
    },
    "Effects": {"effects": Said("The rows of the job's ledger.")},
    "FinishEffect": {"state": Said("What is known of it now.", "confirmed")},
    "SettleEffect": {
        "state": Said("What was found out.", "confirmed"),
        "result": Said("What the call would have returned, where it happened."),
    },
}
