WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), row AS (
    SELECT any_of.* FROM tenure_redrive_jobs AS any_of
    WHERE any_of.redrive_id = (SELECT (j->>'id')::uuid FROM input)
        AND any_of.place > (SELECT (j->>'after')::integer FROM input)
        AND coalesce(any_of.state = (SELECT j->>'state' FROM input), true)
    ORDER BY any_of.place LIMIT (SELECT (j->>'limit')::integer FROM input)
)
SELECT coalesce(json_agg(row ORDER BY row.place), '[]'::json)::text FROM row
