WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), row AS (
    SELECT any_of.* FROM tenure_redrive_jobs AS any_of
    WHERE any_of.redrive_id = (SELECT (j->>'id')::uuid FROM input) AND any_of.state IN ('succeeded', 'failed_again')
        AND any_of.settled_at >= (SELECT (j->>'since')::timestamptz FROM input)
    ORDER BY any_of.settled_at DESC, any_of.place DESC LIMIT (SELECT (j->>'limit')::integer FROM input)
)
SELECT coalesce(json_agg(row ORDER BY row.settled_at DESC, row.place DESC), '[]'::json)::text FROM row
