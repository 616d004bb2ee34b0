-- By kind, counted up to `most`. The ready index goes by queue and priority before the tenant, so it hops from one of these
-- levels to the next; the other one goes by queue. A blank queue is every one: no name lies before it.
WITH RECURSIVE input AS MATERIALIZED (
    SELECT j->>'queue' AS queue, j->>'tenant' AS tenant, (j->>'most')::integer AS most FROM (SELECT $1::jsonb AS j) AS given
), level (queue, priority) AS (
    SELECT first.queue, first.priority FROM input CROSS JOIN LATERAL (
        SELECT job.queue, job.priority FROM tenure_jobs AS job
        WHERE job.state = 'ready' AND job.queue >= input.queue ORDER BY job.queue, job.priority DESC LIMIT 1
    ) AS first
    WHERE input.queue IN ('', first.queue)
    UNION ALL
    SELECT next.queue, next.priority FROM level CROSS JOIN input CROSS JOIN LATERAL (
        (
            SELECT job.queue, job.priority FROM tenure_jobs AS job
            WHERE job.state = 'ready' AND job.queue = level.queue AND job.priority < level.priority
            ORDER BY job.priority DESC LIMIT 1
        )
        UNION ALL
        (
            SELECT job.queue, job.priority FROM tenure_jobs AS job
            WHERE job.state = 'ready' AND job.queue > level.queue AND input.queue = ''
            ORDER BY job.queue, job.priority DESC LIMIT 1
        )
        LIMIT 1
    ) AS next
), other (queue) AS (
    SELECT first.queue FROM input CROSS JOIN LATERAL (
        SELECT job.queue FROM tenure_jobs AS job
        WHERE job.state IN ('scheduled', 'blocked') AND job.queue >= input.queue ORDER BY job.queue LIMIT 1
    ) AS first
    WHERE input.queue IN ('', first.queue)
    UNION ALL
    SELECT next.queue FROM other CROSS JOIN input CROSS JOIN LATERAL (
        SELECT job.queue FROM tenure_jobs AS job
        WHERE job.state IN ('scheduled', 'blocked') AND job.queue > other.queue AND input.queue = ''
        ORDER BY job.queue LIMIT 1
    ) AS next
)
SELECT coalesce(json_object_agg(kind, jobs), '{}'::json)::text
FROM (
    SELECT kind, count(*) AS jobs
    FROM (
        SELECT job.kind FROM input CROSS JOIN level CROSS JOIN LATERAL (
            SELECT one.kind FROM tenure_jobs AS one
            WHERE one.state = 'ready' AND one.queue = level.queue AND one.priority = level.priority
                AND one.tenant = input.tenant
            ORDER BY one.kind LIMIT input.most
        ) AS job
        UNION ALL
        SELECT job.kind FROM input CROSS JOIN other CROSS JOIN LATERAL (
            SELECT one.kind FROM tenure_jobs AS one
            WHERE one.state IN ('scheduled', 'blocked') AND one.queue = other.queue AND one.tenant = input.tenant
            ORDER BY one.kind LIMIT input.most
        ) AS job
        LIMIT (SELECT most FROM input)
    ) AS found
    GROUP BY kind
) AS counted
