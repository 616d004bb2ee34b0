WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), page AS (
    SELECT row.* FROM tenure_occurrences AS row
    WHERE row.schedule_id = (SELECT (j->>'id')::uuid FROM input)
        AND row.id <= (SELECT coalesce((j->>'before')::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff') FROM input)
        AND row.id IS DISTINCT FROM (SELECT (j->>'before')::uuid FROM input)
    ORDER BY row.id DESC LIMIT (SELECT (j->>'limit')::integer FROM input)
)
SELECT coalesce(json_agg(page ORDER BY page.id DESC), '[]'::json)::text FROM page
