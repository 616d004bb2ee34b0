WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), {asked}
SELECT coalesce(json_agg(count ORDER BY count.worker), '[]'::json)::text
FROM (
    SELECT
        job.worker, count(*) AS jobs, min(job.started_at) AS started_at, max(job.heartbeat_at) AS heartbeat_at,
        json_agg(DISTINCT job.holder) AS holders
    FROM tenure_jobs AS job
    WHERE job.state = 'running' AND job.worker > (SELECT j->>'after' FROM input) AND {conditions}
    GROUP BY job.worker
    ORDER BY job.worker LIMIT (SELECT (j->>'limit')::integer FROM input)
) AS count
