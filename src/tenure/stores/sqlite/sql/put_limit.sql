INSERT INTO tenure_flow (queue, kind, tenant, concurrency, starts, seconds, burst, tokens, filled_at, is_declared)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
ON CONFLICT (tenant, kind, queue) DO UPDATE SET
    concurrency = ?4, starts = ?5, seconds = ?6, burst = ?7, tokens = ?8, filled_at = ?9, is_declared = ?10
