-- As core.limits.declared: what an operator has set stays.
WITH input AS MATERIALIZED (
    SELECT $1::jsonb AS j
)
INSERT INTO tenure_flow AS rule (queue, kind, tenant, concurrency, is_declared)
SELECT '', kind.name, '', kind.concurrency, kind.concurrency IS NOT NULL
FROM input, jsonb_to_recordset(j->'kinds') AS kind (name text, concurrency integer)
ORDER BY kind.name COLLATE "C"
ON CONFLICT (tenant, kind, queue) DO UPDATE SET
    concurrency = EXCLUDED.concurrency, is_declared = EXCLUDED.is_declared
WHERE rule.concurrency IS NULL OR rule.is_declared
RETURNING rule.kind
