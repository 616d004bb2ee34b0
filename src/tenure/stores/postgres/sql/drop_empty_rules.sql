WITH input AS MATERIALIZED (
    SELECT $1::jsonb->'place' AS place
)
DELETE FROM tenure_flow AS rule USING input
WHERE (rule.queue, rule.kind, rule.tenant, rule.resource)
        = (place->>'queue', place->>'kind', place->>'tenant', place->>'resource')
    AND rule.paused_at IS NULL AND rule.weight IS NULL AND rule.concurrency IS NULL AND rule.starts IS NULL
    AND rule.aging IS NULL AND rule.reserve_percent IS NULL
    AND rule.slots IS NULL AND rule.uses IS NULL
RETURNING rule.queue
