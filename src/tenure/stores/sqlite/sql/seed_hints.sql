INSERT OR IGNORE INTO tenure_hints (job_id, due_at)
SELECT id, ? FROM tenure_jobs INDEXED BY tenure_jobs_ready WHERE state = 'ready'
