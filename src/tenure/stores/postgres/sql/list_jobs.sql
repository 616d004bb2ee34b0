-- Newest first. Each state has its own run of the index; the runs are merged.
WITH asked AS MATERIALIZED (
    SELECT
        j->>'state' AS state, j->>'kind' AS kind, j->>'queue' AS queue, j->>'tenant' AS tenant, j->>'code' AS code,
        j->>'tag' AS tag, coalesce((j->>'before')::bigint, 9223372036854775807) AS before, (j->>'limit')::integer AS most
    FROM (SELECT $1::jsonb AS j) AS input
), page AS (
    SELECT job.*
    FROM asked
    CROSS JOIN unnest(ARRAY['scheduled', 'ready', 'blocked', 'running', 'succeeded', 'failed', 'cancelled']) AS one (state)
    CROSS JOIN LATERAL (
        SELECT candidate.* FROM tenure_jobs AS candidate
        WHERE candidate.state = one.state AND candidate.seq < asked.before
            AND (asked.kind IS NULL OR candidate.kind = asked.kind)
            AND (asked.queue IS NULL OR candidate.queue = asked.queue)
            AND (asked.tenant IS NULL OR candidate.tenant = asked.tenant)
            AND (asked.code IS NULL OR asked.code IN (candidate.end_code, candidate.last_error_code))
            AND (asked.tag IS NULL OR candidate.tags::jsonb ? asked.tag)
        ORDER BY candidate.seq DESC LIMIT asked.most
    ) AS job
    WHERE asked.state IS NULL OR one.state = asked.state
    ORDER BY job.seq DESC LIMIT (SELECT most FROM asked)
)
SELECT coalesce(json_agg(page ORDER BY page.seq DESC), '[]'::json)::text FROM page
