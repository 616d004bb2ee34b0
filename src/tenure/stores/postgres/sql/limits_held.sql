WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
), clock AS MATERIALIZED (
    SELECT coalesce((j->>'now')::timestamptz, clock_timestamp()) AS now FROM input
), held AS MATERIALIZED (
    SELECT rule.*
    FROM input CROSS JOIN jsonb_array_elements(j->'places') AS place JOIN tenure_flow AS rule
        ON rule.tenant = place->>2 AND rule.kind = place->>1 AND rule.queue = place->>0
        AND rule.resource = place->>3
    WHERE rule.concurrency IS NOT NULL OR rule.starts IS NOT NULL
    ORDER BY rule.tenant, rule.kind, rule.queue, rule.resource
    FOR UPDATE OF rule
