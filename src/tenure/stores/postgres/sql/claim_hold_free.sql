-- For who holds some already, and so waits for nobody.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
), held AS MATERIALIZED (
    SELECT rule.*
    FROM input CROSS JOIN jsonb_array_elements(j->'places') AS place JOIN tenure_flow AS rule
        ON rule.tenant = place->>2 AND rule.kind = place->>1 AND rule.queue = place->>0
    WHERE rule.concurrency IS NOT NULL OR rule.starts IS NOT NULL
    ORDER BY rule.tenant, rule.kind, rule.queue
    FOR UPDATE OF rule SKIP LOCKED
)
SELECT json_build_object(
    'now', clock.now,
    'limits', coalesce((
        SELECT json_agg({limit_json} ORDER BY rule.queue, rule.kind, rule.tenant) FROM held AS rule
    ), '[]'::json),
    -- A process that is stopped here would hold up all claims under these limits: the server ends its session.
    'ends', set_config('idle_in_transaction_session_timeout', '5s', true)
)::text FROM clock
