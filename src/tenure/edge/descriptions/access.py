"""What the members of keys and of the audit mean."""

from typing import Final

from tenure.edge.descriptions.said import AT, ID, Said

COMMON: Final[dict[str, Said]] = {
    "at": Said("When it was done.", AT),
    "created_by": Said("The name of who made it.", "root"),
    "expires_at": Said("When it stops to open anything; null: never.", AT),
    "keys": Said("The keys, without their secrets."),
    "lines": Said("What was done."),
    "max_priority": Said("The highest priority that it may give: a label or a number.", "medium"),
    "revoked_at": Said("Since when it opens nothing; null while it does.", AT),
    "role": Said("What it may do.", "producer"),
    "seq": Said("Rises with every line.", 42),
    "subject": Said("To what it was done.", f"job {ID}"),
    "who": Said("The name of the credential.", "root"),
    "why": Said("The reason, for people; it stands in the audit.", "the customer asked for it"),
}

OWN: Final[dict[str, dict[str, Said]]] = {
    "AuditBody": {
        "tenant": Said("Whom the line concerns; null is the whole store."),
        "kind": Said("The kind that the line concerns; null is every one."),
        "queue": Said("The queue that the line concerns; null is every one."),
        "verb": Said("What was done.", "cancel"),
        "detail": Said("More about it."),
    },
    "CreateKey": {
        "name": Said("Letters, digits, dots, underscores and hyphens; it names the caller everywhere.", "web"),
        "tenants": Said("`*` is every one; left out, `default` (operator and admin: every one).", ["default"]),
        "kinds": Said("`*` is every one, and so is leaving it out.", ["send-invoice"]),
        "queues": Said("`*` is every one, and so is leaving it out.", ["default"]),
    },
    "CreatedKey": {
        "key": Said("The secret, shown this once.", "tenure_…"),
        "name": Said("It names the caller everywhere.", "web"),
    },
    "KeyBody": {"name": Said("It names the caller everywhere.", "web")},
    "Keys": {"next": Said("The cursor of the following page; null at the end.")},
}
