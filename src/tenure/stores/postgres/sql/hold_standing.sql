-- The rows that stand at these supersession keys; waits for those that others hold, in one order for all. One that has
-- given way meanwhile is left out, and whoever came in its place is found by the next such statement.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), found AS MATERIALIZED (
    SELECT standing.id
    FROM input, jsonb_to_recordset(input.j->'places') AS place (tenant text, kind text, key text)
    CROSS JOIN LATERAL (
        SELECT id FROM tenure_jobs AS job
        WHERE job.tenant = place.tenant AND job.kind = place.kind AND job.supersession_key = place.key
            AND job.supersession_key IS NOT NULL AND job.superseded_by IS NULL AND job.pruned_at IS NULL
            AND job.state IN ('scheduled', 'ready', 'blocked', 'failed')
        LIMIT 1
    ) AS standing
), job AS MATERIALIZED (
    SELECT * FROM tenure_jobs
    WHERE id = ANY (ARRAY(SELECT id FROM found)) AND superseded_by IS NULL AND pruned_at IS NULL
        AND state IN ('scheduled', 'ready', 'blocked', 'failed')
    ORDER BY id FOR NO KEY UPDATE
), held AS MATERIALIZED (
    SELECT coalesce(json_agg(job), '[]'::json) AS jobs FROM job
)
SELECT json_build_object(
    'now', coalesce((input.j->>'now')::timestamptz, clock_timestamp()), 'jobs', held.jobs
)::text
FROM held, input
