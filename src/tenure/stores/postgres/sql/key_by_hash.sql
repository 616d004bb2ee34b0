SELECT coalesce(json_agg(key), '[]'::json)::text
FROM tenure_keys AS key
WHERE key.hash = $1::jsonb->>'hash'
