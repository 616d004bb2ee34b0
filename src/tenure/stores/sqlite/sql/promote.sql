UPDATE tenure_jobs SET state = 'ready', revision = revision + 1, updated_at = ?1
WHERE seq IN (
    SELECT seq FROM tenure_jobs INDEXED BY tenure_jobs_scheduled
    WHERE state = 'scheduled' AND run_at <= ?1
    ORDER BY run_at, seq LIMIT ?2
)
RETURNING queue
