SELECT name, concurrency - (
    SELECT count(*) FROM tenure_jobs INDEXED BY tenure_jobs_running
    WHERE state = 'running' AND kind = name AND lease_expires_at > ?
)
FROM tenure_kinds WHERE concurrency IS NOT NULL AND name IN (SELECT value FROM json_each(?))
