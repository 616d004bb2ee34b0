INSERT INTO tenure_flow AS rule (queue, kind, tenant, resource, paused_at, paused_by, paused_why)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (tenant, kind, queue, resource) DO UPDATE SET
    paused_at = excluded.paused_at, paused_by = excluded.paused_by, paused_why = excluded.paused_why
WHERE rule.paused_at IS NULL
RETURNING paused_at
