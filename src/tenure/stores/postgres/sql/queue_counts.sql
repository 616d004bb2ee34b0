WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), {asked}
SELECT coalesce(json_agg(count ORDER BY count.queue, count.state::text), '[]'::json)::text
FROM input, (
    SELECT
        job.queue, job.state, count(*) AS jobs, min(job.run_at) AS oldest_run_at,
        dense_rank() OVER (ORDER BY job.queue) AS place
    FROM tenure_jobs AS job
    WHERE job.pruned_at IS NULL AND job.queue > coalesce((SELECT j->>'after' FROM input), '') AND {conditions}
    GROUP BY job.queue, job.state
) AS count
WHERE count.place <= (input.j->>'limit')::integer
