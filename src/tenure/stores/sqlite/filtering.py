"""A JobFilter as conditions behind a WHERE."""

from typing import Any, Final

from tenure.core.job_filter import JobFilter
from tenure.stores.sqlite.instants import to_micros
from tenure.stores.sqlite.rows import json_text

_AMONG: Final = {"states": "state", "tenants": "tenant", "kinds": "kind", "queues": "queue", "ids": "id"}
_IN: Final = " AND +{column} IN (SELECT value FROM json_each(?))"
_CODE: Final = " AND ? IN (end_code, last_error_code)"
_TAG: Final = " AND json_valid(tags) AND EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ?)"
_VERSION: Final = " AND +version = ?"
_ORDER_KEY: Final = " AND +order_key = ?"
_SINCE: Final = " AND ended_at >= ?"
_UNTIL: Final = " AND ended_at < ?"


def conditions(which: JobFilter) -> tuple[str, tuple[Any, ...]]:
    """The text of the conditions, each begun with AND, and the values for their `?`.

    A column bears a plus, so that it offers no index: the statement has its own order, and stops at its limit. No index
    but that of dead letters could serve an instant, and there it is to serve.
    """
    found: list[tuple[str, Any]] = []
    for member, column in _AMONG.items():
        allowed = getattr(which, member)
        if allowed is not None:
            found.append((_IN.replace("{column}", column), json_text(allowed)))
    if which.code is not None:
        found.append((_CODE, which.code))
    if which.tag is not None:
        found.append((_TAG, which.tag))
    if which.version is not None:
        found.append((_VERSION, which.version))
    if which.order_key is not None:
        found.append((_ORDER_KEY, which.order_key))
    if which.since is not None:
        found.append((_SINCE, to_micros(which.since)))
    if which.until is not None:
        found.append((_UNTIL, to_micros(which.until)))
    return "".join(text for text, _ in found), tuple(value for _, value in found)
