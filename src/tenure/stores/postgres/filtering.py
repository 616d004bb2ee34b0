"""A JobFilter in the statements that it narrows."""

from functools import cache
from typing import Final

from tenure.core.job_filter import JobFilter
from tenure.core.states import State
from tenure.stores.postgres import statements

_ASKED: Final = """asked AS MATERIALIZED (
    SELECT
        j->>'code' AS code, j->>'tag' AS tag,
        CASE jsonb_typeof(j->'tenants') WHEN 'array' THEN ARRAY(SELECT jsonb_array_elements_text(j->'tenants')) END
            AS tenants,
        CASE jsonb_typeof(j->'kinds') WHEN 'array' THEN ARRAY(SELECT jsonb_array_elements_text(j->'kinds')) END
            AS kinds,
        CASE jsonb_typeof(j->'queues') WHEN 'array' THEN ARRAY(SELECT jsonb_array_elements_text(j->'queues')) END
            AS queues
    FROM input
)"""
"""What the parameter says; null where it does not narrow."""

_CONDITIONS: Final = """coalesce(job.tenant = ANY ((SELECT tenants FROM asked)::text[]), true)
        AND coalesce(job.kind = ANY ((SELECT kinds FROM asked)::text[]), true)
        AND coalesce(job.queue = ANY ((SELECT queues FROM asked)::text[]), true)
        AND coalesce((SELECT code FROM asked) IN (job.end_code, job.last_error_code), (SELECT code FROM asked) IS NULL)
        AND coalesce(job.tags::jsonb ? (SELECT tag FROM asked), true)"""

_SAID: Final = {
    "version": "job.version = (SELECT (j->>'version')::integer FROM input)",
    "ids": "job.id = ANY (ARRAY(SELECT jsonb_array_elements_text(j->'ids')::uuid FROM input))",
    "since": "job.ended_at >= (SELECT (j->>'since')::timestamptz FROM input)",
    "order_key": "job.order_key = (SELECT j->>'order_key' FROM input)",
    "until": "job.ended_at < (SELECT (j->>'until')::timestamptz FROM input)",
}
"""Conditions that are written only where the filter says something of them, by its members."""


@cache
def narrowed(name: str, states: frozenset[State] | None, said: frozenset[str] = frozenset()) -> str:
    """`sql/<name>.sql` for the jobs of a filter in these states. They are written out, since only then can the partial
    indexes serve; the rest of the filter comes in the parameter. said: the members of `_SAID` that narrow it."""
    text = statements.text(name).replace("{asked}", _ASKED)
    more = "".join(f"\n        AND {_SAID[member]}" for member in sorted(said))
    return text.replace("{conditions}", _CONDITIONS + more + _in_states(states))


def said(which: JobFilter) -> frozenset[str]:
    """The members of `_SAID` of which the filter says something."""
    return frozenset(member for member in _SAID if getattr(which, member) is not None)


def _in_states(states: frozenset[State] | None) -> str:
    if states is None:
        return ""
    names = ", ".join(f"'{state.value}'" for state in sorted(states))
    return f"\n        AND job.state IN ({names})" if states else "\n        AND false"
