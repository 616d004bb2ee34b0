WITH input AS MATERIALIZED (
    SELECT $1::jsonb->'place' AS place
), dropped AS (
    UPDATE tenure_flow AS rule SET paused_at = NULL, paused_by = NULL, paused_why = NULL
    FROM input
    WHERE (rule.queue, rule.kind, rule.tenant, rule.resource)
        = (place->>'queue', place->>'kind', place->>'tenant', place->>'resource')
        AND rule.paused_at IS NOT NULL
    RETURNING rule.queue
)
SELECT json_build_object('count', count(*))::text FROM dropped
