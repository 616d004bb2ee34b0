-- The right to make heads of keys that have none, until the end of the transaction; of those keys where nobody else has it.
-- A statement by itself: what it holds must be held before the lines are read.
SELECT coalesce(json_agg(json_build_array(tenant, order_key)), '[]'::json)::text
FROM (
    SELECT key->>0 AS tenant, key->>1 AS order_key FROM jsonb_array_elements($1::jsonb->'keys') AS key OFFSET 0
) AS asked
WHERE pg_try_advisory_xact_lock(hashtextextended(tenant || E'\n' || order_key, 8311))
