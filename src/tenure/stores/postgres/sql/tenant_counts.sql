WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), {asked}
SELECT coalesce(json_agg(count ORDER BY count.tenant, count.state::text), '[]'::json)::text
FROM input, (
    SELECT
        job.tenant, job.state, count(*) AS jobs, min(job.run_at) AS oldest_run_at,
        dense_rank() OVER (ORDER BY job.tenant) AS place
    FROM tenure_jobs AS job
    WHERE job.pruned_at IS NULL AND job.tenant > coalesce((SELECT j->>'after' FROM input), '') AND {conditions}
    GROUP BY job.tenant, job.state
) AS count
WHERE count.place <= (input.j->>'limit')::integer
