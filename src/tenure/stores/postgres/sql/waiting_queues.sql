-- Hops from queue to queue along both indexes.
WITH RECURSIVE input AS MATERIALIZED (
    SELECT (j->>'limit')::integer AS most FROM (SELECT $1::jsonb AS j) AS given
), ready (queue) AS (
    (SELECT job.queue FROM tenure_jobs AS job WHERE job.state = 'ready' ORDER BY job.queue LIMIT 1)
    UNION ALL
    SELECT next.queue FROM ready CROSS JOIN LATERAL (
        SELECT job.queue FROM tenure_jobs AS job
        WHERE job.state = 'ready' AND job.queue > ready.queue ORDER BY job.queue LIMIT 1
    ) AS next
), other (queue) AS (
    (
        SELECT job.queue FROM tenure_jobs AS job
        WHERE job.state IN ('scheduled', 'blocked') ORDER BY job.queue LIMIT 1
    )
    UNION ALL
    SELECT next.queue FROM other CROSS JOIN LATERAL (
        SELECT job.queue FROM tenure_jobs AS job
        WHERE job.state IN ('scheduled', 'blocked') AND job.queue > other.queue ORDER BY job.queue LIMIT 1
    ) AS next
)
SELECT coalesce(json_agg(queue ORDER BY queue), '[]'::json)::text
FROM (
    SELECT queue FROM ready UNION SELECT queue FROM other ORDER BY queue LIMIT (SELECT most FROM input)
) AS found
