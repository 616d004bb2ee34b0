INSERT INTO tenure_flow AS rule (queue, kind, tenant, concurrency, is_declared, slots, uses)
VALUES ('', ?1, '', ?2, ?2 IS NOT NULL, nullif(?3, 1), nullif(?4, '[]'))
ON CONFLICT (tenant, kind, queue, resource) DO UPDATE SET
    concurrency = CASE WHEN rule.concurrency IS NULL OR rule.is_declared THEN ?2 ELSE rule.concurrency END,
    is_declared = CASE WHEN rule.concurrency IS NULL OR rule.is_declared THEN ?2 IS NOT NULL ELSE rule.is_declared END,
    slots = excluded.slots, uses = excluded.uses
