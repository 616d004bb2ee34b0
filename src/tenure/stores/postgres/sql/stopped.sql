WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), page AS (
    SELECT job.* FROM tenure_jobs AS job
    WHERE job.state = 'failed' AND job.pruned_at IS NULL AND job.order_place IS NOT NULL
        AND coalesce(job.tenant = ANY ((
            SELECT CASE jsonb_typeof(j->'tenants')
                WHEN 'array' THEN ARRAY(SELECT jsonb_array_elements_text(j->'tenants')) END FROM input
        )::text[]), true)
    ORDER BY job.ended_at DESC, job.id DESC LIMIT (SELECT (j->>'limit')::integer FROM input)
)
SELECT coalesce(json_agg(page ORDER BY page.ended_at DESC, page.id DESC), '[]'::json)::text FROM page
