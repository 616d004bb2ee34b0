-- Waits for rows that others hold, in one order for all. The instant is read after the wait.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), job AS MATERIALIZED (
    SELECT * FROM tenure_jobs
    WHERE id = ANY (ARRAY(SELECT jsonb_array_elements_text(j->'ids')::uuid FROM input))
    ORDER BY id FOR NO KEY UPDATE
), held AS MATERIALIZED (
    SELECT coalesce(json_agg(job), '[]'::json) AS jobs FROM job
)
SELECT json_build_object(
    'now', coalesce((input.j->>'now')::timestamptz, clock_timestamp()), 'jobs', held.jobs
)::text
FROM held, input
