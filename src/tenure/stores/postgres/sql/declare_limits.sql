-- As core.flow.limits.declared: what an operator has set stays. And what a job of the kind takes.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
)
INSERT INTO tenure_flow AS rule (queue, kind, tenant, concurrency, is_declared, slots, uses)
SELECT
    '', kind.name, '', kind.concurrency, kind.concurrency IS NOT NULL, nullif(kind.slots, 1), nullif(kind.uses, '{}')
FROM input, jsonb_to_recordset(j->'kinds') AS kind (name text, concurrency integer, slots integer, uses text[])
ORDER BY kind.name COLLATE "C"
ON CONFLICT (tenant, kind, queue, resource) DO UPDATE SET
    concurrency = CASE
        WHEN rule.concurrency IS NULL OR rule.is_declared THEN EXCLUDED.concurrency ELSE rule.concurrency
    END,
    is_declared = CASE
        WHEN rule.concurrency IS NULL OR rule.is_declared THEN EXCLUDED.is_declared ELSE rule.is_declared
    END,
    slots = EXCLUDED.slots, uses = EXCLUDED.uses
RETURNING rule.kind
