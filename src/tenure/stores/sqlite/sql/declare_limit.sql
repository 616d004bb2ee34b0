INSERT INTO tenure_flow AS rule (queue, kind, tenant, concurrency, is_declared) VALUES ('', ?1, '', ?2, ?2 IS NOT NULL)
ON CONFLICT (tenant, kind, queue) DO UPDATE SET concurrency = ?2, is_declared = ?2 IS NOT NULL
WHERE rule.concurrency IS NULL OR rule.is_declared
