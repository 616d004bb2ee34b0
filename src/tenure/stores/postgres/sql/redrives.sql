WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), page AS (
    SELECT redrive.* FROM tenure_redrives AS redrive
    WHERE redrive.id <= (SELECT coalesce((j->>'before')::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff') FROM input)
        AND redrive.id IS DISTINCT FROM (SELECT (j->>'before')::uuid FROM input)
    ORDER BY redrive.id DESC LIMIT (SELECT (j->>'limit')::integer FROM input)
)
SELECT coalesce(json_agg(page ORDER BY page.id DESC), '[]'::json)::text FROM page
