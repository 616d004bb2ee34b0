-- Hops from lane to lane of a queue: of each the job that has been ready longest.
WITH RECURSIVE input AS MATERIALIZED (
    SELECT j->>'queue' AS queue, (j->>'limit')::integer AS most FROM (SELECT $1::jsonb AS j) AS given
), lane (priority, tenant, kind, version, run_at) AS (
    SELECT first.* FROM input CROSS JOIN LATERAL (
        SELECT job.priority, job.tenant, job.kind, job.version, job.run_at FROM tenure_jobs AS job
        WHERE job.state = 'ready' AND job.queue = input.queue
        ORDER BY job.priority DESC, job.tenant, job.kind, job.version, job.run_at LIMIT 1
    ) AS first
    UNION ALL
    SELECT next.* FROM lane CROSS JOIN input CROSS JOIN LATERAL (
        (
            SELECT job.priority, job.tenant, job.kind, job.version, job.run_at FROM tenure_jobs AS job
            WHERE job.state = 'ready' AND job.queue = input.queue AND job.priority = lane.priority
                AND (job.tenant, job.kind, job.version) > (lane.tenant, lane.kind, lane.version)
            ORDER BY job.tenant, job.kind, job.version, job.run_at LIMIT 1
        )
        UNION ALL
        (
            SELECT job.priority, job.tenant, job.kind, job.version, job.run_at FROM tenure_jobs AS job
            WHERE job.state = 'ready' AND job.queue = input.queue AND job.priority < lane.priority
            ORDER BY job.priority DESC, job.tenant, job.kind, job.version, job.run_at LIMIT 1
        )
        LIMIT 1
    ) AS next
)
SELECT coalesce(json_agg(json_build_array(priority, tenant, kind, run_at)), '[]'::json)::text
FROM (SELECT priority, tenant, kind, run_at FROM lane LIMIT (SELECT most FROM input)) AS found
