WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), {asked}
SELECT coalesce(json_agg(count ORDER BY count.queue, count.kind, count.state::text), '[]'::json)::text
FROM (
    SELECT job.queue, job.kind, job.state, count(*) AS jobs, min(job.run_at) AS oldest_run_at
    FROM tenure_jobs AS job
    WHERE job.pruned_at IS NULL AND {conditions}
    GROUP BY job.queue, job.kind, job.state
    ORDER BY job.queue, job.kind, job.state::text LIMIT (SELECT (j->>'limit')::integer FROM input)
) AS count
