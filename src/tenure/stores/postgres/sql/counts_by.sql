-- {by}: the column, tenant or queue.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), {asked}
SELECT coalesce(json_agg(count ORDER BY count.name, count.state::text), '[]'::json)::text
FROM input, (
    SELECT
        job.{by} AS name, job.state, count(*) AS jobs, min(job.run_at) AS oldest_run_at,
        dense_rank() OVER (ORDER BY job.{by}) AS place
    FROM tenure_jobs AS job
    WHERE job.pruned_at IS NULL AND job.{by} > coalesce((SELECT j->>'after' FROM input), '') AND {conditions}
    GROUP BY job.{by}, job.state
) AS count
WHERE count.place <= (input.j->>'limit')::integer
