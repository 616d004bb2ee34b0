SELECT
    id, tenant, queue, kind, version, coalesce(end_code, ''), attempt, max_attempts, ended_at, payload IS NOT NULL,
    superseded_by IS NOT NULL
FROM tenure_jobs INDEXED BY tenure_jobs_failed
WHERE state = 'failed' AND pruned_at IS NULL AND (ended_at, id) > (?, ?){conditions}
ORDER BY ended_at, id LIMIT ?
