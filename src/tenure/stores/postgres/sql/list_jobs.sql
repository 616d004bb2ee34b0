-- Newest first: ids rise with time, so the primary key is the order. The state is written out where one is asked for,
-- since only then its partial indexes can serve.
WITH asked AS MATERIALIZED (
    SELECT
        j->>'kind' AS kind, j->>'queue' AS queue, j->>'tenant' AS tenant, j->>'code' AS code, j->>'tag' AS tag,
        (j->>'before')::uuid AS before, (j->>'limit')::integer AS most
    FROM (SELECT $1::jsonb AS j) AS input
), page AS (
    SELECT job.*
    FROM tenure_jobs AS job
    WHERE job.id <= (SELECT coalesce(before, 'ffffffff-ffff-ffff-ffff-ffffffffffff') FROM asked)
        AND job.id IS DISTINCT FROM (SELECT before FROM asked)
        AND job.kind = coalesce((SELECT kind FROM asked), job.kind)
        AND job.queue = coalesce((SELECT queue FROM asked), job.queue)
        AND job.tenant = coalesce((SELECT tenant FROM asked), job.tenant)
        AND coalesce((SELECT code FROM asked) IN (job.end_code, job.last_error_code), (SELECT code FROM asked) IS NULL)
        AND coalesce(job.tags::jsonb ? (SELECT tag FROM asked), true)
        {state}
    ORDER BY job.id DESC LIMIT (SELECT most FROM asked)
)
SELECT coalesce(json_agg(page ORDER BY page.id DESC), '[]'::json)::text FROM page
