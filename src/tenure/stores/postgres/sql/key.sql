SELECT coalesce(json_agg(key), '[]'::json)::text
FROM tenure_keys AS key
WHERE key.id = ($1::jsonb->>'id')::uuid
