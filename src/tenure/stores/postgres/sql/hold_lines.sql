-- The right to make heads of keys that have none, until the end of the transaction: of the first `most` of these keys, where
-- nobody else has it. A statement by itself: what it holds must be held before the lines are read. The others stay on
-- record: who has the right to one may yet roll back, and with it goes what it has seen.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), asked AS MATERIALIZED (
    SELECT key.said->>0 AS tenant, key.said->>1 AS order_key, key.nth
    FROM input, jsonb_array_elements(input.j->'keys') WITH ORDINALITY AS key (said, nth)
), tried AS MATERIALIZED (
    SELECT
        asked.tenant, asked.order_key,
        CASE
            WHEN asked.nth > (input.j->>'most')::integer THEN false
            ELSE pg_try_advisory_xact_lock(hashtextextended(asked.tenant || E'\n' || asked.order_key, 8311))
        END AS is_held
    FROM asked, input
), noted AS (
    INSERT INTO tenure_order_news (tenant, order_key)
    SELECT tried.tenant, tried.order_key FROM tried
    WHERE NOT tried.is_held AND NOT EXISTS (
        SELECT FROM tenure_order_news AS own
        WHERE own.tenant = tried.tenant AND own.order_key = tried.order_key AND own.xmin = pg_current_xact_id()::xid
    )
)
SELECT coalesce(json_agg(json_build_array(tenant, order_key)) FILTER (WHERE is_held), '[]'::json)::text FROM tried
