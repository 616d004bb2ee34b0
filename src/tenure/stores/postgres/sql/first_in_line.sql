SELECT coalesce(json_agg(job), '[]'::json)::text
FROM (
    SELECT key->>0 AS tenant, key->>1 AS order_key FROM jsonb_array_elements($1::jsonb->'keys') AS key
) AS asked
CROSS JOIN LATERAL (
    SELECT * FROM tenure_jobs AS one
    WHERE one.tenant = asked.tenant AND one.order_key = asked.order_key AND one.order_place IS NOT NULL
    ORDER BY one.order_place LIMIT 1
) AS job
