INSERT INTO tenure_flow (queue, kind, tenant, resource, concurrency, starts, seconds, burst, tokens, filled_at, is_declared)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
ON CONFLICT (tenant, kind, queue, resource) DO UPDATE SET
    concurrency = ?5, starts = ?6, seconds = ?7, burst = ?8, tokens = ?9, filled_at = ?10, is_declared = ?11
