SELECT coalesce(json_agg(key ORDER BY key.created_at DESC, key.id DESC), '[]'::json)::text
FROM (SELECT $1::jsonb AS j) AS input CROSS JOIN LATERAL (
    SELECT * FROM tenure_keys AS any_of
    WHERE input.j->>'before' IS NULL OR (any_of.created_at, any_of.id) < (
        SELECT last.created_at, last.id FROM tenure_keys AS last WHERE last.id = (input.j->>'before')::uuid
    )
    ORDER BY any_of.created_at DESC, any_of.id DESC LIMIT (input.j->>'limit')::integer
) AS key
