-- Newest first: ids rise with time, so the primary key is the order.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), {asked}, page AS (
    SELECT job.*
    FROM tenure_jobs AS job
    WHERE job.id <= (SELECT coalesce((j->>'before')::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff') FROM input)
        AND job.id IS DISTINCT FROM (SELECT (j->>'before')::uuid FROM input)
        AND {conditions}
    ORDER BY job.id DESC LIMIT (SELECT (j->>'limit')::integer FROM input)
)
SELECT coalesce(json_agg(page ORDER BY page.id DESC), '[]'::json)::text FROM page
