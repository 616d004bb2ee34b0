SELECT coalesce(json_agg(key ORDER BY key.created_at DESC, key.id DESC), '[]'::json)::text
FROM tenure_keys AS key, (SELECT $1::jsonb) AS input
